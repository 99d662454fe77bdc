import type { Database } from 'better-sqlite3';
import type { SyncArea, SyncOptions } from '../command-line.ts';
import { type Config, syncLockPath } from '../config.ts';
import type { Session } from '../session.ts';
import type { Shelf } from '../shelf.ts';
import { withProcessLock } from '../store/lock.ts';
import { dropMemoryMap } from '../store/open.ts';
import { recordSync, recordSyncError } from '../store/sync-log.ts';
import { type Pass, Stopped } from './pass.ts';
import { renderMacro, syncMacro } from './sync-macro.ts';
import { renderMarkets, syncMarkets } from './sync-markets.ts';
import { renderPapers, syncPapers } from './sync-papers.ts';

export interface Terminal {
  log(line: string): void;
  print(line: string): void;
}

/** What is common to the reports of all areas. */
interface Report {
  /** The pass came to its end. */
  finished: boolean;
  /** The first thing that went wrong; null when nothing did. */
  error: string | null;
}

/** A pass over an area, and what is said of it to people. */
const PASSES: Readonly<
  Record<SyncArea, (pass: Pass, db: Database) => Promise<{ report: Report; text: string }>>
> = {
  async papers(pass, db) {
    const report = await syncPapers(pass, db);
    return { report, text: renderPapers(report) };
  },
  async macro(pass, db) {
    const report = await syncMacro(pass, db);
    return { report, text: renderMacro(report) };
  },
  async markets(pass, db) {
    const report = await syncMarkets(pass, db);
    return { report, text: renderMarkets(report) };
  },
};

/** How long a second sync waits for the first before it gives up, in milliseconds. */
const LOCK_MS = 1_000;

/** `quantshelf sync`: refreshes the areas one after the other; returns the exit code. */
export async function syncAll(
  session: Session,
  config: Config,
  command: { areas: readonly SyncArea[]; options: SyncOptions; json: boolean },
  terminal: Terminal,
): Promise<number> {
  if (config.offline) {
    terminal.log('QUANTSHELF_OFFLINE is set, so nothing is refreshed. Unset it to sync.');
    return 1;
  }
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Stopped());
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const reports: Record<string, Report> = {};
    for (const area of command.areas) {
      const { options } = command;
      const pass = { config, options, signal: stopping.signal, log: terminal.log };
      const { report, text } = await syncArea(area, await session.shelf(), pass);
      reports[area] = report;
      if (!command.json) terminal.print(text);
      if (stopping.signal.aborted) break;
    }
    if (command.json) terminal.print(JSON.stringify(reports));
    return Object.values(reports).every(({ error }) => error === null) ? 0 : 1;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/** One area under its lock, its outcome kept for `status`. Throws only when the store does. */
async function syncArea(
  area: SyncArea,
  { db, writer }: Pick<Shelf, 'db' | 'writer'>,
  pass: Pass,
): Promise<{ report: Report; text: string }> {
  dropMemoryMap(db);
  dropMemoryMap(writer);
  const waiting = AbortSignal.any([pass.signal, AbortSignal.timeout(LOCK_MS)]);
  const work = async () => {
    const done = await PASSES[area](pass, writer);
    const { report } = done;
    // A pass may end whole and still have something to complain about; a stop is no complaint.
    if (report.finished) recordSync(writer, area, new Date());
    if (report.error !== null && !pass.signal.aborted) {
      recordSyncError(writer, area, report.error, new Date());
    }
    return done;
  };
  try {
    return await withProcessLock(syncLockPath(pass.config.home, area), work, { signal: waiting });
  } catch (error) {
    if (pass.signal.aborted || !(error instanceof DOMException)) throw error;
    // The other areas have their turn all the same.
    const busy = `Another \`quantshelf sync\` of ${area} is at work on this shelf. Let it finish, or stop it first.`;
    pass.log(busy);
    return { report: { finished: false, error: busy }, text: `${area}: left to the other sync.` };
  }
}
