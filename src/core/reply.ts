/** How much a reply may hold where it can return fewer things. */
export interface ReplySize {
  /** Most characters of a list as JSON. */
  list: number;
  /** Most characters of a paper with its sections; one that was asked for by its key comes whole. */
  paper: number;
  /** Most characters of one event that is read. */
  event: number;
  /** Most observations of a history; a longer one is thinned. */
  observations: number;
  /** Fewest markets of an event in a list, as far as it has so many: the others give way to more events. */
  markets: number;
}

/** Characters that are kept free for what a list's `meta` says in most replies. */
const META = 1_500;

/**
 * What a language model reads: hosts cut replies of 20,000 characters and more (Copilot CLI, qwen-code).
 * The figures of the specification are 19,500, and 47,000 for an event.
 */
export const MODEL_REPLY: ReplySize = {
  list: 19_500 - META,
  paper: 19_500 - META,
  event: 47_000 - META,
  observations: 500,
  markets: 2,
};

/** Replies for programs: whole, lists in pages of 90,000 characters. */
export const WHOLE_REPLY: ReplySize = {
  list: 90_000 - META,
  paper: Number.POSITIVE_INFINITY,
  event: 90_000 - META,
  observations: Number.POSITIVE_INFINITY,
  markets: Number.POSITIVE_INFINITY,
};
