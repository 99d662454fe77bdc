import type { Database } from 'better-sqlite3';
import {
  HttpError,
  isUpstreamError,
  RejectedRequestError,
  type UpstreamError,
} from '../../upstream/errors.ts';
import type { PullScope } from './freshness.ts';
import { beginPull, endPull, takeQueued } from './pull-log-ingest.ts';
import { listScopeSlugs } from './scope.ts';
import { fullLists, listCutoffs, MAIN_TAGS, topLists, walkList } from './sources/gamma-lists.ts';
import type { EventList, EventPage, PolymarketSource } from './sources/polymarket.ts';
import { type Intake, recordMissing, storeSeenEvents } from './sync-ingest.ts';
import { listUnseenEvents } from './sync-queries.ts';

export interface PullOptions {
  db: Database;
  source: PolymarketSource;
  now: () => Date;
  signal?: AbortSignal | undefined;
  /** Called after each page has been stored. */
  onPage?: ((page: Intake, soFar: PullSummary) => void) | undefined;
  /** 'top' fetches the first pages of the most traded open events, and the refresh queue. */
  scope?: PullScope;
}

export interface PullSummary extends Intake {
  pages: number;
  /** Events that could not be parsed. */
  unreadable: number;
  /** Fetched one by one, because no list contained them. */
  reread: number;
  /** Of those, unknown to the source. */
  missing: number;
  /** Of those, unknown for a day or more: they became inactive. */
  gone: number;
  /** Why lists were skipped, as sentences for users. */
  faults: string[];
  /** Skipped lists and events without which the pull still counts as complete. */
  warnings: string[];
  /** Every list was read to its end. */
  whole: boolean;
}

/** The summary before the first page. */
export const NOTHING_PULLED: Readonly<PullSummary> = {
  ...{ added: 0, changed: 0, unchanged: 0, removed: 0, outside: 0, reopened: [] },
  ...{ pages: 0, unreadable: 0, reread: 0, missing: 0, gone: 0 },
  ...{ faults: [], warnings: [], whole: false },
};

/** One request each; the rest waits for the next pull. */
const REREADS = 200;
const TOP_PAGES = 2;
/** Consecutive failures of lists or events after which a pull gives up. */
const MAX_FAILURES = 3;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Refreshes the finance events, list by list and page by page. A list or event that fails is skipped.
 * Events that no list contained are fetched one by one, but only after every list was read to its
 * end: a failed page must not make its events look gone. Rejects with an HttpError when the upstream
 * is unreachable or rate-limits us, with the last error after three consecutive failures, or with the
 * signal's reason; pages stored before that stay.
 */
export async function pullEvents(options: PullOptions): Promise<PullSummary> {
  const { db, now, scope = 'full' } = options;
  const startedAt = now();
  const pull = new Pull(options, startedAt);
  beginPull(db, scope, startedAt);
  try {
    const lists = scope === 'full' ? fullLists(startedAt, listScopeSlugs()) : topLists();
    await pull.walk(lists, scope === 'full' ? Number.POSITIVE_INFINITY : TOP_PAGES);
    if (scope === 'full' && pull.summary.whole) await pull.rereadUnseen();
  } finally {
    endPull(db, scope, now(), pull.summary.whole);
  }
  return pull.summary;
}

class Pull {
  readonly summary: PullSummary = structuredClone(NOTHING_PULLED);
  readonly #options: PullOptions;
  readonly #startedAt: Date;
  // Most events are in several lists.
  readonly #seen = { open: new Set<string>(), closed: new Set<string>() };
  #failures = 0;

  constructor(options: PullOptions, startedAt: Date) {
    this.#options = options;
    this.#startedAt = startedAt;
  }

  async walk(lists: readonly EventList[], maxPages: number): Promise<void> {
    const { source, signal } = this.#options;
    for (const [index, list] of lists.entries()) {
      if (index === MAIN_TAGS.length) this.#expectEvents();
      if (index >= MAIN_TAGS.length) await this.#rereadQueued();
      try {
        for await (const page of walkList(source, list, maxPages, signal)) {
          await this.#store(list, page);
          this.#failures = 0;
        }
      } catch (error) {
        this.#note(list, this.#expectOwnFault(error));
      }
    }
    if (lists.length <= MAIN_TAGS.length) this.#expectEvents();
    await this.#rereadQueued();
    this.summary.whole = this.summary.faults.length === 0;
  }

