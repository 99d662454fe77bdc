/** Measures of a ranking against graded judgements, with confidence intervals. */

/** Grade of each relevant card: 1 is relevant, 2 answers the query. Other cards are not relevant. */
export type Grades = ReadonlyMap<number, number>;

/** Ranks that count. */
const CUT = 10;
const RESAMPLES = 2_000;

export interface Measures {
  ndcg: number;
  recall: number;
  mrr: number;
}

/** nDCG@10 with gains 2^grade - 1, recall@10, and the reciprocal rank of the first relevant card. */
export function measure(ranked: readonly number[], grades: Grades): Measures {
  const top = ranked.slice(0, CUT);
  const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2);
  const found = top.reduce((sum, id, place) => sum + gain(grades.get(id) ?? 0, place), 0);
  const ideal = [...grades.values()]
    .sort((a, b) => b - a)
    .slice(0, CUT)
    .reduce((sum, grade, place) => sum + gain(grade, place), 0);
  const first = top.findIndex((id) => grades.has(id));
  return {
    ndcg: ideal === 0 ? 0 : found / ideal,
    recall: top.filter((id) => grades.has(id)).length / Math.max(1, grades.size),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The 95 % bootstrap interval of the mean; deterministic. */
export function interval(values: readonly number[]): [low: number, high: number] {
  const random = seeded(values.length);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw += 1) {
      sum += values[Math.floor(random() * values.length)] ?? 0;
    }
    return sum / Math.max(1, values.length);
  }).sort((a, b) => a - b);
  return [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.ceil(0.975 * RESAMPLES) - 1] ?? 0];
}

/** Pseudo-random numbers in 0..1 from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed + 0x6d2b79f5;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
