import type { Database } from 'better-sqlite3';
import type { SyncReport, SyncTools } from '../../core/sync.ts';
import {
  HttpError,
  isUpstreamError,
  RejectedRequestError,
  type UpstreamError,
} from '../../upstream/errors.ts';
import {
  dropDamagedVectors,
  listUnembeddedEvents,
  storeEventVectors,
} from './event-vector-ingest.ts';
import { type Intake, storeSeenEvents } from './ingest.ts';
import {
  beginPull,
  endPull,
  listServed,
  listUnseen,
  recordFailure,
  recordMissing,
  type SingleEvent,
} from './pull-ingest.ts';
import { summariseMarkets } from './queries.ts';
import { listScopeSlugs } from './scope.ts';
import { type EventList, titleOfVenue, type Venue } from './sources/venue.ts';

export interface PullSummary extends Intake {
  pages: number;
  /** Events that could not be parsed. */
  unreadable: number;
  /** Fetched one by one, because no list contained them. */
  reread: number;
  /** Of those, unknown to the venue. */
  missing: number;
  /** Skipped lists and events without which the pull still counts as complete. */
  warnings: string[];
}

/** What a sync over the events did, as `--json` prints it. */
export interface MarketsReport extends SyncReport, PullSummary {
  /** Events that got a vector. */
  embedded: number;
  /** Events on the shelf. */
  events: number;
}

export interface MarketsSync extends SyncTools {
  venues: readonly Venue[];
  /** Our ids of the only events to fetch; null for all that the venues list. */
  served: readonly number[] | null;
}

const OUTCOMES = ['added', 'changed', 'unchanged', 'outside'] as const;
const COUNTS = [...OUTCOMES, 'pages', 'unreadable', 'reread', 'missing'] as const;
const emptySummary = (): PullSummary => ({
  ...{ added: 0, changed: 0, unchanged: 0, outside: 0 },
  ...{ pages: 0, unreadable: 0, reread: 0, missing: 0, warnings: [] },
});

/**
 * Fetches the finance events as they are now from one venue after the other, and embeds those whose text
 * is new. A part that fails leaves the others to be done; one that was stopped ends the run.
 */
export async function syncMarkets(sync: MarketsSync): Promise<MarketsReport> {
  const { db, log } = sync;
  const report: MarketsReport = {
    ...emptySummary(),
    ...{ finished: false, embedded: 0, events: 0, error: null },
  };
  dropDamagedVectors(db);
  let finished = 0;
  for (const venue of sync.venues) {
    const summary = emptySummary();
    const show = sync.startProgress('events');
    const onPage = () => {
      const done = summary.added + summary.changed + summary.unchanged;
      const text = `${done.toLocaleString('en-US')} events of finance on ${summary.pages} pages`;
      show({ share: null, text });
    };
    await sync.attempt(report, async () => {
      const { faults } = await pullEvents({ ...sync, venue, summary, onPage });
      if (faults[0] !== undefined) throw new Error(faults[0]);
      finished += 1;
    });
    for (const name of COUNTS) report[name] += summary[name];
    report.warnings.push(...summary.warnings);
  }
  // The events that were served are only a part.
  report.finished = sync.served === null && finished === sync.venues.length;
  for (const warning of report.warnings) log(warning);
  await sync.attempt(report, () => embedNew(sync, report));
  report.events = summariseMarkets(db).count;
  return report;
}

interface PullOptions {
  db: Database;
  venue: Venue;
  served?: readonly number[] | null;
  now: () => Date;
  signal?: AbortSignal | undefined;
  /** Counted up as the pull goes on. */
  summary?: PullSummary;
  /** Called after each page has been stored. */
  onPage?: ((soFar: PullSummary) => void) | undefined;
}

/** Events that are asked for one by one at a time; the rest waits for the next pull. */
const REREADS = 200;
/** Consecutive failures of lists, or of requests for single events, after which a pull gives up. */
const MAX_FAILURES = 3;

/**
 * Refreshes the events that were served, or all finance events: list by list and page by page, and then
 * those that no list contained, but only after every list was read to its end: a failed page must not
 * make its events look gone. A list or event that fails is skipped; `faults` says why lists were,
 * as sentences for users. Rejects with an HttpError when the upstream is unreachable or rate-limits us, with
 * the last error after three consecutive failures, or with the signal's reason; what was stored stays.
 */
