import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from './float32.ts';
import { quantise } from './int8.ts';

export function createVectorTable(db: Database, name: string): void {
  // Stored separately: a search scans all signs, but reads only a few hundred vectors and the
  // passages of about a hundred cards.
  db.exec(`
    CREATE TABLE ${name}_vector (
      id INTEGER PRIMARY KEY,
      signs BLOB NOT NULL,     -- one bit per component
      vector BLOB NOT NULL,    -- int8
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ${name}_vector_signs ON ${name}_vector (id, signs);
    CREATE TABLE ${name}_passages (
      id INTEGER PRIMARY KEY,
      vectors BLOB NOT NULL,   -- int8, one after the other
      checksum INTEGER NOT NULL
    ) STRICT`);
}

/** Inserts or replaces the embeddings of a card; throws when one is not a unit vector. */
export function writeVectors(
  db: Database,
  name: string,
  id: number,
  vector: Float32Array,
  passages: readonly Float32Array[],
): void {
  const [signs, packed, vectors] = [signsOf(vector), quantise([vector]), quantise(passages)];
  db.prepare(`
    INSERT INTO ${name}_vector (id, signs, vector, checksum)
    VALUES (@id, @signs, @vector, @checksum)
    ON CONFLICT (id) DO UPDATE SET
      signs = excluded.signs, vector = excluded.vector, checksum = excluded.checksum`).run({
    id,
    signs,
    vector: packed,
    checksum: crc32(packed, crc32(signs)),
  });
  db.prepare(`
    INSERT INTO ${name}_passages (id, vectors, checksum) VALUES (@id, @vectors, @checksum)
    ON CONFLICT (id) DO UPDATE SET
      vectors = excluded.vectors, checksum = excluded.checksum`).run({
    id,
    vectors,
    checksum: crc32(vectors),
  });
}

export function removeVectors(db: Database, name: string, id: number): void {
  db.prepare(`DELETE FROM ${name}_vector WHERE id = @id`).run({ id });
  db.prepare(`DELETE FROM ${name}_passages WHERE id = @id`).run({ id });
}

/** One bit per component, set if it is positive. */
export function signsOf(vector: Float32Array): Buffer {
  const signs = Buffer.alloc(DIMENSIONS / 8);
  for (const [at, value] of vector.entries()) {
    if (value > 0) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return signs;
}
