import type { Database } from 'better-sqlite3';
import type { Quota } from '../core/context.ts';

/** Length of the rate-limit window, in milliseconds. */
const WINDOW_MS = 60_000;

/**
 * Limits the calls of an account to `limit` per window, counted in the store for all servers on it.
 *
 * The window is fixed and starts with the first call after the previous one ended. This takes one row
 * and one statement per call, is exact across processes, and its end can be told to clients; the
 * drawback is that twice the limit may pass within a minute around a boundary. A refused call is not
 * counted and writes nothing. Setting the clock back starts a new window.
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
      // Another server on the store may have a higher limit.
      remaining: Math.max(0, limit - calls),
      resetSeconds: Math.max(1, Math.ceil((started + WINDOW_MS - at) / 1000)),
      isSpent: taken === undefined,
    };
  };
}
