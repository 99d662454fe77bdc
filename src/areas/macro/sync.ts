import { CHECK_NETWORK, type SyncReport, type SyncTools } from '../../core/sync.ts';
import { isKnownUnreachable } from '../../upstream/errors.ts';
import type { AgencyName, Feed } from './agencies/feed.ts';
import { type FeedOutcome, refreshFeed } from './agency-refresh.ts';
import { FredRequestError, type FredSource, type SeriesDescription } from './fred.ts';
import { describeFault, refreshSeries } from './fred-refresh.ts';
import { listRefreshStates, type RefreshState, summariseMacro } from './queries.ts';
import { isAgencyDue, isWithinUpdates, nextFredDue } from './schedule.ts';
import { recordUnchanged } from './vintage-ingest.ts';

/** What a sync over the indicators did, as `--json` prints it. */
export interface MacroReport extends SyncReport {
  /** Series with new figures, without, and those that could not be refreshed. */
  changed: number;
  unchanged: number;
  failed: number;
  /** Indicators with figures. */
  withObservations: number;
  /** Why FRED was not asked; null when it was. */
  skipped: string | null;
}

export interface MacroSync extends SyncTools {
  /** Runs `work` under the lock of this name, which all processes of a store share. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Throws where FRED cannot be asked for a reason that the user mends; null without a key. */
  openFred: (() => FredSource) | null;
  /** The feeds of all agencies. */
  openFeeds(): readonly Feed[];
}

/** The run over FRED stops after this many failures in a row. */
const MAX_FAILURES = 3;

/** Why FRED is not asked without a key. */
export const NO_KEY =
  'FRED_API_KEY is not set, so only the agencies were asked and the other series stay as they are. ' +
  'Set it to your own key, free at https://fred.stlouisfed.org/docs/api/api_key.html';

/**
 * Refreshes everything that FRED has changed since it was last asked, and what was never filled; without
 * a key, or where FRED fails, everything that is due at the agencies.
 */
export async function syncMacro(sync: MacroSync): Promise<MacroReport> {
  const report: MacroReport = {
    ...{ changed: 0, unchanged: 0, failed: 0, withObservations: 0 },
    ...{ finished: false, skipped: null, error: null },
  };
  const { openFred } = sync;
  if (openFred === null) report.skipped = NO_KEY;
  else await sync.attempt(report, () => askFred(sync, openFred(), report));
  if (report.skipped !== null || report.error !== null) {
    await sync.attempt(report, () => askAgencies(sync, report));
  }
  report.withObservations = summariseMacro(sync.db).withObservations;
  return report;
}

async function askFred(sync: MacroSync, source: FredSource, report: MacroReport): Promise<void> {
  const states = listRefreshStates(sync.db);
  const show = sync.startProgress('series');
  const updates = await listUpdates(sync, source, states);
  let failures = 0;
  for (const [index, state] of states.entries()) {
    const work = () => refreshOne(sync, source, { state, updates, report });
    const error = await sync.alone('macro', work);
    failures = error === null ? 0 : failures + 1;
    if (error !== null) report.error ??= `${state.seriesId}: ${describeFault(error)}`;
    // Each failed series has been logged already.
    if (failures >= MAX_FAILURES || isHopeless(error)) return;
    const done = index + 1;
    show({ share: done / states.length, done, text: `${done} of ${states.length}` });
  }
  report.finished = true;
}

/** What FRED has changed since the filled series were last checked; null where it cannot tell. */
async function listUpdates(
  { now, signal }: MacroSync,
  source: FredSource,
  states: readonly RefreshState[],
): Promise<Map<string, SeriesDescription> | null> {
  const checks = states.flatMap(({ checkedAt }) => checkedAt ?? []);
  const oldest = checks.filter((at) => isWithinUpdates(at, now())).sort()[0];
  if (oldest === undefined) return null;
  const since = new Date(Date.parse(oldest) - 86_400_000);
  const updates = await source.listUpdates(since, signal);
  return updates && new Map(updates.map((description) => [description.seriesId, description]));
}

/** The error of a series that could not be refreshed, else null. */
async function refreshOne(
  { db, now, log, signal }: MacroSync,
  source: FredSource,
  {
    state,
    updates,
    report,
  }: {
    state: RefreshState;
    updates: ReadonlyMap<string, SeriesDescription> | null;
    report: MacroReport;
  },
): Promise<unknown> {
  const { seriesId, checkedAt } = state;
  const description = updates?.get(seriesId);
  const isTold = updates !== null && checkedAt !== null && isWithinUpdates(checkedAt, now());
  if (isTold && description === undefined) {
    const taken = now().toISOString();
    recordUnchanged(db, seriesId, { taken, nextDue: nextFredDue(db, seriesId, now()) });
    report.unchanged += 1;
    return null;
  }
  const tools = { db, source, now, log };
  const { outcome, error } = await refreshSeries(tools, state, description, signal);
  report[outcome] += 1;
  return error ?? null;
}

/** Every other series would fail in the same way. */
function isHopeless(error: unknown): boolean {
  if (isKnownUnreachable(error)) return true;
  return error instanceof FredRequestError && (error.code === 'bad_key' || error.code === 'locked');
}

/** Asks the agencies for every series that is due, each feed alone; FRED's own retries stay as they are. */
async function askAgencies(sync: MacroSync, report: MacroReport): Promise<void> {
  const { db, now, signal } = sync;
  const isAlone = report.skipped !== null;
  const tools = { db, now, log: onceEach(sync.log) };
  const outcomes: (FeedOutcome & { agency: AgencyName })[] = [];
  let notDue = 0;
  for (const feed of sync.openFeeds()) {
    await sync.alone(`macro-${feed.name}`, async () => {
      const states = listRefreshStates(db).filter((s) => feed.seriesIds.includes(s.seriesId));
      // A sync passes over the back-off: its user asked for it.
      if (!states.some((state) => isAgencyDue(state, now(), true))) {
        notDue += feed.seriesIds.length;
        return;
      }
      const outcome = await refreshFeed(tools, feed, { signal, keepsRetry: !isAlone });
      outcomes.push({ agency: feed.agency, ...outcome });
    });
  }
  report.changed += outcomes.flatMap(({ changed }) => changed).length;
  if (!isAlone) return;
  const fault = summariseFaults(outcomes);
  report.unchanged += notDue + outcomes.flatMap(({ unchanged }) => unchanged).length;
  report.failed += outcomes.flatMap(({ failed }) => failed).length;
  report.error ??= fault;
  report.finished = fault === null;
}

/** The first failure, and how many agencies failed; null where none did. */
function summariseFaults(
  outcomes: readonly (FeedOutcome & { agency: AgencyName })[],
): string | null {
  const failures = outcomes.filter(({ fault }) => fault !== null);
  const [first] = failures;
  if (first === undefined || first.fault === null) return null;
  const agencies = new Set(failures.map(({ agency }) => agency)).size;
  if (agencies === 1) return first.fault;
  return failures.every(({ isUnreachable }) => isUnreachable)
    ? `${agencies} agencies could not be reached. ${CHECK_NETWORK}`
    : `${first.fault} ${agencies} agencies failed.`;
}

/** Passes each line on once. */
function onceEach(log: (line: string) => void): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (said.has(line)) return;
    said.add(line);
    log(line);
  };
}
