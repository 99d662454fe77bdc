import type { Database } from 'better-sqlite3';
import type { Area } from './operation.ts';

/** The account a call is billed to. */
export interface Account {
  name: string;
  /** Areas it may ask; all where it does not say. */
  scopes?: readonly Area[];
  /** Credits left. */
  balance(): number;
  /**
   * Takes `credits` in one atomic step together with the ledger row.
   * Returns the credits left, or null when the balance did not suffice (then nothing is taken).
   */
  charge(entry: Charge): number | null | Promise<number | null>;
}

export interface Charge {
  operation: string;
  credits: number;
  requestId: string;
}

/** How many calls an account may still make in the current window. */
export interface Quota {
  limit: number;
  remaining: number;
  /** Until the window ends; at least 1. */
  resetSeconds: number;
  /** The call that asked was one too many. */
  isSpent: boolean;
}

/** A query's vector, or the reason why there is none, as one sentence for the caller. */
export type QueryEmbedding = { vector: Float32Array } | { unavailable: string };

/** What the composition root puts into a handler's hands. Handlers reach nothing else. */
export interface Context {
  /** Read-only connection to the shelf. */
  db: Database;
  now(): Date;
  /** Embeds a query with the model of the store; loads the model on the first call. */
  embedQuery(text: string): Promise<QueryEmbedding>;
  /**
   * Brings a paper's facts and full text here, as far as they are missing and the network allows.
   * Never rejects. A call that does not `wait` is answered at once.
   */
  freshenPaper(
    cardId: string,
    wait: boolean,
    report: (message: string) => void,
  ): Promise<Freshened>;
  /** Refreshes a macro series from FRED if it is due; the same holds for it. */
  freshenSeries(seriesId: string): Promise<Freshened>;
  /**
   * Starts a refresh of the prediction markets behind the call, unless one is under way or was
   * begun of late. `events` are ids of the source whose odds are old. The reach of the refresh
   * under way that will look at all of them, or null where there is none. Never throws.
   */
  refreshMarkets(events: readonly number[]): 'whole' | 'busiest' | null;
  /** Whose shelf this is: its user's own, or one that is open to others. */
  policy: ReadingPolicy;
  /** Tells the caller what is being done, where there is a way to. */
  report(message: string): void;
}

/**
 * 'late': the work goes on behind the call. 'unfinished': it took too long, and ends with the
 * process, which answers one call only. 'unreachable': the upstream could not be connected to.
 * 'no_key' and 'bad_key' speak of the user's own key to an upstream that needs one.
 */
export type Freshened =
  | 'done'
  | 'late'
  | 'unfinished'
  | 'unreachable'
  | 'offline'
  | 'no_key'
  | 'bad_key';

/**
 * `personal` serves what the user fetched for himself; `licensed` serves a full text only under a
 * licence that permits it.
 */
export type ReadingPolicy = 'personal' | 'licensed';
