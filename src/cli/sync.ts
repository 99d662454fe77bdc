import type { App } from '../app/app.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import { liftBlocks, probeUpstreams } from '../app/probe.ts';
import { type Config, syncLockPath } from '../config.ts';
import type { Area, SyncReport } from '../core/area.ts';
import { LockHeldError, withProcessLock } from '../store/lock.ts';
import { recordSync, recordSyncError } from '../store/state.ts';
import { AREA_SYNCS, type SyncOptions, type SyncRun } from './sync-areas.ts';
import type { Terminal } from './terminal.ts';

const NO_NETWORK =
  'No upstream can be reached, so nothing can be refreshed. Check the network, and HTTPS_PROXY if there is a proxy; then sync again.';

/** How long a second sync waits for the first, in milliseconds. */
const LOCK_MS = 1_000;

/** `quantshelf sync`: refreshes the areas one after the other; returns the exit code. */
export async function runSync(
  app: LazyApp,
  config: Config,
  command: { areas: readonly Area[]; options: SyncOptions; json: boolean },
  { log, print, stopSignal }: Terminal,
): Promise<number> {
  if (config.offline) {
    log('QUANTSHELF_OFFLINE is set, so nothing is refreshed. Unset it to sync.');
    return 1;
  }
  const signal = stopSignal(new Error('Stopped. The next sync goes on from here.'));
  const { writer } = await app.open();
  if (command.options.force) liftBlocks(writer, command.areas, config);
  const isOnline = await probeUpstreams(config, writer, command.areas);
  if (!isOnline) log(NO_NETWORK);
  const run = { config, options: command.options, isOnline, signal, log };
  const reports: Record<string, SyncReport> = {};
  for (const area of command.areas) {
    const { report, text } = await syncArea(area, await app.open(), run);
    reports[area] = report;
    if (!command.json) print(text);
    if (signal.aborted) break;
  }
  if (command.json) print(JSON.stringify(reports));
  return Object.values(reports).every(({ error }) => error === null) ? 0 : 1;
}

/** Syncs one area under its lock and records the outcome for `status`. Throws only when the store does. */
async function syncArea(
  area: Area,
  { writer }: App,
  run: SyncRun,
): Promise<{ report: SyncReport; text: string }> {
  const lock = syncLockPath(run.config.home, area);
  const work = async () => {
    const done = await AREA_SYNCS[area](run, writer);
    const { report } = done;
    // A finished run may have failed in part; being stopped is not a failure.
    if (report.finished) recordSync(writer, area, new Date());
    if (report.error !== null && !run.signal.aborted) {
      recordSyncError(writer, area, report.error, new Date());
    }
    return done;
  };
  try {
    return await withProcessLock(lock, work, { signal: run.signal, longestMs: LOCK_MS });
  } catch (error) {
    if (!(error instanceof LockHeldError) || error.path !== lock) throw error;
    // The other areas still run.
    const busy = `Another \`quantshelf sync\` of ${area} is running on this shelf. Let it finish, or stop it first.`;
    run.log(busy);
    return {
      report: { finished: false, error: busy },
      text: `${area}: skipped: another sync is running.`,
    };
  }
}
