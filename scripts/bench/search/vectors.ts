import { DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';
import { pick, seeded } from './random.ts';

/** An infinite, deterministic series of unit vectors. */
export type VectorSeries = (index: number) => Float32Array;

/** Length of the noise, relative to the mix of length about 1. */
const NOISE = 0.35;
const NOISE_TABLE = 1 << 16;

/**
 * Real embeddings in order, followed by mixes of two real ones with noise. Unlike random directions,
 * their cosines with a query are distributed like those of real texts.
 */
export function vectorSeries(real: readonly Float32Array[], seed: number): VectorSeries {
  const noise = normals(NOISE_TABLE, seed).map((value) => (value * NOISE) / Math.sqrt(DIMENSIONS));
  return (index) => {
    const known = real[index];
    if (known !== undefined) return known;
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

/** Normally distributed numbers, by the Box–Muller transform. */
function normals(count: number, seed: number): Float32Array {
  const random = seeded(seed);
  return Float32Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

/** Queries per group, summed in parallel to avoid stalls between dependent additions. */
const GROUP_SIZE = 4;

/** An exact float64 scan for the nearest vectors of a series to several queries. */
export class ExactScan {
  /** Components of `GROUP_SIZE` queries, interleaved. */
  readonly #groups: readonly Float64Array[];
  readonly #depth: number;
  readonly #best: { id: number; cosine: number }[][];

  constructor(queries: readonly Float32Array[], depth: number) {
    this.#groups = Array.from({ length: Math.ceil(queries.length / GROUP_SIZE) }, (_, group) =>
      Float64Array.from(
        { length: GROUP_SIZE * DIMENSIONS },
        (_, at) =>
          queries[group * GROUP_SIZE + (at % GROUP_SIZE)]?.[Math.floor(at / GROUP_SIZE)] ?? 0,
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
        const from = at * GROUP_SIZE;
        a += (queries[from] ?? 0) * component;
        b += (queries[from + 1] ?? 0) * component;
        c += (queries[from + 2] ?? 0) * component;
        d += (queries[from + 3] ?? 0) * component;
      }
      for (const [at, cosine] of [a, b, c, d].entries()) {
        this.#keep(this.#best[group * GROUP_SIZE + at] ?? [], id, cosine);
      }
    }
  }

  #keep(best: { id: number; cosine: number }[], id: number, cosine: number): void {
    if (best.length === this.#depth && cosine <= (best.at(-1)?.cosine ?? -1)) return;
    best.push({ id, cosine });
    best.sort((a, b) => b.cosine - a.cosine || a.id - b.id);
    best.length = Math.min(best.length, this.#depth);
  }

  /** Ids of the nearest vectors so far for each query, nearest first. */
  nearest(): number[][] {
    return this.#best.map((best) => best.map(({ id }) => id));
  }
}

/** The share of the exact nearest that was found, over all queries. */
export function recallOf(found: readonly number[][], exact: readonly number[][]): number {
  let [hits, asked] = [0, 0];
  for (const [index, ids] of exact.entries()) {
    const ours = new Set(found[index]?.slice(0, ids.length));
    hits += ids.filter((id) => ours.has(id)).length;
    asked += ids.length;
  }
  return hits / asked;
}