export async function pullEvents({
  summary = emptySummary(),
  ...options
}: PullOptions): Promise<PullSummary & { faults: readonly string[] }> {
  const { db, venue, served = null, now, signal, onPage } = options;
  const since = now();
  const [faults, refusals]: [string[], string[]] = [[], []];
  // Most events are in several lists.
  const seen = new Set<string>();
  let hasOpen = false;
  let failures = 0;
  let finished = false;

  const count = (intake: Intake) => {
    for (const outcome of OUTCOMES) summary[outcome] += intake[outcome];
    failures = 0;
  };
  const countFailure = (error: UpstreamError) => {
    failures += 1;
    if (failures === MAX_FAILURES) throw error;
  };

  async function readList(list: EventList): Promise<void> {
    for await (const { events, outside, unreadable, warnings = [] } of list.pages(signal)) {
      const keyOf = ({ sourceId, status }: (typeof events)[number]) => `${sourceId} ${status}`;
      const unseen = events.filter((event) => !seen.has(keyOf(event)));
      hasOpen ||= events.some(({ status }) => status === 'active');
      count(await storeSeenEvents(db, unseen, now()));
      for (const event of unseen) seen.add(keyOf(event));
      summary.pages += 1;
      summary.outside += outside;
      summary.unreadable += unreadable;
      summary.warnings.push(...warnings);
      onPage?.(summary);
    }
  }

  async function reread(events: readonly SingleEvent[]): Promise<void> {
    for (const { id, sourceId, alias } of events) {
      try {
        const event = await venue.getEvent(sourceId, signal);
        if (event !== null) count(await storeSeenEvents(db, [event], now()));
        else {
          summary.missing += 1;
          recordMissing(db, id, now());
        }
        summary.reread += 1;
        failures = 0;
      } catch (error) {
        const fault = expectOwnFault(error, summary.pages);
        summary.warnings.push(`${alias}: ${toUserMessage(fault)}`);
        recordFailure(db, id, now());
        // One that cannot be read says nothing of the others.
        if (fault instanceof HttpError) countFailure(fault);
      }
    }
  }

  const pull = { source: venue.name, scope: served === null ? 'full' : 'served' } as const;
  beginPull(db, pull, since);
  try {
    if (served !== null) await reread(listServed(db, venue.name, served));
    for (const list of served === null ? venue.lists(listScopeSlugs(), since) : []) {
      try {
        await readList(list);
      } catch (error) {
        const fault = expectOwnFault(error, summary.pages);
        // A tag may be gone; its events are in other lists, or are asked for one by one.
        const isRefused = fault instanceof RejectedRequestError;
        (isRefused ? refusals : faults).push(`${list.name}: ${toUserMessage(fault)}`);
        if (!isRefused) countFailure(fault);
      }
    }
    // There are always open events, so empty lists are a fault of the venue.
    if (served === null && faults.length === 0 && !hasOpen) {
      faults.push(refusals.pop() ?? `The lists of ${titleOfVenue(venue.name)} are empty.`);
    }
    summary.warnings.push(...refusals);
    finished = faults.length === 0;
    if (finished && served === null) {
      await reread(listUnseen(db, venue.name, { since, limit: REREADS }));
    }
  } finally {
    endPull(db, pull, now(), finished);
  }
  return { ...summary, faults };
}

/** Returns an error that concerns one list or event; rethrows one that concerns all requests. */
function expectOwnFault(error: unknown, pages: number): UpstreamError {
  if (!isUpstreamError(error)) throw error;
  if (!(error instanceof HttpError)) return error;
  if (error.status === 429 || error.fault === 'rate_limited') throw error;
  // Before the first page, the network may be down.
  const isLost = ['connection', 'unreachable', 'silent'].includes(error.fault);
  if (isLost && pages === 0) throw error;
  return error;
}

function toUserMessage(error: UpstreamError): string {
  return error instanceof HttpError ? `${error.message}.` : error.message;
}

/** Batch size; an interruption loses one batch. */
const EVENTS_AT_ONCE = 32;

/**
 * Embeds every event whose vector is missing or out of date, and stores batch by batch. Until then
 * such events are found by lexical search only.
 */
async function embedNew(sync: MarketsSync, report: MarketsReport): Promise<void> {
  const { db, signal } = sync;
  let events = listUnembeddedEvents(db, EVENTS_AT_ONCE);
  if (events.length === 0) return;
  const model = await sync.loadModel();
  const show = sync.startProgress('vectors');
  try {
    for (; events.length > 0; events = listUnembeddedEvents(db, EVENTS_AT_ONCE)) {
      signal.throwIfAborted();
      const vectors = await model.embed(events.map(({ text }) => text));
      storeEventVectors(db, events, vectors);
      report.embedded += events.length;
      show({ share: null, text: `${report.embedded} events` });
    }
  } finally {
    await model.close();
  }
}
