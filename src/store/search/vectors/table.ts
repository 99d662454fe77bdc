import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from '../../vectors.ts';
import { quantise } from './int8.ts';

export function createVectorTable(db: Database, name: string): void {
  // A search scans the signs alone, so it reads them from an index that holds nothing else.
  db.exec(`
    CREATE TABLE ${name}_vector (
      id INTEGER PRIMARY KEY,
      signs BLOB NOT NULL,     -- one bit per component
      vector BLOB NOT NULL,    -- int8
      passages BLOB NOT NULL   -- int8, one after the other
    ) STRICT;
    CREATE INDEX ${name}_vector_signs ON ${name}_vector (id, signs)`);
}

/** Puts or replaces the embeddings of a card; throws when one is not a unit vector. */
export function writeVectors(
  db: Database,
  name: string,
  id: number,
  vector: Float32Array,
  passages: readonly Float32Array[],
): void {
  db.prepare(`
    INSERT INTO ${name}_vector (id, signs, vector, passages)
    VALUES (@id, @signs, @vector, @passages)
    ON CONFLICT (id) DO UPDATE SET
      signs = excluded.signs, vector = excluded.vector, passages = excluded.passages`).run({
    id,
    signs: signsOf(vector),
    vector: quantise([vector]),
    passages: quantise(passages),
  });
}

export function removeVectors(db: Database, name: string, id: number): void {
  db.prepare(`DELETE FROM ${name}_vector WHERE id = @id`).run({ id });
}

/** A bit per component, set where it is positive. */
export function signsOf(vector: Float32Array): Buffer {
  const signs = Buffer.alloc(DIMENSIONS / 8);
  for (const [at, value] of vector.entries()) {
    if (value > 0) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return signs;
}
