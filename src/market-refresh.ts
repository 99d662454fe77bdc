import { type ChildProcess, spawn } from 'node:child_process';

/** Odds older than this are refreshed when they are asked for; nor is a refresh begun more often. */
const FRESH_MS = 15 * 60_000;
/** Between two pulls of everything; in between, the most traded events have to do. */
const WHOLE_EVERY_MS = 6 * 60 * 60_000;

export interface MarketRefresh {
  /** See `refreshMarkets` of the context; `lastWhole` is the end of the last whole pull, ISO 8601. */
  request(asOf: string, lastWhole: string | null): boolean;
  /** Ends a refresh that is under way; what it has stored stays. */
  close(): void;
}

/**
 * Refreshes the markets by `sync markets` in a process of its own, so that no call waits for
 * parsing or embedding. `program` is the script of the command. Its lock keeps the processes of one
 * shelf from doing it twice.
 */
export function createMarketRefresh(
  program: string,
  now: () => Date,
  log: (line: string) => void,
): MarketRefresh {
  let child: ChildProcess | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;
  return {
    request(asOf, lastWhole) {
      if (child !== undefined) return true;
      const at = now().getTime();
      const age = at - Date.parse(asOf);
      const since = at - startedAt;
      // A clock that was set back must not keep a refresh from being begun.
      const isRecent = since >= 0 && since < FRESH_MS;
      if ((age >= 0 && age < FRESH_MS) || isRecent) return false;
      startedAt = at;
      const isWhole = lastWhole === null || Math.abs(at - Date.parse(lastWhole)) > WHOLE_EVERY_MS;
      const args = [program, 'sync', 'markets', ...(isWhole ? [] : ['--busiest'])];
      const started = spawn(process.execPath, args, { stdio: 'ignore' });
      child = started;
      started.once('error', (error) => {
        child = undefined;
        log(`markets: the refresh could not be started: ${error.message}`);
      });
      started.once('exit', (code) => {
        child = undefined;
        if (code !== 0) log('markets: the refresh failed; `quantshelf status` says why');
      });
      return true;
    },
    close() {
      child?.removeAllListeners();
      child?.kill();
    },
  };
}
