import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../../search/profile.ts';
import { listDamagedVectors, removeVectors } from '../../../search/vectors.ts';
import { type OwnedTable, replaceRows } from '../../../store/copy-rows.ts';
import { indexSections, replaceOwnSections, toAbstractSection } from '../ingest.ts';
import { listDamagedCards, listDamagedPapers, type NamedCard } from '../queries.ts';
import { adoptVectors, STARTER_TABLES } from '../starter-ingest.ts';
import { paperIndex } from '../tables.ts';

/**
 * Takes damaged cards from the starter, or removes them, so that the sync that follows gets them again:
 * it asks for every record.
 */
export function mendCards(db: Database, starter: Database): void {
  const original = starter
    .prepare<{ cardId: string; sourceId: string }, number>(
      'SELECT id FROM paper WHERE source_id = @sourceId OR card_id = @cardId',
    )
    .pluck();
  const mend = db.transaction(({ id, cardId, sourceId }: NamedCard) => {
    const from = original.get({ cardId, sourceId });
    if (from === undefined) {
      db.prepare('DELETE FROM paper WHERE id = @id').run({ id });
      removeFromIndex(db, paperIndex, id);
    } else {
      replaceRows(starter, db, STARTER_TABLES, { from, to: id });
      adoptVectors(db, starter, id);
      indexSections(db, id);
    }
    db.prepare('DELETE FROM harvest').run();
  });
  for (const card of listDamagedCards(db)) mend.immediate(card);
}

const SECTIONS: readonly OwnedTable[] = [{ table: 'paper_section', key: 'paper_id' }];

/**
 * Drops the damaged texts, so that the next read fetches them again; our own sections are taken from the
 * starter, the abstract from the card.
 */
export function mendTexts(db: Database, starter: Database): void {
  const original = starter
    .prepare<{ sourceId: string }, number>('SELECT id FROM paper WHERE source_id = @sourceId')
    .pluck();
  const ownCard = db.prepare<{ id: number }, { abstract: string }>(
    "SELECT abstract FROM paper WHERE id = @id AND origin = 'arxiv'",
  );
  const mend = db.transaction((id: number, sourceId: string) => {
    const from = original.get({ sourceId });
    if (from === undefined)
      db.prepare('DELETE FROM paper_section WHERE paper_id = @id').run({ id });
    else {
      replaceRows(starter, db, SECTIONS, { from, to: id });
      adoptVectors(db, starter, id);
    }
    const card = ownCard.get({ id });
    if (card === undefined) indexSections(db, id);
    else replaceOwnSections(db, id, [toAbstractSection(card.abstract)]);
    db.prepare('DELETE FROM paper_text WHERE paper_id = @id').run({ id });
  });
  for (const { id, sourceId } of listDamagedPapers(db)) mend.immediate(id, sourceId);
}

/** Drops the damaged vectors of cards, which the next digest makes again. */
export function mendVectors(db: Database): void {
  const undigest = db.prepare('UPDATE paper SET digested = 0 WHERE id = @id');
  const mend = db.transaction((id: number) => {
    removeVectors(db, paperIndex.name, id);
    undigest.run({ id });
  });
  for (const id of listDamagedVectors(db, paperIndex.name)) mend.immediate(id);
}
