import type { Database } from 'better-sqlite3';
import type { SyncReport, VectorTools } from '../../core/area.ts';
import { countOf } from '../../core/text.ts';
import { dropDamagedVectors } from '../../search/vectors.ts';
import { HttpError, isUpstreamError, RejectedRequestError } from '../../upstream/failures.ts';
import {
  type Intake,
  listUnembeddedEvents,
  setVectorDue,
  storeEventVector,
  storeSeenEvents,
} from './ingest.ts';
import {
  beginPull,
  chooseVenues,
  endPull,
  listServed,
  listUnseen,
  recordFailure,
  recordMissing,
  type SingleEvent,
} from './pulls.ts';
import { summariseMarkets } from './queries.ts';
import { listScopeSlugs } from './scope.ts';
import type { VenueEvent } from './sources/event-card.ts';
import type { EventList, OpenVenue, VenueClient } from './sources/venue-client.ts';
import { VENUES, type Venue, type VenueName } from './sources/venues.ts';
import { eventIndex } from './tables.ts';

/** Totals of the pulls so far. */
interface PullSummary extends Omit<Intake, 'emptied'> {
  pages: number;
  /** Events that could not be parsed, or were listed without their stored markets. */
  unreadable: number;
  /** Events fetched one by one because they were served with old odds or missing from all lists. */
  reread: number;
  /** Events for which neither the venue nor its archive has markets. */
  missing: number;
  /** Messages about lists and events whose failure does not make a pull incomplete. */
  warnings: string[];
}

/** The report of `sync markets`, as `--json` prints it. */
interface MarketsReport extends SyncReport, PullSummary {
  embedded: number;
  /** Number of events on the shelf. */
  events: number;
}

export interface MarketsOptions {
  /** The only venue to query; undefined for all enabled ones. */
  venue: VenueName | undefined;
  /**
   * What a server's refresh fetches: all events, or only those with these keys. Undefined in a
   * user's sync, which also enables `venue` or, if it is not optional, disables the optional ones.
   */
  refresh: 'full' | readonly number[] | undefined;
}

interface MarketsSync extends VectorTools, MarketsOptions {
  open(venue: Venue): Promise<OpenVenue>;
}

/** Unlike a papers sync, a markets sync has no checkpoint to resume from. */
const STOPPED = 'Stopped. Fetched data is kept; the next markets sync starts over.';

const EFFECTS = ['added', 'changed', 'unchanged', 'outside'] as const;

export function emptySummary(): PullSummary {
  const events = { added: 0, changed: 0, unchanged: 0, outside: 0, unreadable: 0 };
  return { ...events, pages: 0, reread: 0, missing: 0, warnings: [] };
}

/**
 * Fetches finance events from each venue in turn and embeds new or changed texts. A failing venue
 * does not stop the others; an abort ends the sync.
 */
export async function syncMarkets(sync: MarketsSync): Promise<MarketsReport> {
  const { db, log, signal, venue: chosen, refresh } = sync;
  const names = chosen && refresh ? [chosen] : chooseVenues(db, chosen);
  const venues = VENUES.filter(({ name }) => names.includes(name));
  const served = typeof refresh === 'object' ? refresh : null;
  const nothing = { finished: false, embedded: 0, events: 0, error: null };
  const report: MarketsReport = { ...emptySummary(), ...nothing };
  dropDamagedVectors(db, eventIndex.name, setVectorDue);
  let finished = 0;
  for (const each of venues) {
    const show = sync.startProgress('events');
    const onPage = () => {
      const done = report.added + report.changed + report.unchanged;
      const text = `${countOf(done, 'finance event')} on ${countOf(report.pages, 'page')}`;
      show({ share: null, text });
    };
    await sync.attempt(report, async () => {
      const venue = await sync.open(each);
      const pull = { db, venue, served, now: sync.now, signal, summary: report, onPage };
      const [fault] = await pullEvents(pull);
      if (fault !== undefined) throw new Error(fault);
      finished += 1;
    });
  }
  // A pull of served events reads no lists, so it never finishes a sync.
  report.finished = served === null && finished === venues.length;
  for (const warning of report.warnings) log(warning);
  await sync.attempt(report, () => embedNew(sync, report));
  report.events = summariseMarkets(db).count;
  if (signal.aborted && report.error !== null) report.error = STOPPED;
  return report;
}

interface PullOptions {
  db: Database;
  venue: OpenVenue;
  served?: readonly number[] | null;
  now: () => Date;
  signal?: AbortSignal | undefined;
  /** Updated during the pull. */
  summary: PullSummary;
  onPage?: () => void;
}

/** Maximum number of events that a full pull fetches one by one; the next fetches the rest. */
const REREADS = 200;
/** Number of consecutive failures after which a pull gives up. */
const MAX_FAILURES = 3;

/**
 * Refreshes the served events or, for null, all finance events: first every list, then, one by one,
 * the events that no list contained. The second step is skipped if a list failed, because its
 * events would seem to be gone. Returns a sentence for each fault that makes the pull incomplete.
 * Rejects with an HttpError if the venue limits the rate, with the last error after three
 * consecutive failures, or with the signal's reason. Events stored by then are kept.
 */
