import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { renewBits } from './bits.ts';
import { quantise } from './int8.ts';

export function createVectorTable(db: Database, name: string): void {
  // Stored separately: a search reads a few hundred vectors, but the passages of about a hundred cards.
  db.exec(`
    CREATE TABLE ${name}_vector (
      id INTEGER PRIMARY KEY,
      vector BLOB NOT NULL,    -- int8
      checksum INTEGER NOT NULL
    ) STRICT;
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
  const [packed, vectors] = [quantise([vector]), quantise(passages)];
  db.prepare(`
    INSERT INTO ${name}_vector (id, vector, checksum) VALUES (@id, @vector, @checksum)
    ON CONFLICT (id) DO UPDATE SET
      vector = excluded.vector, checksum = excluded.checksum`).run({
    id,
    vector: packed,
    checksum: crc32(packed),
  });
  db.prepare(`
    INSERT INTO ${name}_passages (id, vectors, checksum) VALUES (@id, @vectors, @checksum)
    ON CONFLICT (id) DO UPDATE SET
      vectors = excluded.vectors, checksum = excluded.checksum`).run({
    id,
    vectors,
    checksum: crc32(vectors),
  });
  renewBits(db, name, id);
}

export function removeVectors(db: Database, name: string, id: number): void {
  db.prepare(`DELETE FROM ${name}_vector WHERE id = @id`).run({ id });
  db.prepare(`DELETE FROM ${name}_passages WHERE id = @id`).run({ id });
  renewBits(db, name, id);
}
