import { DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';
import { pick, seeded } from './random.ts';

/** An endless series of unit vectors, each the same whenever it is asked for. */
export type VectorSeries = (index: number) => Float32Array;

/** Length of the noise beside the mix of length about 1. */
const NOISE = 0.35;
const NOISE_TABLE = 1 << 16;

/**
 * Real embeddings in their order and, beyond them, mixes of two real ones with noise: their cosines
 * with a query spread like those of real texts, which random directions would not.
 */
export function vectorSeries(real: readonly Float32Array[], seed: number): VectorSeries {
  const noise = normals(NOISE_TABLE, seed).map((value) => (value * NOISE) / Math.sqrt(DIMENSIONS));
  return (index) => {
    const held = real[index];
    if (held !== undefined) return held;
    const random = seeded(seed + index);
    const [a, b] = [pick(real, random), pick(real, random)];
    const share = 0.5 + random() / 2;
    const start = Math.floor(random() * (NOISE_TABLE - DIMENSIONS));
    const mix = new Float32Array(DIMENSIONS);
    let squares = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) {
      const value = share * (a[at] ?? 0) + (1 - share) * (b[at] ?? 0) + (noise[start + at] ?? 0);
      mix[at] = value;
      squares += value * value;
    }
    const scale = 1 / Math.sqrt(squares);
    for (let at = 0; at < DIMENSIONS; at += 1) mix[at] = (mix[at] ?? 0) * scale;
    return mix;
  };
}

/** Normally distributed numbers, by the method of Box and Muller. */
function normals(count: number, seed: number): Float32Array {
  const random = seeded(seed);
  return Float32Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

/** Queries whose sums run side by side: one sum alone would wait for itself. */
const ABREAST = 4;

/** The nearest of a series to several queries at once, scanned in float64. */
export class ExactScan {
  /** Components of `ABREAST` queries by turns. */
  readonly #groups: readonly Float64Array[];
  readonly #depth: number;
  readonly #best: { id: number; cosine: number }[][];

  constructor(queries: readonly Float32Array[], depth: number) {
    this.#groups = Array.from({ length: Math.ceil(queries.length / ABREAST) }, (_, group) =>
      Float64Array.from(
        { length: ABREAST * DIMENSIONS },
        (_, at) => queries[group * ABREAST + (at % ABREAST)]?.[Math.floor(at / ABREAST)] ?? 0,
      ),
    );
    this.#depth = depth;
    this.#best = queries.map(() => []);
  }

  add(id: number, vector: Float32Array): void {
    for (const [group, queries] of this.#groups.entries()) {
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let at = 0; at < DIMENSIONS; at += 1) {
        const component = vector[at] ?? 0;
        const from = at * ABREAST;
        a += (queries[from] ?? 0) * component;
        b += (queries[from + 1] ?? 0) * component;
        c += (queries[from + 2] ?? 0) * component;
        d += (queries[from + 3] ?? 0) * component;
      }
      for (const [at, cosine] of [a, b, c, d].entries()) {
        this.#keep(this.#best[group * ABREAST + at] ?? [], id, cosine);
      }
    }
  }

  #keep(best: { id: number; cosine: number }[], id: number, cosine: number): void {
    if (best.length === this.#depth && cosine <= (best.at(-1)?.cosine ?? -1)) return;
    best.push({ id, cosine });
    best.sort((a, b) => b.cosine - a.cosine || a.id - b.id);
    best.length = Math.min(best.length, this.#depth);
  }

  /** Ids of the nearest for each query so far, nearest first. */
  nearest(): number[][] {
    return this.#best.map((best) => best.map(({ id }) => id));
  }
}

/** The share of the exact nearest that were found, over all queries. */
export function recallOf(found: readonly number[][], exact: readonly number[][]): number {
  let [hits, asked] = [0, 0];
  for (const [index, ids] of exact.entries()) {
    const held = new Set(found[index]?.slice(0, ids.length));
    hits += ids.filter((id) => held.has(id)).length;
    asked += ids.length;
  }
  return hits / asked;
}