export async function pullEvents(options: PullOptions): Promise<readonly string[]> {
  const { db, venue, served = null, now, signal, summary, onPage } = options;
  const since = now();
  const faults: string[] = [];
  // Keys of the events read so far, since most appear in several lists.
  const seen = new Set<string>();
  let hasOpen = false;
  let failures = 0;

  function count(intake: Intake): void {
    for (const effect of EFFECTS) summary[effect] += intake[effect];
    failures = 0;
  }

  /** The message of an error in one list or event. Rethrows an error that must end the pull. */
  function expectOwnFault(error: unknown, isFailure: boolean): string {
    if (!isUpstreamError(error)) throw error;
    if (isFailure) failures += 1;
    if (failures === MAX_FAILURES) throw error;
    if (!(error instanceof HttpError)) return error.message;
    if (error.status === 429 || error.fault === 'rate_limited') throw error;
    return `${error.message}.`;
  }

  async function readList(list: EventList): Promise<void> {
    for await (const { events, outside, unreadable } of list.pages(signal)) {
      const keyOf = ({ sourceId, status }: VenueEvent) => `${sourceId} ${status}`;
      const unseen = events.filter((event) => !seen.has(keyOf(event)));
      hasOpen ||= events.some(({ status }) => status === 'active');
      const intake = await storeSeenEvents(db, unseen, now());
      count(intake);
      for (const event of unseen) seen.add(keyOf(event));
      summary.pages += 1;
      summary.outside += outside;
      summary.unreadable += unreadable + intake.emptied;
      onPage?.();
    }
  }

  async function reread(single: SingleEvent): Promise<void> {
    try {
      const intake = await refreshEvent(db, venue, single, now, signal);
      count(intake);
      if (!intake.isKnown) summary.missing += 1;
      summary.reread += 1;
    } catch (error) {
      // Only HTTP errors count as failures: an unreadable event says nothing about the others.
      const fault = `${single.alias}: ${expectOwnFault(error, error instanceof HttpError)}`;
      // A pull of served events is incomplete if any of them fails.
      (served === null ? summary.warnings : faults).push(fault);
      recordFailure(db, single.id, now());
    }
  }

  const pull = { source: venue.name, scope: served === null ? 'full' : 'served' } as const;
  beginPull(db, pull, since);
  let finished = false;
  try {
    const own = listServed(db, served ?? []).filter(({ source }) => source === venue.name);
    for (const event of own) await reread(event);
    for (const list of served === null ? venue.lists(listScopeSlugs(), since) : []) {
      try {
        await readList(list);
      } catch (error) {
        // The venue may have dropped the tag; its events are in other lists or are fetched singly.
        const isRefused = error instanceof RejectedRequestError;
        const fault = `${list.name}: ${expectOwnFault(error, !isRefused)}`;
        (isRefused ? summary.warnings : faults).push(fault);
      }
    }
    // A venue always has open events, so finding none is a fault.
    if (served === null && faults.length === 0 && !hasOpen) {
      faults.push(`${venue.title} listed no open events.`);
    }
    finished = faults.length === 0;
    if (finished && served === null) {
      for (const event of listUnseen(db, venue.name, { since, limit: REREADS }))
        await reread(event);
    }
  } finally {
    endPull(db, pull, now(), finished);
  }
  return faults;
}

/**
 * Fetches one stored event or, if its venue no longer has any markets for it, their results from
 * the venue's archive; `isKnown` is false if both lack them. Rejects with an UpstreamError.
 */
export async function refreshEvent(
  db: Database,
  venue: VenueClient,
  single: SingleEvent,
  now: () => Date,
  signal?: AbortSignal,
): Promise<Intake & { isKnown: boolean }> {
  const { sourceId } = single;
  const event = await venue.getEvent(sourceId, signal);
  const intake = await storeSeenEvents(db, event === null ? [] : [event], now());
  if (event !== null && intake.emptied === 0) return { ...intake, isKnown: true };
  const archive = (await venue.listArchive?.(sourceId, signal)) ?? [];
  recordMissing(db, single, now(), archive);
  const isKnown = archive.length > 0;
  return { ...intake, changed: intake.changed + Number(isKnown), isKnown };
}

/** Number of events read from the store at a time. */
const EVENTS_AT_ONCE = 32;

/** Embeds every event whose vector is missing or out of date. */
async function embedNew(sync: MarketsSync, report: MarketsReport): Promise<void> {
  const { db, signal } = sync;
  let events = listUnembeddedEvents(db, EVENTS_AT_ONCE);
  if (events.length === 0) return;
  const model = await sync.loadModel();
  const show = sync.startProgress('vectors');
  try {
    for (; events.length > 0; events = listUnembeddedEvents(db, EVENTS_AT_ONCE)) {
      for (const event of events) {
        signal.throwIfAborted();
        const [vector] = await model.embed([event.text]);
        if (vector === undefined) throw new Error('the model returned no vector');
        storeEventVector(db, event, vector);
        report.embedded += 1;
        show({ share: null, text: countOf(report.embedded, 'event') });
      }
    }
  } finally {
    await model.close();
  }
}
