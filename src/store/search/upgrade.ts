import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from '../vectors.ts';
import { createSearchIndex, type SearchIndex } from './search-index.ts';

/**
 * Stores of the first form kept their vectors in a virtual table of sqlite-vec, an extension that is
 * no longer loaded. Its vectors stand in ordinary tables beside it, from which they are read here.
 */

const VECTOR_BYTES = 4 * DIMENSIONS;

/**
 * Replaces an index of the first form by an empty one of the present form. Returns the vectors it
 * held, by card, or null where the index is of the present form already. The caller puts words and
 * vectors back, in the same transaction.
 */
export function upgradeSearchIndex(
  db: Database,
  index: SearchIndex,
): Map<number, Float32Array> | null {
  const old = `${index.name}_vectors`;
  const isOld = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = @old').get({ old });
  if (isOld === undefined) return null;
  const vectors = readOldVectors(db, old);
  forgetVirtualTable(db, old);
  const parts = db
    .prepare<object, string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, length(@old) + 1) = @old || '_'",
    )
    .pluck()
    .all({ old });
  for (const part of parts) db.exec(`DROP TABLE ${part}`);
  db.exec(`DROP TABLE ${index.name}_words`);
  createSearchIndex(db, index);
  return vectors;
}

function readOldVectors(db: Database, old: string): Map<number, Float32Array> {
  const rows = db
    .prepare<[], { id: number; vector: Buffer }>(`
      SELECT place.rowid AS id,
        substr(chunk.vectors, 1 + place.chunk_offset * ${VECTOR_BYTES}, ${VECTOR_BYTES}) AS vector
      FROM ${old}_rowids place
      JOIN ${old}_vector_chunks00 chunk ON chunk.rowid = place.chunk_id`)
    .all();
  return new Map(
    rows.map(({ id, vector }) => [id, new Float32Array(new Uint8Array(vector).buffer)]),
  );
}

/** DROP TABLE would ask the extension; without it, only the schema can be told. */
function forgetVirtualTable(db: Database, name: string): void {
  db.unsafeMode(true);
  try {
    db.pragma('writable_schema = ON');
    db.prepare('DELETE FROM sqlite_schema WHERE name = @name').run({ name });
    db.pragma('writable_schema = RESET');
  } finally {
    db.unsafeMode(false);
  }
}
