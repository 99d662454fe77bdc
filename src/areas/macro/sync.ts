import type { SyncReport, SyncTools } from '../../core/area.ts';
import { isKnownUnreachable, isUnsent } from '../../upstream/failures.ts';
import { FRED_KEY_PAGE } from './facts/agencies.ts';
import { listSeries, summariseMacro } from './queries.ts';
import type { Feed } from './sources/feed.ts';
import { FredRequestError, type FredSource } from './sources/fred.ts';
import { agencySource, fredSource, type Source, type Visit, visitInTurn } from './visit.ts';

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

const NO_KEY =
  'FRED_API_KEY is not set, so only the agencies were asked and the other series stay as they are. ' +
  `Set it to your own key, free at ${FRED_KEY_PAGE}`;

/** Refreshes everything that is due at FRED, and what FRED never filled; without a key, at the agencies. */
export async function syncMacro(sync: MacroSync): Promise<MacroReport> {
  const report: MacroReport = {
    ...{ changed: 0, unchanged: 0, failed: 0, withObservations: 0 },
    ...{ finished: false, skipped: null, error: null },
  };
  const { openFred } = sync;
  if (openFred === null) report.skipped = NO_KEY;
  await sync.attempt(report, () =>
    openFred === null ? askAgencies(sync, report) : askFred(sync, openFred(), report),
  );
  report.withObservations = summariseMacro(sync.db).withObservations;
  return report;
}

async function askFred(sync: MacroSync, fred: FredSource, report: MacroReport): Promise<void> {
  const sources = listSeries(sync.db).map(({ seriesId }) => fredSource(fred, seriesId));
  const show = sync.startProgress('series');
  let failures = 0;
  for (const [index, source] of sources.entries()) {
    const done = await ask(sync, source);
    count(report, done);
    const { error, fault } = done;
    failures = error === null ? 0 : failures + 1;
    if (error !== null) report.error ??= `${source.name}: ${fault}`;
    // Each failed series has been logged already.
    if (failures >= MAX_FAILURES || isHopeless(error)) return;
    const asked = index + 1;
    show({ share: asked / sources.length, text: `${asked} of ${sources.length}` });
  }
  report.finished = true;
}

/** Every other series would fail in the same way. */
function isHopeless(error: unknown): boolean {
  if (isKnownUnreachable(error)) return true;
  return error instanceof FredRequestError && (error.code === 'bad_key' || error.code === 'locked');
}

/** Asks the agencies for every series that is due, each release alone. */
async function askAgencies(sync: MacroSync, report: MacroReport): Promise<void> {
  // An unreachable host is the fault of all its releases.
  const lines = new Set<string>();
  const log = (line: string) => {
    if (!lines.has(line)) sync.log(line);
    lines.add(line);
  };
  const visits: Visit[] = [];
  for (const feed of sync.openFeeds()) {
    visits.push(await ask({ ...sync, log }, agencySource(feed)));
  }
  for (const each of visits) count(report, each);
  const fault = summariseFaults(visits);
  report.error ??= fault;
  report.finished = fault === null;
}

function ask(sync: MacroSync, source: Source): Promise<Visit> {
  const { lock, seriesIds } = source;
  const { signal } = sync;
  return sync.alone(lock, () => visitInTurn(sync, source, { seriesIds, signal, isSync: true }));
}

function count(report: MacroReport, { changed, unchanged, failed }: Visit): void {
  report.changed += changed.length;
  report.unchanged += unchanged.length;
  report.failed += failed.length;
}

/** The first failure, and how many agencies failed; null where none did. */
function summariseFaults(visits: readonly Visit[]): string | null {
  const failures = visits.filter(({ error }) => error !== null);
  const agencies = new Set(failures.map(({ title }) => title)).size;
  const first = failures[0]?.fault ?? null;
  if (agencies < 2) return first;
  return failures.every(({ error }) => isUnsent(error))
    ? `${agencies} agencies could not be reached.`
    : `${first} ${agencies} agencies failed.`;
}
