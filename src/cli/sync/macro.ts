import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { type Agencies, openAgencies } from '../../app/agencies.ts';
import { openFred } from '../../app/clients.ts';
import { type MacroReport, syncMacro as syncIndicators } from '../../areas/macro/sync.ts';
import { withProcessLock } from '../../store/lock.ts';
import { describeDuration, startProgress } from '../progress.ts';
import { attempt, CHECK_NETWORK, describeNothing, type SyncRun, syncPatience } from './sync-run.ts';

/** Agencies are asked once more after a failure; whoever wants longer pauses is left for later. */
const PATIENCE = {
  ...{ longestWaitMs: 10_000, tries: 2, faultMs: 2_000, reconnectMs: 250 },
  // Each agency has several files, and one of them tells whether its host can be reached.
  failFast: 'always',
} as const;

const BAD_KEY =
  'FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits). Get one, free, at ' +
  'https://fred.stlouisfed.org/docs/api/api_key.html';

/** Syncs the indicators, with a progress bar. */
export async function syncMacro(run: SyncRun, db: Database): Promise<MacroReport> {
  const { config, signal, log } = run;
  const opened: { close(): Promise<void> }[] = [];
  const open = <T extends Pick<Agencies, 'close'>>(one: T) => {
    opened.push(one);
    return one;
  };
  const askFred = () => {
    const fred = openFred(config, db, { ...syncPatience(run), tries: 3 });
    if (fred === null) throw new Error(BAD_KEY);
    return open(fred).source;
  };
  const progress = startProgress('series', log);
  try {
    return await syncIndicators({
      ...{ db, signal, log, now: () => new Date() },
      alone: (name, work) => withProcessLock(join(config.home, `${name}.lock`), work, { signal }),
      attempt: (report, work) => attempt(run, report, work),
      networkAdvice: CHECK_NETWORK,
      openFred: config.fredKey === undefined ? null : askFred,
      openFeeds: () => open(openAgencies(config, db, { patience: PATIENCE, isSync: true })).feeds,
      onProgress: (done, total) =>
        progress.show({ share: done / total, done, text: `${done} of ${total}` }),
    });
  } finally {
    progress.end();
    for (const each of opened) await each.close();
  }
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
