import { type ChildProcess, spawn } from 'node:child_process';
import type { Database } from 'better-sqlite3';
import { messageOf } from '../../core/errors.ts';
import { withoutWaiting } from '../../store/connection.ts';
import { isLocked } from '../../store/lock.ts';
import { claimPull } from './pulls.ts';
import { listPulls, type Pull, type PullScope } from './queries.ts';

interface MarketRefresherOptions {
  /** Writable, to record the start of a pull for the other processes on the store. */
  db: Database;
  /** Path of the `quantshelf` script. */
  command: string;
  /** The lock that `sync markets` holds. */
  lockPath: string;
  now(): Date;
  log(line: string): void;
}

/**
 * Creates a refresher that runs `sync markets` in a separate process, so that no call waits for
 * parsing or embedding.
 */
export function createMarketRefresher(options: MarketRefresherOptions) {
  const { db, command, lockPath, now, log } = options;
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined || isLocked(lockPath);

  function start({ source, scope }: Pull, ids: readonly number[], served: readonly number[]): void {
    const what = scope === 'full' ? scope : ids.join(',');
    const args = [command, 'sync', 'markets', '--source', source, '--refresh', what];
    const started = spawn(process.execPath, args, { stdio: 'ignore' });
    child = started;
    started.once('error', (error) => {
      child = undefined;
      log(`markets: the refresh could not be started: ${error.message}`);
    });
    started.once('exit', (code) => {
      child = undefined;
      if (code !== 0) log('markets: the refresh failed; run `quantshelf sync markets` to see why');
      // Continue with the next venue that is due, without the events that were just requested.
      request(served.filter((id) => !ids.includes(id)));
    });
  }

  /** See `refreshMarkets` in `Context`. Never throws. */
  function request(served: readonly number[]): PullScope | null {
    try {
      return withoutWaiting(db, () => {
        // Report no pull that has ended, even if its process is still embedding.
        if (isRunning()) {
          const [last] = listPulls(db).toSorted((a, b) => b.begunAt - a.begunAt);
          return last?.overAt === null ? last.scope : null;
        }
        const claimed = claimPull(db, served, now());
        if (claimed !== null) start(claimed.pull, claimed.ids, served);
        return claimed?.pull.scope ?? null;
      });
    } catch (error) {
      // The store may be locked; the reply does not need the refresh.
      log(`markets: no refresh: ${messageOf(error)}`);
      return null;
    }
  }

  return {
    request,
    /** Stops a running refresh; events already stored stay. */
    close(): void {
      child?.removeAllListeners();
      child?.kill();
    },
  };
}
