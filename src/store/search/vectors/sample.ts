import type { Database } from 'better-sqlite3';
import { cosineDistance, hammingDistance, queryParams } from './distances.ts';

/** Cards in a sample. */
const SIZE = 256;
/** Up to this size, the sample is the whole index. */
const SMALL = 2_048;

/** Distances from a query to cards sampled evenly from an index. */
export interface Sample {
  /** Hamming distances, ascending. */
  distances: number[];
  /** Share of the cards with vectors that are in the sample, 0..1. */
  share: number;
  /** Mean cosine of the query with all cards. */
  backgroundCosine: number;
}

/** Compares a unit vector with a sample of an index of `cards` cards. */
export function readSample(db: Database, name: string, query: Float32Array, cards: number): Sample {
  const isSmall = cards <= SMALL;
  const rows = db
    .prepare<object, [distance: number, cosine: number]>(`
      SELECT ${hammingDistance('card.signs')}, 1 - ${cosineDistance('card.vector')}
      FROM ${isSmall ? `${name}_vector AS card` : evenly(name)}`)
    .raw()
    .all({
      ...queryParams(query),
      ...(isSmall ? {} : { probes: JSON.stringify(probeIds(db, name)) }),
    });
  return {
    distances: rows.map(([distance]) => distance).sort((a, b) => a - b),
    share: isSmall ? 1 : rows.length / cards,
    backgroundCosine: rows.reduce((sum, [, cosine]) => sum + cosine, 0) / Math.max(1, rows.length),
  };
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
