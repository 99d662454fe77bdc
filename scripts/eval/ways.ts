import type { Judged } from './collections.ts';
import { FRAMES } from './wrappings.ts';

/** Ways to ask the same question, for which the verdict should be the same. */
export const WAYS = [
  'plain',
  'in a frame',
  'in lower case',
  'in capitals',
  'with its year',
] as const;
export type Way = (typeof WAYS)[number];

export interface Wording {
  /** Position of the question, which chooses its frame. */
  at: number;
  half: Judged['half'];
  /** When the answer was published. */
  year: string;
}

/** A question asked in one of the ways. */
export function askIn(way: Way, query: string, { at, half, year }: Wording): string {
  switch (way) {
    case 'plain':
      return query;
    case 'in a frame':
      return inFrame(query, at, half);
    case 'in lower case':
      return query.toLowerCase();
    case 'in capitals':
      return query.toUpperCase();
    case 'with its year':
      return `${query.replace(/[?.]$/, '')} ${at % 2 === 0 ? `(${year})` : year}`;
  }
}

/** A question in one of the frames of its half, taken in turn. */
export function inFrame(query: string, at: number, half: Judged['half']): string {
  const frames = FRAMES[half];
  return (frames[at % frames.length] ?? '%').replace('%', () => query);
}
