import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../search/profile.ts';
import { removeVectors } from '../../search/vectors.ts';
import { type OwnedTable, replaceRows } from '../../store/copy-rows.ts';
import { storedModel } from '../../store/embedding-model.ts';
import { monthOf } from './arxiv/ids.ts';
import { indexSections } from './ingest.ts';
import { paperIndex } from './tables.ts';

/** The tables of which a starter card has rows. */
const STARTER_TABLES: readonly OwnedTable[] = [
  { table: 'paper', key: 'id' },
  { table: 'paper_section', key: 'paper_id' },
  { table: 'paper_terms', key: 'rowid' },
  { table: 'paper_vector', key: 'id' },
  { table: 'paper_passages', key: 'id' },
];

/**
 * Adds the papers of a newer starter store, replaces those of an older one, and removes those that are
 * no longer in it. Papers that arXiv has filled or withdrawn, and those with a full text, stay as they
 * are. Yields a transaction per paper.
 */
export function* renewStarterPapers(db: Database, starter: Database): Generator<() => void> {
  const isOurs = `origin = 'starter' AND withdrawn = 0 AND NOT EXISTS (
    SELECT 1 FROM paper_text WHERE paper_id = paper.id AND source IS NOT NULL)`;
  const find = db.prepare<{ sourceId: string }, { id: number; isOurs: 0 | 1 }>(
    `SELECT id, ${isOurs} AS isOurs FROM paper WHERE source_id = @sourceId`,
  );
  const nextId = db.prepare<[], number>('SELECT coalesce(max(id), 0) + 1 FROM paper').pluck();
  const papers = starter
    .prepare<[], { id: number; sourceId: string }>(
      "SELECT id, source_id AS sourceId FROM paper WHERE origin = 'starter'",
    )
    .all();
  for (const { id, sourceId } of papers) {
    const slice = db.transaction(() => {
      const stored = find.get({ sourceId });
      if (stored?.isOurs === 0) return;
      const to = stored?.id ?? nextId.get() ?? 1;
      replaceRows(starter, db, STARTER_TABLES, { from: id, to });
      adoptVectors(db, starter, to);
      indexSections(db, to);
    });
    yield () => slice.immediate();
  }
  const kept = new Set(papers.map(({ sourceId }) => sourceId));
  const remove = db.transaction((id: number) => {
    removeFromIndex(db, paperIndex, id);
    db.prepare('DELETE FROM paper WHERE id = @id').run({ id });
  });
  const ours = db
    .prepare<[], { id: number; sourceId: string }>(
      `SELECT id, source_id AS sourceId FROM paper WHERE ${isOurs}`,
    )
    .all();
  for (const { id } of ours.filter(({ sourceId }) => !kept.has(sourceId))) {
    yield () => remove.immediate(id);
  }
  yield () => dateUndated(db);
}

/** Gives the papers of an earlier build that have no date the month in their id. */
function dateUndated(db: Database): void {
  const undated = db
    .prepare<[], { id: number; sourceId: string }>(
      'SELECT id, source_id AS sourceId FROM paper WHERE published IS NULL',
    )
    .all();
  const update = db.prepare('UPDATE paper SET published = @published WHERE id = @id');
  db.transaction(() => {
    for (const { id, sourceId } of undated) update.run({ id, published: monthOf(sourceId) });
  }).immediate();
}

/**
 * Drops the vectors of a paper that was copied from the starter where the store has another model than
 * that; the next sync makes them. Call it inside the transaction that copied: the
 * model may change.
 */
function adoptVectors(db: Database, starter: Database, id: number): void {
  if (storedModel(starter) === storedModel(db)) return;
  removeVectors(db, paperIndex.name, id);
  db.prepare('UPDATE paper SET digested = 0 WHERE id = @id').run({ id });
  db.prepare('UPDATE paper_section SET embedding = NULL WHERE paper_id = @id').run({ id });
}
