import type { Database } from 'better-sqlite3';
import type { Embed, SyncReport, SyncTools } from '../../core/sync.ts';
import {
  HttpError,
  isUpstreamError,
  RejectedRequestError,
  type UpstreamError,
} from '../../upstream/errors.ts';
import { dropDamagedVectors, type Intake, storeEventVectors, storeSeenEvents } from './ingest.ts';
import {
  beginPull,
  endPull,
  listUnembeddedEvents,
  listUnseen,
  recordMissing,
  type SingleEvent,
  takeQueued,
} from './pull-ingest.ts';
import { summariseMarkets } from './queries.ts';
import { listScopeSlugs } from './scope.ts';
import { type PullScope, titleOfVenue, type Venue } from './sources/venue.ts';

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
  scope: PullScope;
}

const OUTCOMES = ['added', 'changed', 'unchanged', 'removed', 'outside'] as const;
const COUNTS = [...OUTCOMES, 'pages', 'unreadable', 'reread', 'missing'] as const;
const NOTHING_PULLED: PullSummary = {
  ...{ added: 0, changed: 0, unchanged: 0, removed: 0, outside: 0 },
  ...{ pages: 0, unreadable: 0, reread: 0, missing: 0, warnings: [] },
};

/**
 * Fetches the finance events as they are now from one venue after the other, and embeds those whose text
 * is new. A part that fails leaves the others to be done; one that was stopped ends the run.
 */
export async function syncMarkets(sync: MarketsSync): Promise<MarketsReport> {
  const { db, log } = sync;
  const report: MarketsReport = {
    ...structuredClone(NOTHING_PULLED),
    ...{ finished: false, embedded: 0, events: 0, error: null },
  };
  dropDamagedVectors(db);
  const wholes: boolean[] = [];
  for (const venue of sync.venues) {
    const before = structuredClone<PullSummary>(report);
    const show = sync.startProgress('events');
    const onPage = (soFar: PullSummary) => {
      addSummary(Object.assign(report, before), soFar);
      const done = report.added + report.changed + report.unchanged;
      const text = `${done.toLocaleString('en-US')} events of finance on ${report.pages} pages`;
      show({ share: null, text });
    };
    await sync.attempt(report, async () => {
      const { faults, ...summary } = await pullEvents({ ...sync, venue, onPage });
      addSummary(Object.assign(report, before), summary);
      if (faults[0] !== undefined) throw new Error(faults[0]);
      wholes.push(sync.scope === 'full');
    });
  }
  // The busiest events are only a part.
  report.finished = wholes.length === sync.venues.length && wholes.every(Boolean);
  for (const warning of report.warnings) log(warning);
  await sync.attempt(report, () => embedNew(sync, report));
  report.events = summariseMarkets(db).count;
  return report;
}

interface PullOptions {
  db: Database;
  venue: Venue;
  scope: PullScope;
  now: () => Date;
  signal?: AbortSignal | undefined;
  /** Called after each page has been stored. */
  onPage?: ((soFar: PullSummary) => void) | undefined;
}

/** Events that are asked for one by one in a pull; the rest waits for the next. */
const REREADS = 200;
/** Consecutive failures of lists, or of requests for single events, after which a pull gives up. */
const MAX_FAILURES = 3;

/**
 * Refreshes the finance events, list by list and page by page. A list or event that fails is skipped;
 * `faults` says why lists were, as sentences for users. Events that no list contained are fetched one by
 * one, but only after every list was read to its end: a failed page must not make its events look gone.
 * Rejects with an HttpError when the upstream is unreachable or rate-limits us, with the last error
 * after three consecutive failures, or with the signal's reason; pages stored before that stay.
 */
export async function pullEvents(
  options: PullOptions,
): Promise<PullSummary & { faults: readonly string[] }> {
  const { db, venue, scope, now, signal, onPage } = options;
  const since = now();
  const summary = structuredClone<PullSummary>(NOTHING_PULLED);
  const faults: string[] = [];
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

  async function readList(list: ReturnType<Venue['lists']>[number]): Promise<void> {
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
        // One that cannot be read says nothing of the others.
        if (fault instanceof HttpError) countFailure(fault);
      }
    }
  }

  const pull = { source: venue.name, scope };
  const lists = venue.lists(scope, listScopeSlugs(), since);
  beginPull(db, pull, since);
  try {
    for (const list of lists) {
      // What users wait for; the main lists hold most of it.
      if (!list.isMain) await reread(takeQueued(db, venue.name, { since, limit: REREADS }));
      try {
        await readList(list);
      } catch (error) {
        const fault = expectOwnFault(error, summary.pages);
        const isGap = !(fault instanceof RejectedRequestError && list.isSupplement);
        (isGap ? faults : summary.warnings).push(`${list.name}: ${toUserMessage(fault)}`);
        if (isGap) countFailure(fault);
      }
    }
    await reread(takeQueued(db, venue.name, { since, limit: REREADS }));
    // There are always open events, so empty lists are a fault of the venue.
    if (faults.length === 0 && lists.length > 0 && !hasOpen) {
      faults.push(`The lists of ${titleOfVenue(venue.name)} are empty.`);
    }
    finished = faults.length === 0;
    if (finished && scope === 'full') {
      await reread(listUnseen(db, venue.name, { since, limit: REREADS }));
    }
  } finally {
    endPull(db, pull, now(), finished);
  }
  return { ...summary, faults };
}

function addSummary(sum: PullSummary, { warnings, ...counts }: PullSummary): void {
  for (const name of COUNTS) sum[name] += counts[name];
  sum.warnings = [...sum.warnings, ...warnings];
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

async function embedNew(sync: MarketsSync, report: MarketsReport): Promise<void> {
  if (listUnembeddedEvents(sync.db, 1).length === 0) return;
  const model = await sync.loadModel();
  const show = sync.startProgress('vectors');
  try {
    await embedEvents(sync.db, model.embed, sync.signal, (done) => {
      report.embedded = done;
      show({ share: null, text: `${done} events` });
    });
  } finally {
    await model.close();
  }
}

/** Batch size; an interruption loses one batch. */
const EVENTS_AT_ONCE = 32;

/**
 * Embeds every event whose vector is missing or out of date, and stores batch by batch. Until then
 * such events are found by lexical search only.
 */
async function embedEvents(
  db: Database,
  embed: Embed,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<void> {
  for (let done = 0; ; ) {
    signal.throwIfAborted();
    const events = listUnembeddedEvents(db, EVENTS_AT_ONCE);
    if (events.length === 0) return;
    const vectors = await embed(events.map(({ text }) => text));
    const deliveries = events.map(({ id, wordsHash }, index) => {
      const vector = vectors[index];
      if (vector === undefined) throw new Error('the model returned fewer vectors than texts');
      return { id, wordsHash, vector };
    });
    storeEventVectors(db, deliveries);
    done += events.length;
    onProgress(done);
  }
}
