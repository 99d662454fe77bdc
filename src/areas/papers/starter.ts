import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../search/profile.ts';
import { removeVectors } from '../../search/vectors.ts';
import { type OwnedTable, replaceRows } from '../../store/copy.ts';
import { storedModel } from '../../store/state.ts';
import { setAside, settleOwn } from './ingest.ts';
import { nextId } from './own-hidden.ts';
import { indexSections } from './stored-text.ts';
import { paperIndex } from './tables.ts';
import { setDigestDue } from './vector-queue.ts';

const STARTER_TABLES: readonly OwnedTable[] = [
  { table: 'paper', key: 'id' },
  { table: 'paper_section', key: 'paper_id' },
  { table: 'paper_terms', key: 'rowid' },
  { table: 'paper_vector', key: 'id' },
  { table: 'paper_passages', key: 'id' },
];

interface StarterRow {
  id: number;
  sourceId: string;
}

/**
 * Adds, replaces and removes starter papers so that they match those of `starter`. Papers that
 * arXiv has since updated or withdrawn, or whose full text was fetched, stay as they are, as do the
 * user's own files. Yields a function per paper, to be run inside a transaction.
 */
export function* renewStarterPapers(db: Database, starter: Database): Generator<() => void> {
  const isOurs = `origin = 'starter' AND withdrawn = 0 AND NOT EXISTS (
    SELECT 1 FROM paper_text WHERE paper_id = paper.id AND source IS NOT NULL)`;
  const find = db.prepare<{ sourceId: string }, { id: number; isOurs: 0 | 1 }>(`
    SELECT id, ${isOurs} AS isOurs FROM paper WHERE source_id = @sourceId`);
  const list = "SELECT id, source_id AS sourceId FROM paper WHERE origin = 'starter'";
  const papers = starter.prepare<[], StarterRow>(list).all();
  for (const { id, sourceId } of papers) {
    yield () => {
      let stored = find.get({ sourceId });
      if (stored !== undefined && stored.id < 0) {
        setAside(db, stored.id);
        stored = undefined;
      }
      if (stored?.isOurs === 0) return;
      const to = stored?.id ?? nextId(db, false);
      replaceRows(starter, db, STARTER_TABLES, { from: id, to });
      // Vectors from another model cannot be compared with the store's.
      if (storedModel(starter) !== storedModel(db)) {
        removeVectors(db, paperIndex.name, to);
        setDigestDue(db, to);
        db.prepare('UPDATE paper_section SET embedding = NULL WHERE paper_id = @to').run({ to });
      }
      indexSections(db, to);
      settleOwn(db, to);
    };
  }
  const current = new Set(papers.map(({ sourceId }) => sourceId));
  for (const { id, sourceId } of db.prepare<[], StarterRow>(`${list} AND ${isOurs}`).all()) {
    if (current.has(sourceId)) continue;
    yield () => {
      // A sync or a fetched text may have replaced the starter paper since it was listed.
      if (find.get({ sourceId })?.isOurs !== 1) return;
      removeFromIndex(db, paperIndex, id);
      db.prepare('DELETE FROM paper WHERE id = @id').run({ id });
      settleOwn(db, id);
    };
  }
}
