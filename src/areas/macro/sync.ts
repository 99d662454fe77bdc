import type { SyncReport, SyncTools } from '../../core/sync.ts';
import { isKnownUnreachable } from '../../upstream/errors.ts';
import type { AgencyName, Feed } from './agencies/feed.ts';
import { type FeedOutcome, refreshFeed } from './agency-refresh.ts';
import { FredRequestError, type FredSource } from './fred.ts';
import { describeFault, type Refreshed, refreshSeries } from './fred-refresh.ts';
import { listRefreshStates, summariseMacro } from './queries.ts';
import { isDue, isFredDue } from './schedule.ts';

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

const UNCHANGED: Refreshed = { outcome: 'unchanged' };

const NO_KEY =
  'FRED_API_KEY is not set, so only the agencies were asked and the other series stay as they are. ' +
  'Set it to your own key, free at https://fred.stlouisfed.org/docs/api/api_key.html';

/**
 * Refreshes everything that is due at FRED, and what FRED never filled; without a key, or where FRED
 * fails, everything that is due at the agencies.
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
  const { db, now, signal } = sync;
  const states = listRefreshStates(db);
  const show = sync.startProgress('series');
  let failures = 0;
  for (const [index, state] of states.entries()) {
    // A sync passes over the back-off: its user asked for it.
    const { outcome, error = null } = isFredDue(state, now())
      ? await sync.alone('macro', () => refreshSeries(sync, source, state, signal))
      : UNCHANGED;
    report[outcome] += 1;
    failures = error === null ? 0 : failures + 1;
    if (error !== null) report.error ??= `${state.seriesId}: ${describeFault(error)}`;
    // Each failed series has been logged already.
    if (failures >= MAX_FAILURES || isHopeless(error)) return;
    const done = index + 1;
    show({ share: done / states.length, text: `${done} of ${states.length}` });
  }
  report.finished = true;
}

/** Every other series would fail in the same way. */
function isHopeless(error: unknown): boolean {
  if (isKnownUnreachable(error)) return true;
  return error instanceof FredRequestError && (error.code === 'bad_key' || error.code === 'locked');
}

/** Asks the agencies for every series that is due, each feed alone. */
async function askAgencies(sync: MacroSync, report: MacroReport): Promise<void> {
  const { db, now, signal } = sync;
  const fillsIn = report.skipped === null;
  // An unreachable host is the fault of all its feeds.
  const lines = new Set<string>();
  const log = (line: string) => {
    if (!lines.has(line)) sync.log(line);
    lines.add(line);
  };
  const outcomes: (FeedOutcome & { agency: AgencyName })[] = [];
  let notDue = 0;
  for (const feed of sync.openFeeds()) {
    await sync.alone(`macro-${feed.name}`, async () => {
      const states = listRefreshStates(db).filter((s) => feed.seriesIds.includes(s.seriesId));
      if (!states.some(({ nextDue }) => isDue(nextDue, now()))) {
        notDue += states.length;
        return;
      }
      const outcome = await refreshFeed({ db, now, log }, feed, { signal, fillsIn });
      outcomes.push({ agency: feed.agency, ...outcome });
    });
  }
  report.changed += outcomes.flatMap(({ changed }) => changed).length;
  if (fillsIn) return;
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
    ? `${agencies} agencies could not be reached.`
    : `${first.fault} ${agencies} agencies failed.`;
}
