import { type ChildProcess, spawn } from 'node:child_process';
import type { Database } from 'better-sqlite3';
import { nextReach, openPull, type Reach } from './areas/markets/sync/freshness.ts';
import { claimPull, wantEvents } from './areas/markets/sync/log-ingest.ts';
import { listPulls } from './areas/markets/sync/log-queries.ts';
import { withoutWaiting } from './store/busy.ts';
import { isLocked } from './store/lock.ts';

export interface MarketRefresh {
  /** See `refreshMarkets` of the context; `db` is writable. Never throws. */
  request(db: Database, events: readonly number[]): Reach | null;
  /** Ends a refresh that is under way; what it has stored stays. */
  close(): void;
}

/**
 * Refreshes the markets by `sync markets` in a process of its own, so that no call waits for
 * parsing or embedding. `program` is the script of the command, `lockPath` the lock that it holds.
 * When a pull was begun stands in the store, so that all processes of one shelf begin one together.
 */
export function createMarketRefresh(
  program: string,
  lockPath: string,
  now: () => Date,
  log: (line: string) => void,
): MarketRefresh {
  let child: ChildProcess | undefined;
  const isAtWork = () => child !== undefined || isLocked(lockPath);

  function start(reach: Reach): void {
    const args = [program, 'sync', 'markets', ...(reach === 'whole' ? [] : ['--busiest'])];
    const started = spawn(process.execPath, args, { stdio: 'ignore' });
    child = started;
    started.once('error', (error) => {
      child = undefined;
      log(`markets: the refresh could not be started: ${error.message}`);
    });
    started.once('exit', (code) => {
      child = undefined;
      if (code !== 0) log('markets: the refresh failed; run `quantshelf sync markets` to see why');
    });
  }

  /** The pull under way, which is begun when it is due. */
  function findReach(db: Database): Reach | null {
    const pulls = listPulls(db);
    const open = openPull(pulls);
    if (open !== null && isAtWork()) return open.reach;
    // Whoever still embeds what came last keeps the next one waiting.
    if (nextReach(pulls, now()) === null || isAtWork()) return null;
    const reach = claimPull(db, now());
    if (reach !== null) start(reach);
    return reach;
  }

  return {
    request(db, events) {
      try {
        return withoutWaiting(db, () => {
          const reach = findReach(db);
          if (reach === null || events.length === 0) return reach;
          return wantEvents(db, events) ? reach : null;
        });
      } catch (error) {
        // A store that cannot be written just now: the answer does not depend on it.
        log(`markets: no refresh: ${error instanceof Error ? error.message : String(error)}`);
        return null;
      }
    },
    close() {
      child?.removeAllListeners();
      child?.kill();
    },
  };
}
