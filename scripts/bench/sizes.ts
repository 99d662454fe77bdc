import { operations } from '../../src/operations.ts';

/** How much each part of the benchmark measures. */
export interface Sizes {
  /** Processes per start-up figure. */
  starts: number;
  /** Operations that are called, and warm calls of each. */
  operations: number;
  calls: number;
  /** Processes whose memory is watched. */
  lives: number;
  /** Stored events, and events of one pull. */
  events: number;
  pulled: number;
  /** Records on a page of arXiv's, bytes of a paper's page, and rounds of each. */
  records: number;
  pageBytes: number;
  rounds: number;
  /** Abstracts to embed. */
  abstracts: number;
  /** Papers of a whole `sync papers`. */
  cards: number;
  search: SearchSizes;
}

export interface SearchSizes {
  /** Papers on the shelf that `paper_search` searches. */
  papers: number;
  /** Cards of the bare index, smallest first. */
  cards: readonly number[];
  /** Queries of each kind. */
  queries: number;
}

/** What the targets are about. */
export const FULL: Sizes = {
  starts: 21,
  operations: operations.length,
  calls: 200,
  lives: 3,
  events: 20_000,
  pulled: 5_000,
  records: 2_500,
  pageBytes: 1_000_000,
  rounds: 7,
  abstracts: 64,
  cards: 200,
  search: { papers: 30_000, cards: [1_000, 30_000], queries: 100 },
};

/** Shows only that everything runs. */
export const LEAST: Sizes = {
  starts: 1,
  operations: 1,
  calls: 1,
  lives: 1,
  events: 20,
  pulled: 20,
  records: 10,
  pageBytes: 10_000,
  rounds: 1,
  abstracts: 2,
  cards: 1,
  search: { papers: 50, cards: [60], queries: 2 },
};
