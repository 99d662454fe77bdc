import type { Database } from 'better-sqlite3';
import type { Quota } from '../core/context.ts';

/** Length of the window in which calls are counted, in milliseconds. */
const WINDOW_MS = 60_000;

/**
 * Counts an account's calls in the store, so that all servers on it share one count; at most
 * `limit` pass in a window.
 *
 * The window is fixed: it begins with the first call after the last window has ended. That is one
 * row and one statement a call, exact between processes, and its end is a moment that a client can
 * be told; the price is that two windows' worth may pass within a minute across their border. A
 * refused call is not counted and writes nothing. A clock that was set back begins a new window.
 */
export function createRateLimiter(
  db: Database,
  limit: number,
  now: () => Date,
): (account: string) => Quota {
  const count = db.prepare<object, { started: number; calls: number }>(`
    INSERT INTO rate_window (account, started, calls) VALUES (@account, @now, 1)
    ON CONFLICT (account) DO UPDATE SET
      calls = CASE WHEN @now - started BETWEEN 0 AND @last THEN calls + 1 ELSE 1 END,
      started = CASE WHEN @now - started BETWEEN 0 AND @last THEN started ELSE @now END
    WHERE calls < @limit OR @now - started NOT BETWEEN 0 AND @last
    RETURNING started, calls`);
  const read = db.prepare<object, { started: number; calls: number }>(
    'SELECT started, calls FROM rate_window WHERE account = @account',
  );
  return (account) => {
    const at = now().getTime();
    const taken = count.get({ account, limit, now: at, last: WINDOW_MS - 1 });
    const { started, calls } = taken ?? read.get({ account }) ?? { started: at, calls: limit };
    return {
      limit,
      // Another server on the store may have been given a higher limit than this one.
      remaining: Math.max(0, limit - calls),
      resetSeconds: Math.max(1, Math.ceil((started + WINDOW_MS - at) / 1000)),
      isSpent: taken === undefined,
    };
  };
}
