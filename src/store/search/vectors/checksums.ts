import type { Database } from 'better-sqlite3';
import { isDamaged } from '../../../core/checksum.ts';
import { bitsOf, hasBits } from './bits.ts';

interface BlobRow {
  id: number;
  blob: Buffer;
  checksum: number;
}

/** The cards of an index whose embeddings are damaged, or not found by search. Reads all of them. */
export function listDamagedVectors(db: Database, name: string): number[] {
  const damaged = new Set(hasBits(db, name) ? listWrongBits(db, name) : []);
  for (const columns of [
    `vector AS blob, checksum FROM ${name}_vector`,
    `vectors AS blob, checksum FROM ${name}_passages`,
  ]) {
    for (const { id, blob, checksum } of db
      .prepare<[], BlobRow>(`SELECT id, ${columns}`)
      .iterate()) {
      if (isDamaged(checksum, blob)) damaged.add(id);
    }
  }
  return [...damaged];
}

/** Cards whose signs are not those of their vector. */
function listWrongBits(db: Database, name: string): number[] {
  return db
    .prepare<[], number>(`
      SELECT card.id
      FROM ${name}_vector AS card LEFT JOIN ${name}_bits AS found ON found.rowid = card.id
      WHERE found.bits IS NOT ${bitsOf('card.vector')}`)
    .pluck()
    .all();
}
