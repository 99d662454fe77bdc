/** Size limits for a reply. */
export interface ReplySize {
  /** Maximum length of a list, in characters of JSON. */
  list: number;
  /** Maximum length of a paper with its sections; a single section requested by key may exceed it. */
  paper: number;
  /** Maximum length of a single event. */
  event: number;
  /** Maximum number of observations in a history; a longer one is thinned. */
  observations: number;
  /** Number of markets per event in a list; more if there is room. */
  markets: number;
  /** Maximum number of markets with daily odds in a single event. */
  histories: number;
}

/** Characters reserved for `meta`, enough for most replies. */
const META = 1_500;

/**
 * For a language model: some hosts cut replies of 20,000 characters or more (Copilot CLI, qwen-code). A
 * single event may be longer.
 */
export const MODEL_REPLY: ReplySize = {
  list: 19_500 - META,
  paper: 19_500 - META,
  event: 47_000 - META,
  observations: 500,
  markets: 2,
  histories: 6,
};

/** For programs: whole replies, but at most 90,000 characters for a list or an event. */
export const WHOLE_REPLY: ReplySize = {
  list: 90_000 - META,
  paper: Number.POSITIVE_INFINITY,
  event: 90_000 - META,
  observations: Number.POSITIVE_INFINITY,
  markets: Number.POSITIVE_INFINITY,
  histories: Number.POSITIVE_INFINITY,
};
