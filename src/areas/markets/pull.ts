import type { Database } from 'better-sqlite3';
import { BadAnswer } from '../../upstream/polite.ts';
import { listBusiest, listWholeShelf } from './gamma/lists.ts';
import { type Intake, recordMissing, storeSeenEvents } from './pull-ingest.ts';
import { listUnseenEvents } from './pull-queries.ts';
import { type EventList, type EventPage, GammaRefusal, type PolymarketSource } from './source.ts';

export interface PullOptions {
  db: Database;
  source: PolymarketSource;
  now: () => Date;
  signal?: AbortSignal | undefined;
  /** Told of each page after it was stored. */
  onPage?: ((page: Intake, soFar: PullSummary) => void) | undefined;
  /** 'busiest' asks only for the first pages of the most traded open events, and re-reads nothing. */
  reach?: 'whole' | 'busiest';
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
  /** Why lists or events were left out, in our words. */
  faults: string[];
  /** All lists came to their end. */
  whole: boolean;
}

/** Each event asked for one by one is a request; the rest waits for the next pull. */
const REREADS = 200;
const BUSIEST_PAGES = 2;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Brings the events of finance to the present, page by page, each in one transaction. What no list
 * held is asked for one by one, but only when all lists came to their end: nothing is taken for
 * gone because a page failed. Rejects with an HttpError when the upstream is out of reach, with
 * the last fault when no list gave a page, or with the signal's reason; what came before stays.
 */
export async function pullEvents(options: PullOptions): Promise<PullSummary> {
  const { reach = 'whole', now, rereads = REREADS } = options;
  const startedAt = now();
  const lists = reach === 'whole' ? listWholeShelf(startedAt) : listBusiest();
  const pull = new Pull(options);
  let fault: unknown;
  for (const list of lists) {
    try {
      await pull.walk(list, reach === 'whole' ? Number.POSITIVE_INFINITY : BUSIEST_PAGES);
    } catch (error) {
      if (!isOwnFault(error)) throw error;
      fault = error;
      pull.note(list, error);
    }
  }
  if (pull.summary.pages === 0 && fault !== undefined) throw fault;
  if (reach === 'whole' && pull.summary.whole) await pull.rereadUnseen(startedAt, rereads);
  return pull.summary;
}

class Pull {
  readonly #options: PullOptions;
  readonly #seen = { open: new Set<string>(), closed: new Set<string>() };
  readonly summary: PullSummary = {
    ...{ added: 0, changed: 0, unchanged: 0, removed: 0, outside: 0 },
    ...{ pages: 0, unreadable: 0, reread: 0, missing: 0, gone: 0, faults: [], whole: true },
  };

  constructor(options: PullOptions) {
    this.#options = options;
  }

  async walk(list: EventList, mostPages: number): Promise<void> {
    const cursors = new Set<string>();
    const ids = new Set<string>();
    let cursor: string | null = null;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page: EventPage = await this.#options.source.listEvents(
        list,
        cursor,
        this.#options.signal,
      );
      const before = ids.size;
      for (const { id } of page.events) ids.add(id);
      this.#store(list, page);
      cursor = page.cursor;
      if (cursor === null) return;
      // A server that overlooks the cursor gives its first page for ever.
      if (cursors.has(cursor) || ids.size === before) {
        throw new BadAnswer('Polymarket sends the same page over and over.');
      }
      cursors.add(cursor);
    }
  }

  #store(list: EventList, page: EventPage): void {
    const { db, now, onPage } = this.#options;
    // Most events stand in several lists.
    const seen = list.closed ? this.#seen.closed : this.#seen.open;
    const news = page.events.filter(({ id }) => !seen.has(id));
    const intake = storeSeenEvents(db, news, now());
    for (const { id } of news) seen.add(id);
    this.#count(intake);
    this.summary.pages += 1;
    this.summary.unreadable += page.unreadable;
    onPage?.(intake, this.summary);
  }

  async rereadUnseen(startedAt: Date, limit: number): Promise<void> {
    const { db, now, source, signal } = this.#options;
    const askedSince = new Date(startedAt.getTime() - DAY_MS).toISOString();
    const since = startedAt.toISOString();
    for (const id of listUnseenEvents(db, { since, askedSince, limit })) {
      try {
        const facts = await source.getEvent(String(id), signal);
        if (facts !== null) this.#count(storeSeenEvents(db, [facts], now()));
        else {
          this.summary.missing += 1;
          if (recordMissing(db, id, now())) this.summary.gone += 1;
        }
        this.summary.reread += 1;
      } catch (error) {
        if (!isOwnFault(error)) throw error;
        this.summary.faults.push(`event ${id}: ${error.message}`);
      }
    }
  }

  /** A list of a tag that is no more is no hole: its events are then asked for one by one. */
  note({ closed, tag }: EventList, error: BadAnswer | GammaRefusal): void {
    const isTagGone = error instanceof GammaRefusal && tag !== undefined && 'slug' in tag;
    if (!isTagGone) this.summary.whole = false;
    const name = tag === undefined ? 'all' : Object.values(tag).join();
    this.summary.faults.push(`${closed ? 'closed' : 'open'} events of ${name}: ${error.message}`);
  }

  #count(intake: Intake): void {
    this.summary.added += intake.added;
    this.summary.changed += intake.changed;
    this.summary.unchanged += intake.unchanged;
    this.summary.removed += intake.removed;
    this.summary.outside += intake.outside;
  }
}

function isOwnFault(error: unknown): error is BadAnswer | GammaRefusal {
  return error instanceof BadAnswer || error instanceof GammaRefusal;
}
