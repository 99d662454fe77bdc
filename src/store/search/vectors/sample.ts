import type { Database } from 'better-sqlite3';
import { recall } from '../../memo.ts';
import { cosineOf, DIMENSIONS } from './float32.ts';
import { componentsOf } from './int8.ts';

/** Cards in a sample. */
const SIZE = 256;
/** Up to this size, the sample is the whole index. */
const SMALL = 2_048;
/** Words of 32 bits for the signs of one vector. */
const WORDS = DIMENSIONS / 32;

/** Distances from a query to cards sampled evenly from an index. */
export interface Sample {
  /** Hamming distances, ascending. */
  distances: number[];
  /** Share of the cards with vectors that are in the sample, 0..1. */
  share: number;
  /** Mean cosine of the query with all cards. */
  backgroundCosine: number;
}

/** The cards of a sample, at most `SMALL` of them: 48 bytes each. */
class SampledCards {
  /** Share of the index's cards, 0..1. */
  readonly share: number;
  readonly #signs: Int32Array;
  readonly #meanVector: Float32Array;

  /** Takes components as int8: after each write the sample is read again, so this must not take long. */
  constructor(share: number, vectors: readonly Int8Array[]) {
    this.share = share;
    this.#signs = new Int32Array(vectors.length * WORDS);
    for (const [index, vector] of vectors.entries()) {
      this.#signs.set(signsOf(vector), index * WORDS);
    }
    this.#meanVector = meanOf(vectors);
  }

  /** Hamming distances of a unit vector, in the order of the cards. */
  distancesTo(query: Float32Array): number[] {
    const signs = signsOf(query);
    const distances: number[] = [];
    for (let start = 0; start < this.#signs.length; start += WORDS) {
      let distance = 0;
      for (let at = 0; at < WORDS; at += 1) {
        distance += countBits((this.#signs[start + at] ?? 0) ^ (signs[at] ?? 0));
      }
      distances.push(distance);
    }
    return distances;
  }

  /** The mean cosine of a unit vector with the cards: that with their mean. */
  meanCosineWith(query: Float32Array): number {
    return cosineOf(this.#meanVector, query);
  }
}

/** Compares a unit vector with a sample of an index of `cards` cards. */
export function readSample(db: Database, name: string, query: Float32Array, cards: number): Sample {
  const sampled = recall(db, `sample of ${name}`, {
    type: SampledCards,
    compute: () => readCards(db, name, cards),
  });
  return {
    distances: sampled.distancesTo(query).sort((a, b) => a - b),
    share: sampled.share,
    backgroundCosine: sampled.meanCosineWith(query),
  };
}

function readCards(db: Database, name: string, cards: number): SampledCards {
  const isSmall = cards <= SMALL;
  const packed = db
    .prepare<object, Buffer>(
      `SELECT card.vector FROM ${isSmall ? `${name}_vector AS card` : evenly(name)}`,
    )
    .pluck()
    .all(isSmall ? {} : { probes: JSON.stringify(probeIds(db, name)) });
  return new SampledCards(isSmall ? 1 : packed.length / cards, packed.map(componentsOf));
}

/** The first card at or after each probe. */
function evenly(name: string): string {
  return `
    json_each(@probes) AS probe
    CROSS JOIN ${name}_vector AS card ON card.id = (
      SELECT id FROM ${name}_vector WHERE id >= probe.value ORDER BY id LIMIT 1)`;
}

/** Ids at even distances between the smallest and the largest. */
function probeIds(db: Database, name: string): number[] {
  const range = db
    .prepare<[], { first: number; last: number }>(`
      SELECT -- In two queries each is a look-up in the tree; in one they would scan it.
        (SELECT min(id) FROM ${name}_vector) AS first,
        (SELECT max(id) FROM ${name}_vector) AS last`)
    .get();
  const { first, last } = range ?? { first: 0, last: 0 };
  const step = (last - first) / SIZE;
  return Array.from({ length: SIZE }, (_, index) => Math.floor(first + index * step));
}

/** The mean of vectors after each is brought to unit length. */
function meanOf(vectors: readonly Int8Array[]): Float32Array {
  const mean = new Float32Array(DIMENSIONS);
  for (const vector of vectors) {
    let squares = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) squares += (vector[at] ?? 0) ** 2;
    if (squares === 0) continue;
    const weight = 1 / (Math.sqrt(squares) * vectors.length);
    for (let at = 0; at < DIMENSIONS; at += 1) {
      mean[at] = (mean[at] ?? 0) + weight * (vector[at] ?? 0);
    }
  }
  return mean;
}

/** The signs of a vector, 32 in a word: a bit is set where the component is positive. */
function signsOf(vector: Float32Array | Int8Array): Int32Array {
  const words = new Int32Array(WORDS);
  for (let at = 0; at < DIMENSIONS; at += 1) {
    if ((vector[at] ?? 0) > 0) words[at >> 5] = (words[at >> 5] ?? 0) | (1 << (at & 31));
  }
  return words;
}

/** How many bits of a word of 32 are set. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
