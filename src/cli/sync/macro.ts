import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openFred } from '../../app/clients.ts';
import {
  describeFault,
  dueOf,
  type RefreshDependencies,
  refreshSeries,
} from '../../areas/macro/fred/refresh.ts';
import { listRefreshStates, type RefreshState, summariseMacro } from '../../areas/macro/queries.ts';
import { FredRequestError, type SeriesDescription } from '../../areas/macro/source.ts';
import { recordUnchanged } from '../../areas/macro/vintages/ingest.ts';
import { withProcessLock } from '../../store/lock.ts';
import { isKnownUnreachable } from '../../upstream/errors.ts';
import { describeDuration, startProgress } from '../progress.ts';
import { syncAgencies } from './agencies.ts';
import { attempt, describeNothing, type SyncRun, syncPatience } from './sync-run.ts';

/** What a sync run over the indicators did, as `--json` prints it. */
export interface MacroReport {
  /** Series with new figures, without, and those that could not be refreshed. */
  changed: number;
  unchanged: number;
  failed: number;
  /** Indicators with figures. */
  withObservations: number;
  finished: boolean;
  /** Why FRED was not asked; null when it was. */
  skipped: string | null;
  /** The first thing that went wrong; null when nothing did. */
  error: string | null;
}

/** The run stops after this many failures in a row. */
const MAX_FAILURES = 3;
/** FRED lists its updates of the last two weeks; the margin is for time zones and weekends. */
const UPDATES_REACH_MS = 12 * 86_400_000;

const NO_KEY =
  'FRED_API_KEY is not set, so only the agencies were asked and the other series stay as they are. ' +
  'Set it to your own key, free at https://fred.stlouisfed.org/docs/api/api_key.html';
const BAD_KEY =
  'FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits). Get one, free, at ' +
  'https://fred.stlouisfed.org/docs/api/api_key.html';

/** Refreshes everything that FRED has changed since it was last asked, and what was never filled. */
export async function syncMacro(run: SyncRun, db: Database): Promise<MacroReport> {
  const report: MacroReport = {
    changed: 0,
    unchanged: 0,
    failed: 0,
    withObservations: 0,
    finished: false,
    skipped: null,
    error: null,
  };
  if (run.config.fredKey === undefined) report.skipped = NO_KEY;
  else await attempt(run, report, () => refreshAll(run, db, report));
  if (report.skipped !== null || report.error !== null) {
    await attempt(run, report, () => fillFromAgencies(run, db, report));
  }
  report.withObservations = summariseMacro(db).withObservations;
  return report;
}

/** What the agencies have, without a key or where FRED failed. */
async function fillFromAgencies(run: SyncRun, db: Database, report: MacroReport): Promise<void> {
  const isAlone = report.skipped !== null;
  const { changed, unchanged, failed, fault } = await syncAgencies(run, db, !isAlone);
  report.changed += changed.length;
  if (!isAlone) return;
  report.unchanged += unchanged.length;
  report.failed += failed.length;
  report.error ??= fault;
  report.finished = fault === null;
}

async function refreshAll(run: SyncRun, db: Database, report: MacroReport): Promise<void> {
  const { config, signal, log } = run;
  const fred = openFred(config, db, { ...syncPatience(run), tries: 3 });
  if (fred === null) throw new Error(BAD_KEY);
  const dependencies: RefreshDependencies = {
    source: fred.source,
    db,
    now: () => new Date(),
    log,
  };
  const progress = startProgress('series', log);
  try {
    const states = listRefreshStates(db);
    const updates = await listUpdates(dependencies, states, signal);
    let failures = 0;
    for (const [index, state] of states.entries()) {
      const work = () => refreshOne(dependencies, state, updates, report, signal);
      const error = await withProcessLock(join(config.home, 'macro.lock'), work, { signal });
      failures = error === null ? 0 : failures + 1;
      if (error !== null) report.error ??= `${state.seriesId}: ${describeFault(error)}`;
      // Each failed series has been logged already.
      if (failures >= MAX_FAILURES || isHopeless(error)) return;
      const done = index + 1;
      const text = `${done} of ${states.length}`;
      progress.show({ share: done / states.length, done, text });
    }
    report.finished = true;
  } finally {
    progress.end();
    await fred.close();
  }
}

/** What FRED has changed since the filled series were last checked; null where it cannot tell. */
async function listUpdates(
  { source, now }: RefreshDependencies,
  states: readonly RefreshState[],
  signal: AbortSignal,
): Promise<Map<string, SeriesDescription> | null> {
  const known = states.flatMap(({ checkedAt }) => (checkedAt === null ? [] : [checkedAt]));
  const reachable = known.filter((at) => isReachable(at, now()));
  const oldest = reachable.sort()[0];
  if (oldest === undefined) return null;
  const since = new Date(Date.parse(oldest) - 86_400_000);
  const updates = await source.listUpdates(since, signal);
  return updates && new Map(updates.map((description) => [description.seriesId, description]));
}

function isReachable(checkedAt: string, now: Date): boolean {
  const age = now.getTime() - Date.parse(checkedAt);
  return age >= 0 && age <= UPDATES_REACH_MS;
}

/** The error of a series that could not be refreshed, else null. */
async function refreshOne(
  dependencies: RefreshDependencies,
  state: RefreshState,
  updates: ReadonlyMap<string, SeriesDescription> | null,
  report: MacroReport,
  signal: AbortSignal,
): Promise<unknown> {
  const { db, now } = dependencies;
  const { seriesId, checkedAt } = state;
  const description = updates?.get(seriesId);
  const isKnown = updates !== null && checkedAt !== null && isReachable(checkedAt, now());
  if (isKnown && description === undefined) {
    const taken = now().toISOString();
    recordUnchanged(db, seriesId, { taken, nextDue: dueOf(dependencies, seriesId) });
    report.unchanged += 1;
    return null;
  }
  const { outcome, error } = await refreshSeries(dependencies, state, description, signal);
  report[outcome] += 1;
  return error ?? null;
}

/** Every other series would fail in the same way. */
function isHopeless(error: unknown): boolean {
  if (isKnownUnreachable(error)) return true;
  return error instanceof FredRequestError && (error.code === 'bad_key' || error.code === 'locked');
}

/** The report as text. */
export function renderMacro(report: MacroReport & { seconds: number }): string {
  const skipped = report.skipped === null ? '' : `\nmacro: ${report.skipped}`;
  const { error } = report;
  if (error !== null && report.changed + report.unchanged === 0) {
    const held = `figures of ${report.withObservations} indicators`;
    return describeNothing('macro', error, held) + skipped;
  }
  const why = error === null ? '' : ` (${error.replace(/\.$/, '')})`;
  return (
    `macro: ${report.changed} series with new figures, ${report.unchanged} unchanged, ${report.failed} failed${why}. ` +
    `${report.withObservations} indicators hold figures. ${describeDuration(report.seconds)}.` +
    skipped
  );
}
