import type { Database } from 'better-sqlite3';
import { HttpError } from '../../upstream/errors.ts';
import { BadAnswer } from '../../upstream/polite.ts';
import type { Reach } from './freshness.ts';
import { listBusiest, listWholeShelf, MAIN_TAGS, reachOfLists } from './gamma/lists.ts';
import { walkList } from './list-walk.ts';
import { type Intake, recordMissing, storeSeenEvents } from './pull-ingest.ts';
import { beginPull, endPull, takeWanted } from './pull-log-ingest.ts';
import { listUnseenEvents } from './pull-queries.ts';
import { type EventList, type EventPage, GammaRefusal, type PolymarketSource } from './source.ts';

export interface PullOptions {
  db: Database;
  source: PolymarketSource;
  now: () => Date;
  signal?: AbortSignal | undefined;
  /** Told of each page after it was stored. */
  onPage?: ((page: Intake, soFar: PullSummary) => void) | undefined;
  /**
   * 'busiest' asks only for the first pages of the most traded open events, and for those that
   * somebody was served with old odds.
   */
  reach?: Reach;
  /** Events asked for one by one at most. */
  rereads?: number;
}

export interface PullSummary extends Intake {
  pages: number;
  /** Events that could not be understood. */
  unreadable: number;
  /** Asked for one by one, since no list held them. */
  reread: number;
  /** Of those, not known to the source. */
  missing: number;
  /** Of those, for a day or more: they became inactive. */
  gone: number;
  /** Why lists were left out, in our words. */
  faults: string[];
  /** What else was left out: lists and events without which the pull is whole all the same. */
  warnings: string[];
  /** All lists came to their end. */
  whole: boolean;
}

/** What a pull that never began has to tell. */
export const NOTHING_PULLED: Readonly<PullSummary> = {
  ...{ added: 0, changed: 0, unchanged: 0, removed: 0, outside: 0, reopened: [] },
  ...{ pages: 0, unreadable: 0, reread: 0, missing: 0, gone: 0 },
  ...{ faults: [], warnings: [], whole: false },
};

/** Each event asked for one by one is a request; the rest waits for the next pull. */
const REREADS = 200;
const BUSIEST_PAGES = 2;
/** So many lists, or events, in a row that fail: the others would, too. */
const MAX_FAILURES = 3;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Brings the events of finance to the present, list by list and page by page. A list or an event
 * that fails is left out, and the others go on; what no list held is asked for one by one, but only
 * when all lists came to their end: nothing is taken for gone because a page failed. Rejects with an
 * HttpError when the upstream is out of reach or asks for patience, with the last fault when three
 * lists in a row failed, or with the signal's reason; what came before stays.
 */
export async function pullEvents(options: PullOptions): Promise<PullSummary> {
  const { db, now, reach = 'whole' } = options;
  const startedAt = now();
  const pull = new Pull(options, startedAt);
  beginPull(db, reach, startedAt);
  try {
    const lists = reach === 'whole' ? listWholeShelf(startedAt) : listBusiest();
    await pull.walk(lists, reach === 'whole' ? Number.POSITIVE_INFINITY : BUSIEST_PAGES);
    if (reach === 'whole' && pull.summary.whole) await pull.rereadUnseen();
  } finally {
    endPull(db, reach, now(), pull.summary.whole);
  }
  return pull.summary;
}

class Pull {
  readonly summary: PullSummary = structuredClone(NOTHING_PULLED);
  readonly #options: PullOptions;
  readonly #startedAt: Date;
  // Most events stand in several lists.
  readonly #seen = { open: new Set<string>(), closed: new Set<string>() };
  #failures = 0;

  constructor(options: PullOptions, startedAt: Date) {
    this.#options = options;
    this.#startedAt = startedAt;
  }

