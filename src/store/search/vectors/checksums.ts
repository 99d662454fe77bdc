import type { Database } from 'better-sqlite3';
import { isDamaged } from '../../../core/checksum.ts';

interface VectorRow {
  id: number;
  signs: Buffer;
  vector: Buffer;
  checksum: number;
}

interface PassagesRow {
  id: number;
  vectors: Buffer;
  checksum: number;
}

/** The cards of an index whose embeddings are damaged. Reads all of them. */
export function listDamagedVectors(db: Database, name: string): number[] {
  const damaged = new Set<number>();
  const cards = db.prepare<[], VectorRow>(`SELECT id, signs, vector, checksum FROM ${name}_vector`);
  for (const { id, signs, vector, checksum } of cards.iterate()) {
    if (isDamaged(checksum, signs, vector)) damaged.add(id);
  }
  const passages = db.prepare<[], PassagesRow>(
    `SELECT id, vectors, checksum FROM ${name}_passages`,
  );
  for (const { id, vectors, checksum } of passages.iterate()) {
    if (isDamaged(checksum, vectors)) damaged.add(id);
  }
  return [...damaged];
}
