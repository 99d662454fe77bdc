import type { Database } from 'better-sqlite3';
import { indexSections } from '../ingest.ts';

/** Papers per transaction; a full text takes some milliseconds. */
const SLICE = 5;

/**
 * Indexes the words of the sections that an older version wrote, where they are lacking. Yields a
 * transaction per slice.
 */
export function* indexOlderSections(db: Database): Generator<() => void> {
  const lacks = db
    .prepare<{ id: number }, number>(`
      SELECT EXISTS (
        SELECT 1 FROM paper_section WHERE paper_id = @id AND NOT EXISTS (
          SELECT 1 FROM paper_section_terms WHERE rowid = @id * 4096 + section_order))`)
    .pluck();
  const index = db.transaction((slice: readonly number[]) => {
    for (const id of slice) if (lacks.get({ id }) === 1) indexSections(db, id);
  });
  const ids = db
    .prepare<[], number>('SELECT DISTINCT paper_id FROM paper_section ORDER BY paper_id')
    .pluck()
    .all();
  for (let at = 0; at < ids.length; at += SLICE) {
    yield () => index.immediate(ids.slice(at, at + SLICE));
  }
}