  async walk(lists: readonly EventList[], mostPages: number): Promise<void> {
    const { source, signal } = this.#options;
    for (const [index, list] of lists.entries()) {
      if (index === MAIN_TAGS.length) this.#expectEvents();
      if (index >= MAIN_TAGS.length) await this.#rereadWanted();
      try {
        for await (const page of walkList(source, list, mostPages, signal)) {
          await this.#store(list, page);
          this.#failures = 0;
        }
      } catch (error) {
        this.#note(list, this.#expectOwnFault(error));
      }
    }
    if (lists.length <= MAIN_TAGS.length) this.#expectEvents();
    await this.#rereadWanted();
    this.summary.whole = this.summary.faults.length === 0;
  }

  async rereadUnseen(): Promise<void> {
    const { db, now, rereads: limit = REREADS } = this.#options;
    const since = this.#startedAt;
    const askedSince = new Date(since.getTime() - DAY_MS);
    const bounds = { ...reachOfLists(since), since, now: now(), askedSince, limit };
    await this.#reread(listUnseenEvents(db, bounds));
  }

  /** Events that were served with old odds meanwhile, and that no list has held so far. */
  async #rereadWanted(): Promise<void> {
    const { db, now } = this.#options;
    await this.#reread(takeWanted(db, this.#startedAt, now()));
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
        this.summary.warnings.push(`event ${id}: ${sayFault(fault)}`);
        this.#countFailure(fault);
      }
    }
  }

  async #store(list: EventList, page: EventPage): Promise<void> {
    const { db, now, onPage } = this.#options;
    const seen = list.closed ? this.#seen.closed : this.#seen.open;
    const news = page.events.filter(({ id }) => !seen.has(id));
    const intake = await storeSeenEvents(db, news, now());
    for (const { id } of news) seen.add(id);
    this.#count(intake);
    this.summary.pages += 1;
    this.summary.unreadable += page.unreadable;
    onPage?.(intake, this.summary);
  }

  /** Open events of the main tags there always are: lists without them are no answer. */
  #expectEvents(): void {
    if (this.summary.faults.length > 0 || this.#seen.open.size > 0) return;
    this.summary.faults.push('The main lists of Polymarket are empty.');
  }

  /**
   * A list of a tag that is no more is no hole: its events are then asked for one by one. Nor is
   * one in the order of closing: it only adds to those by end date.
   */
  #note({ closed, tag, order }: EventList, error: OwnFault): void {
    const isRefused = error instanceof GammaRefusal;
    const isTagGone = tag !== undefined && 'slug' in tag;
    const isHole = !(isRefused && (isTagGone || order === 'closing'));
    const name = tag === undefined ? 'all' : Object.values(tag).join();
    const text = `${closed ? 'closed' : 'open'} events of ${name}: ${sayFault(error)}`;
    this.summary[isHole ? 'faults' : 'warnings'].push(text);
    if (isHole) this.#countFailure(error);
  }

  /** The fault of one list or event alone; throws what all others would meet, too. */
  #expectOwnFault(error: unknown): OwnFault {
    if (error instanceof BadAnswer || error instanceof GammaRefusal) return error;
    if (!(error instanceof HttpError) || error.status === 429 || error.fault === 'held')
      throw error;
    // Before the first page nothing speaks for the line itself.
    const isLost = error.fault === 'connection' || error.fault === 'unreachable';
    if (isLost && this.summary.pages === 0) throw error;
    return error;
  }

  #countFailure(error: OwnFault): void {
    this.#failures += 1;
    if (this.#failures === MAX_FAILURES) throw error;
  }

  #count(intake: Intake): void {
    this.summary.added += intake.added;
    this.summary.changed += intake.changed;
    this.summary.unchanged += intake.unchanged;
    this.summary.removed += intake.removed;
    this.summary.outside += intake.outside;
    this.summary.reopened.push(...intake.reopened);
  }
}

type OwnFault = BadAnswer | GammaRefusal | HttpError;

function sayFault(error: OwnFault): string {
  return error instanceof HttpError ? `${error.message}.` : error.message;
}
