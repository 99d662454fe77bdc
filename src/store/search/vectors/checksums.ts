import type { Database } from 'better-sqlite3';
import { checksumOf, isDamaged } from '../../../core/checksum.ts';

interface VectorRow {
  id: number;
  signs: Buffer;
  vector: Buffer;
  checksum: number | null;
}

interface PassagesRow {
  id: number;
  vectors: Buffer;
  checksum: number | null;
}

/** Rows per transaction. */
const SLICE = 500;

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

/** Seals the embeddings of a store that an older version wrote. Yields a transaction per slice. */
export function* sealVectors(db: Database, name: string): Generator<() => void> {
  const ids = db.prepare<[], number>(`SELECT id FROM ${name}_vector ORDER BY id`).pluck().all();
  const range = 'checksum IS NULL AND id BETWEEN @first AND @last';
  const cards = db.prepare<object, VectorRow>(
    `SELECT id, signs, vector, checksum FROM ${name}_vector WHERE ${range}`,
  );
  const passages = db.prepare<object, PassagesRow>(
    `SELECT id, vectors, checksum FROM ${name}_passages WHERE ${range}`,
  );
  const sealCard = db.prepare(`UPDATE ${name}_vector SET checksum = @checksum WHERE id = @id`);
  const sealPassages = db.prepare(
    `UPDATE ${name}_passages SET checksum = @checksum WHERE id = @id`,
  );
  const seal = db.transaction((first: number, last: number) => {
    for (const { id, signs, vector } of cards.all({ first, last })) {
      sealCard.run({ id, checksum: checksumOf(signs, vector) });
    }
    for (const { id, vectors } of passages.all({ first, last })) {
      sealPassages.run({ id, checksum: checksumOf(vectors) });
    }
  });
  for (let at = 0; at < ids.length; at += SLICE) {
    const slice = ids.slice(at, at + SLICE);
    yield () => seal.immediate(slice[0] ?? 0, slice.at(-1) ?? 0);
  }
}
