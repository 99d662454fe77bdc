import { type ChildProcess, spawn } from 'node:child_process';
import type { Database } from 'better-sqlite3';
import { withoutWaiting } from '../../store/busy.ts';
import { isLocked } from '../../store/lock.ts';
import { hasFailed, nextScope, openPull } from './freshness.ts';
import { claimPull, listPulls, queueEvents } from './pull-ingest.ts';
import type { PullScope } from './sources/venue.ts';

export type MarketRefresher = ReturnType<typeof createMarketRefresher>;

export interface MarketRefresherOptions {
  /** Writable. It holds when a pull began, so that all processes on the store start one together. */
  db: Database;
  /** Path of the `quantshelf` script. */
  command: string;
  /** The lock that `sync markets` holds. */
  lockPath: string;
  now(): Date;
  log(line: string): void;
}

/**
 * Refreshes the markets by running `sync markets` in a process of its own, so that no call waits for
 * parsing or embedding.
 */
export function createMarketRefresher(options: MarketRefresherOptions) {
  const { db, command, lockPath, now, log } = options;
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined || isLocked(lockPath);

  function start(scope: PullScope): void {
    const args = [command, 'sync', 'markets', ...(scope === 'full' ? [] : ['--busiest'])];
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

  /** The scope of the running pull; starts one that is due. */
  function findScope(): PullScope | 'failed' | null {
    const pulls = listPulls(db);
    const open = openPull(pulls);
    if (open !== null && isRunning()) return open.scope;
    // The last one may still be embedding what it brought.
    if (nextScope(pulls, now()) === null) {
      return hasFailed(pulls, now()) && !isRunning() ? 'failed' : null;
    }
    if (isRunning()) return null;
    const scope = claimPull(db, now());
    if (scope !== null) start(scope);
    return scope;
  }

  return {
    /** See `refreshMarkets` of the context. Never throws. */
    request(events: readonly number[]): PullScope | 'failed' | null {
      try {
        return withoutWaiting(db, () => {
          const scope = findScope();
          if (scope !== null && scope !== 'failed') queueEvents(db, events);
          return scope;
        });
      } catch (error) {
        // The store cannot be written just now; the answer does not depend on it.
        log(`markets: no refresh: ${error instanceof Error ? error.message : String(error)}`);
        return null;
      }
    },
    /** Ends a refresh that is running; what it has stored stays. */
    close(): void {
      child?.removeAllListeners();
      child?.kill();
    },
  };
}