  async rereadUnseen(): Promise<void> {
    const { db, now } = this.#options;
    const since = this.#startedAt;
    const askedSince = new Date(since.getTime() - DAY_MS);
    const bounds = { ...listCutoffs(since), since, now: now(), askedSince, limit: REREADS };
    await this.#reread(listUnseenEvents(db, bounds));
  }

  /** Fetches queued events that no list has contained so far. */
  async #rereadQueued(): Promise<void> {
    const { db, now } = this.#options;
    await this.#reread(takeQueued(db, this.#startedAt, now()));
  }

  async #reread(ids: readonly number[]): Promise<void> {
    const { db, now, source, signal } = this.#options;
    for (const id of ids) {
      try {
        const facts = await source.getEvent(String(id), signal);
        if (facts !== null) this.#count(await storeSeenEvents(db, [facts], now()));
        else {
          this.summary.missing += 1;
          if (recordMissing(db, id, now())) this.summary.gone += 1;
        }
        this.summary.reread += 1;
        this.#failures = 0;
      } catch (error) {
        const fault = this.#expectOwnFault(error);
        this.summary.warnings.push(`event ${id}: ${toUserMessage(fault)}`);
        this.#countFailure(fault);
      }
    }
  }

  async #store(list: EventList, page: EventPage): Promise<void> {
    const { db, now, onPage } = this.#options;
    const seen = list.closed ? this.#seen.closed : this.#seen.open;
    const unseen = page.events.filter(({ id }) => !seen.has(id));
    const intake = await storeSeenEvents(db, unseen, now());
    for (const { id } of unseen) seen.add(id);
    this.#count(intake);
    this.summary.pages += 1;
    this.summary.unreadable += page.unreadable;
    onPage?.(intake, this.summary);
  }

  /** The main tags always have open events, so empty lists are a fault of the source. */
  #expectEvents(): void {
    if (this.summary.faults.length > 0 || this.#seen.open.size > 0) return;
    this.summary.faults.push('The main lists of Polymarket are empty.');
  }

  /**
   * A rejected list is only a warning when its tag was removed (its events are then fetched one by
   * one) or when it is sorted by closing time (it only supplements the lists by end date).
   */
  #note({ closed, tag, order }: EventList, error: UpstreamError): void {
    const isRejected = error instanceof RejectedRequestError;
    const isTagGone = tag !== undefined && 'slug' in tag;
    const isGap = !(isRejected && (isTagGone || order === 'closing'));
    const name = tag === undefined ? 'all' : Object.values(tag).join();
    const text = `${closed ? 'closed' : 'open'} events of ${name}: ${toUserMessage(error)}`;
    this.summary[isGap ? 'faults' : 'warnings'].push(text);
    if (isGap) this.#countFailure(error);
  }

  /** Returns an error that concerns one list or event; rethrows one that concerns all requests. */
  #expectOwnFault(error: unknown): UpstreamError {
    if (!isUpstreamError(error)) throw error;
    if (!(error instanceof HttpError)) return error;
    if (error.status === 429 || error.fault === 'rate_limited') throw error;
    // Before the first page, the network may be down.
    const isLost = ['connection', 'unreachable', 'silent'].includes(error.fault);
    if (isLost && this.summary.pages === 0) throw error;
    return error;
  }

  #countFailure(error: UpstreamError): void {
    this.#failures += 1;
    if (this.#failures === MAX_FAILURES) throw error;
  }

  #count(intake: Intake): void {
    for (const outcome of ['added', 'changed', 'unchanged', 'removed', 'outside'] as const) {
      this.summary[outcome] += intake[outcome];
    }
    this.summary.reopened.push(...intake.reopened);
  }
}

function toUserMessage(error: UpstreamError): string {
  return error instanceof HttpError ? `${error.message}.` : error.message;
}
