import type { Database } from 'better-sqlite3';
import { assertStillModel } from '../../../store/embedding-model.ts';
import { indexVectors } from '../../../store/search/index.ts';
import { removeVectors } from '../../../store/search/vectors/table.ts';
import { storeSectionEmbedding } from '../ingest.ts';
import { paperIndex } from '../tables.ts';

/** Papers per transaction. */
const SLICE = 200;

/**
 * Drops all vectors of papers and their texts, so that they are computed again. Yields a transaction
 * per slice.
 */
export function* dropPaperVectors(db: Database): Generator<() => void> {
  const within = 'BETWEEN @first AND @last';
  const statements = [
    `UPDATE paper SET digested = 0 WHERE id ${within} AND withdrawn = 0`,
    `UPDATE paper_section SET embedding = NULL, embedding_checksum = NULL
      WHERE paper_id ${within} AND embedding IS NOT NULL`,
    `UPDATE paper_text SET embedded = 0 WHERE paper_id ${within}`,
  ].map((sql) => db.prepare<{ first: number; last: number }>(sql));
  const embedded = db
    .prepare<{ first: number; last: number }, number>(
      `SELECT id FROM ${paperIndex.name}_vector WHERE id ${within}`,
    )
    .pluck();
  const drop = db.transaction((first: number, last: number) => {
    for (const id of embedded.all({ first, last })) removeVectors(db, paperIndex.name, id);
    for (const statement of statements) statement.run({ first, last });
  });
  const last = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM paper').pluck().get() ?? 0;
  for (let first = 1; first <= last; first += SLICE) {
    yield () => drop.immediate(first, first + SLICE - 1);
  }
}

/** Vectors of what we wrote about a paper, by section. */
export interface OwnVectors {
  id: number;
  /** Of the card; null where it is not ours. */
  card: Float32Array | null;
  sections: readonly { key: string; vector: Float32Array }[];
}

/**
 * Stores the vectors of our digests and notes, in one transaction. Throws when the store's model is no
 * longer `model`, as recorded before they were computed.
 */
export function storeOwnVectors(
  db: Database,
  papers: readonly OwnVectors[],
  model: string | undefined,
): void {
  const digested = db.prepare('UPDATE paper SET digested = 1 WHERE id = @id');
  db.transaction(() => {
    assertStillModel(db, model);
    for (const { id, card, sections } of papers) {
      for (const { key, vector } of sections) storeSectionEmbedding(db, id, key, [vector]);
      if (card === null) continue;
      const passages = sections.map(({ vector }) => vector);
      indexVectors(db, paperIndex, [{ id, vector: card, passages }]);
      digested.run({ id });
    }
  }).immediate();
}
