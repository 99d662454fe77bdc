import type { Database } from 'better-sqlite3';
import { indexText, indexVectors } from '../../src/store/search/index.ts';
import { readTotals } from '../../src/store/search/lexical/terms.ts';
import { unpackInt8 } from '../../src/store/search/vectors/int8.ts';
import { findNearest } from '../../src/store/search/vectors/nearest.ts';
import { readSample } from '../../src/store/search/vectors/sample.ts';
import { pick, seeded } from '../bench/search/random.ts';
import type { Collection, Judged } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { mean } from './measures.ts';
import { row } from './report.ts';

/** Length of the noise in a mixed vector. */
const NOISE = 0.35;
const SEED = 20_260_501;
/** As deep as hybrid search goes. */
const DEPTH = 60;
const CANDIDATES = [100, 200, 500, 1_000, 2_000];

interface RealCard {
  title: string[];
  abstract: string[];
  vector: Float32Array;
  passages: Float32Array[];
}

/**
 * Fills a collection of papers up to `size` cards with mixes of two of its cards: words of both, and
 * the weighted mean of their vectors with noise.
 */
export function addMixedCards({ db, index }: Collection, size: number): void {
  const real = readCards(db);
  const last =
    db.prepare<[], number>(`SELECT max(id) FROM ${index.name}_vector`).pluck().get() ?? 0;
  db.transaction(() => {
    for (let number = 1; number <= size - real.length; number += 1) {
      const random = seeded(SEED + number);
      const [a, b] = [pick(real, random), pick(real, random)];
      const share = 0.5 + random() / 2;
      const id = last + number;
      const words = (from: readonly string[], other: readonly string[]) =>
        from.map(() => pick(random() < share ? from : other, random)).join(' ');
      indexText(db, index, id, {
        title: words(a.title, b.title),
        abstract: words(a.abstract, b.abstract),
      });
      const mix = (one: Float32Array, other: Float32Array) => mixVectors(one, other, share, random);
      indexVectors(db, index, [
        {
          id,
          vector: mix(a.vector, b.vector),
          passages: a.passages.map((passage) => mix(passage, pick(b.passages, random))),
        },
      ]);
    }
  })();
}

/** Recall of the exact nearest cards by number of candidates compared. */
export async function recallTable(
  { name, db, index, judged }: Collection,
  half: Judged['half'],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const questions = judged.filter((question) => question.half === half);
  const vectors = await embedder.embed(questions.map(({ query }) => query));
  const { cards } = readTotals(db, index);
  const nearest = (vector: Float32Array, candidates: number) =>
    findNearest(db, index.name, vector, {
      limit: DEPTH,
      candidates,
      sample: readSample(db, index.name, vector, cards),
    });
  const exact = vectors.map((vector) => nearest(vector, Number.MAX_SAFE_INTEGER));
  const rows = CANDIDATES.map((candidates) => {
    const found = vectors.map((vector) => nearest(vector, candidates));
    const recallAt = (cut: number) =>
      mean(
        exact.map((ids, at) => {
          const ours = new Set(found[at]?.slice(0, cut));
          return ids.slice(0, cut).filter((id) => ours.has(id)).length / cut;
        }),
      ).toFixed(3);
    return row(`${candidates} compared`, [recallAt(10), recallAt(DEPTH)]);
  });
  return [row(`nearest, ${name}, ${half}`, ['recall@10', `recall@${DEPTH}`]), ...rows];
}

function readCards(db: Database): RealCard[] {
  return db
    .prepare<[], { title: string; abstract: string; vector: Buffer; passages: Buffer }>(`
      SELECT title, abstract, vector, vectors AS passages
      FROM paper JOIN paper_vector USING (id) JOIN paper_passages USING (id)`)
    .all()
    .map(({ title, abstract, vector, passages }) => ({
      title: title.split(/\s+/),
      abstract: abstract.split(/\s+/),
      vector: unpackInt8(vector)[0] ?? new Float32Array(),
      passages: unpackInt8(passages),
    }));
}

function mixVectors(
  one: Float32Array,
  other: Float32Array,
  share: number,
  random: () => number,
): Float32Array {
  const scale = (NOISE * Math.sqrt(12)) / Math.sqrt(one.length);
  const mix = one.map(
    (value, at) => share * value + (1 - share) * (other[at] ?? 0) + scale * (random() - 0.5),
  );
  const length = Math.hypot(...mix);
  return mix.map((value) => value / length);
}
