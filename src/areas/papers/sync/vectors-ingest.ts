import type { Database } from 'better-sqlite3';
import { indexVectors } from '../../../search/profile.ts';
import { listDamagedVectors, removeVectors } from '../../../search/vectors.ts';
import { storeSectionEmbedding } from '../ingest.ts';
import { paperIndex } from '../tables.ts';

/** Drops the vectors of cards that cannot be read, so that the next digest makes them again. */
export function dropDamagedVectors(db: Database): void {
  const undigest = db.prepare('UPDATE paper SET digested = 0 WHERE id = @id');
  const drop = db.transaction((id: number) => {
    removeVectors(db, paperIndex.name, id);
    undigest.run({ id });
  });
  for (const id of listDamagedVectors(db, paperIndex.name)) drop.immediate(id);
}

/** Vectors of what we wrote about a paper, by section. */
export interface OwnVectors {
  id: number;
  /** Of the card; null where it is not ours. */
  card: Float32Array | null;
  sections: readonly { key: string; vector: Float32Array }[];
}

/** Stores the vectors of our digests and notes, in one transaction. */
export function storeOwnVectors(db: Database, papers: readonly OwnVectors[]): void {
  const digested = db.prepare('UPDATE paper SET digested = 1 WHERE id = @id');
  db.transaction(() => {
    for (const { id, card, sections } of papers) {
      for (const { key, vector } of sections) storeSectionEmbedding(db, id, key, [vector]);
      if (card === null) continue;
      const passages = sections.map(({ vector }) => vector);
      indexVectors(db, paperIndex, [{ id, vector: card, passages }]);
      digested.run({ id });
    }
  }).immediate();
}
