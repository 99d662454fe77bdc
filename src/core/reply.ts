/** Limits on a reply that can be shortened. */
export interface ReplySize {
  /** Maximum number of characters in a list, as JSON. */
  list: number;
  /** The same for a paper with its sections; a single section requested by key may exceed it. */
  paper: number;
  /** The same for a single event. */
  event: number;
  /** Maximum number of observations in a history; a longer one is thinned. */
  observations: number;
  /** Markets that each event in a list keeps; the others give way to more events. */
  markets: number;
  /** Markets of a single event that keep their daily odds. */
  histories: number;
}

/** Characters reserved for `meta`, enough for most replies. */
const META = 1_500;

/**
 * For a language model: hosts cut replies of 20,000 characters and more (Copilot CLI, qwen-code). A
 * read of one event may take 47,000.
 */
export const MODEL_REPLY: ReplySize = {
  list: 19_500 - META,
  paper: 19_500 - META,
  event: 47_000 - META,
  observations: 500,
  markets: 2,
  histories: 6,
};

/** For programs: whole replies, lists in pages of 90,000 characters. */
export const WHOLE_REPLY: ReplySize = {
  list: 90_000 - META,
  paper: Number.POSITIVE_INFINITY,
  event: 90_000 - META,
  observations: Number.POSITIVE_INFINITY,
  markets: Number.POSITIVE_INFINITY,
  histories: Number.POSITIVE_INFINITY,
};
