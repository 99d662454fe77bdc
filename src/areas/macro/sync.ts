import type { SyncReport, SyncTools } from '../../core/area.ts';
import { isKnownUnreachable, isUnsent } from '../../upstream/failures.ts';
import { FRED_KEY_PAGE } from './facts/agencies.ts';
import { MismatchError } from './facts/continuation.ts';
import { listSeries, summariseMacro } from './queries.ts';
import type { Feed } from './sources/feed.ts';
import { FredRequestError, type FredSource } from './sources/fred.ts';
import { agencySource, fredSource, type Source, type Visit, visitInTurn } from './visit.ts';

/** The report of `sync macro`, as `--json` prints it. */
interface MacroReport extends SyncReport {
  /** Numbers of series with new figures, without any, and with a failed refresh. */
  changed: number;
  unchanged: number;
  failed: number;
  /** Number of unchanged series not queried because nothing was due. */
  notDue: number;
  withObservations: number;
  /** Why FRED was not queried; null if it was. */
  skipped: string | null;
}

interface MacroSync extends SyncTools {
  /** Runs `work` under the lock of this name, which all processes of a store share. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Null without a key. Throws for an error that the user can fix, such as a malformed key. */
  openFred: (() => FredSource) | null;
  openFeeds(): readonly Feed[];
}

/** A sync gives up on FRED after this many failures in a row. */
const MAX_FAILURES = 3;

const NO_KEY =
  'FRED_API_KEY is not set, so only the agencies were queried and the other series are unchanged. ' +
  `Set it to your own key, free at ${FRED_KEY_PAGE}`;

/** Refreshes the series that are due: from FRED or, without a key, from the agencies. */
export async function syncMacro(sync: MacroSync): Promise<MacroReport> {
  const { db, openFred } = sync;
  const report: MacroReport = {
    changed: 0,
    unchanged: 0,
    failed: 0,
    notDue: 0,
    withObservations: 0,
    finished: false,
    skipped: openFred === null ? NO_KEY : null,
    error: null,
  };
  await sync.attempt(report, async () => {
    const fred = openFred?.();
    const sources =
      fred === undefined
        ? sync.openFeeds().map(agencySource)
        : listSeries(db).map(({ seriesId }) => fredSource(fred, seriesId));
    await visitAll(sync, sources, report);
  });
  report.withObservations = summariseMacro(db).withObservations;
  return report;
}

/** Visits the sources in turn; stops early only if FRED's other series would probably fail too. */
async function visitAll(
  sync: MacroSync,
  sources: readonly Source[],
  report: MacroReport,
): Promise<void> {
  const show = sync.startProgress(report.skipped === null ? 'series' : 'releases');
  // All releases of an unreachable host log the same line; print it once.
  const lines = new Set<string>();
  const log = (line: string) => {
    if (!lines.has(line)) sync.log(line);
    lines.add(line);
  };
  const failures: Failure[] = [];
  let inARow = 0;
  for (const [index, source] of sources.entries()) {
    const { lock, seriesIds, title, feed } = source;
    const options = { seriesIds, signal: sync.signal, isSync: true };
    const visit = await sync.alone(lock, () => visitInTurn({ ...sync, log }, source, options));
    const { changed = [], unchanged = seriesIds, failed = [], error = null } = visit ?? {};
    report.changed += changed.length;
    report.unchanged += unchanged.length;
    report.failed += failed.length;
    if (visit === null) report.notDue += unchanged.length;
    // A MismatchError means that the source is up: its figures arrived, but were refused.
    inARow = error === null || error instanceof MismatchError ? 0 : inARow + 1;
    if (error !== null) failures.push({ title, error, fault: visit?.fault ?? null });
    if (!feed && (inARow >= MAX_FAILURES || isHopeless(error))) break;
    show({ share: (index + 1) / sources.length, text: `${index + 1} of ${sources.length}` });
  }
  report.error = summariseFaults(failures);
  report.finished = failures.length === 0;
}

type Failure = Pick<Source, 'title'> & Pick<Visit, 'error' | 'fault'>;

/** Whether every other FRED series would fail for the same reason. */
function isHopeless(error: unknown): boolean {
  if (isKnownUnreachable(error)) return true;
  return error instanceof FredRequestError && (error.code === 'bad_key' || error.code === 'locked');
}

/** Summarises the failures for users; null if there were none. */
function summariseFaults(failures: readonly Failure[]): string | null {
  const agencies = new Set(failures.map(({ title }) => title)).size;
  const first = failures[0]?.fault ?? null;
  if (agencies < 2) return first;
  return failures.every(({ error }) => isUnsent(error))
    ? `${agencies} agencies could not be reached.`
    : `${first} In all, ${agencies} agencies failed.`;
}
