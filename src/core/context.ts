import type { Area } from './area.ts';
import type { Reader } from './reader.ts';
import type { ReplySize } from './reply.ts';

/** The account a call is billed to. */
export interface Account {
  name: string;
  /** Areas it may use; all if undefined. */
  scopes?: readonly Area[];
  balance(): number;
  /**
   * Deducts the entry's credits and writes the ledger row atomically. Returns the remaining credits, or null,
   * deducting nothing, if the balance is too low. May wait for other writers of the store; aborting `signal`
   * ends the wait with its reason and deducts nothing.
   */
  charge(entry: Charge, signal: AbortSignal): number | null | Promise<number | null>;
}

export interface Charge {
  operation: string;
  credits: number;
  requestId: string;
}

/** An account's call quota in the current rate-limit window. */
export interface Quota {
  limit: number;
  remaining: number;
  /** Seconds until the window ends; at least 1. */
  resetSeconds: number;
  /** True if this call exceeded the limit. */
  isSpent: boolean;
}

/** A query's vector, or a sentence that tells the caller why there is none. */
export type QueryEmbedding = { vector: Float32Array } | { unavailable: string };

/** Everything that a handler may use. */
export interface Context {
  /** A connection that refuses writes. */
  db: Reader;
  now(): Date;
  /** Embeds a query with the model that made the store's vectors, loading the model on first use. */
  embedQuery(text: string): Promise<QueryEmbedding>;
  /** Whether a lower-case word is in the model's vocabulary; false without a model. */
  isWord(word: string): Promise<boolean>;
  /** Adds a paper that is not on the shelf, by its arXiv id. Handles `signal` like `freshenPaper`. */
  addPaper(arxivId: string, report: Context['report'], signal: AbortSignal): Promise<Freshened>;
  /**
   * Fetches a paper's missing facts and full text if the network allows. Without `wait`, resolves at once in a
   * server. Rejects only if `signal` is aborted, with its reason, and then stops a fetch that no other call
   * waits for.
   */
  freshenPaper(
    cardId: string,
    wait: boolean,
    report: Context['report'],
    signal: AbortSignal,
  ): Promise<Freshened>;
  /** Refreshes a macro series if it is due. Handles `signal` like `freshenPaper`. */
  freshenSeries(seriesId: string, signal: AbortSignal): Promise<Freshened>;
  /**
   * Fetches a prediction-market event, given by its store id, from its venue. Resolves to 'off' if the venue is
   * turned off or this is a one-shot process. Handles `signal` like `freshenPaper`.
   */
  freshenEvent(id: number, signal: AbortSignal): Promise<Freshened | 'off'>;
  /**
   * Starts a background refresh of the prediction markets if one is due and none is running. `events` are the
   * store ids of events with old odds. Returns the scope of the refresh that is now running, null if none is, or
   * the reason why this process fetches nothing. Never throws.
   */
  refreshMarkets(events: readonly number[]): 'full' | 'served' | keyof typeof NOT_FETCHED | null;
  policy: ReadingPolicy;
  /** Whether QUANTSHELF_OFFLINE is set, and thus nothing is fetched. */
  isOffline?: boolean;
  replySize: ReplySize;
  /** True on the first call with `topic` in this process, for notices that belong in only one reply. */
  isFirst(topic: string): boolean;
  /** Reports progress to the caller, if the door supports it. */
  report(message: string): void;
  /** Aborted when the caller cancels the call or disconnects; long work should then stop. */
  signal: AbortSignal;
}

/** The shelf as resources, prompts and completions see it: nothing in it fetches, writes or charges. */
export type StoredShelf = Pick<Context, 'db' | 'now' | 'policy' | 'isOffline'> &
  Pick<Account, 'scopes'>;

/**
 * The result of a refresh. 'settled': it has finished, successfully or not. 'pending': it continues in the
 * background. 'timed_out': it is aborted when this one-shot process ends. 'unreachable': no connection to the
 * upstream could be made. 'offline': QUANTSHELF_OFFLINE is set. 'read_only': the data directory is not
 * writable. 'no_key', 'bad_key': the user's API key for the upstream is missing or malformed.
 */
export type Freshened =
  | 'settled'
  | 'pending'
  | 'timed_out'
  | 'unreachable'
  | 'offline'
  | 'read_only'
  | 'no_key'
  | 'bad_key';

/** Begins a remedy that needs the network, which `quantshelf sync` and `quantshelf model` refuse to use offline. */
export const goOnline = (isOffline = false) => (isOffline ? 'unset QUANTSHELF_OFFLINE, then ' : '');

/** Like `goOnline`, for a sentence that says what something does. */
export const onceOnline = (isOffline = false) =>
  isOffline ? 'QUANTSHELF_OFFLINE is set; without it, ' : '';

/** Why a process fetches nothing, for notices about old data. */
export const NOT_FETCHED = {
  offline: 'QUANTSHELF_OFFLINE is set, so nothing newer is fetched.',
  read_only: 'The data directory is not writable, so nothing newer is fetched.',
} as const;

/**
 * `personal` serves everything the user has fetched or added; `loopback` does the same but hides local paths;
 * `licensed` serves full text only under a licence that permits it, and none of the user's own files.
 */
export type ReadingPolicy = 'personal' | 'loopback' | 'licensed';
