import type { Database } from 'better-sqlite3';
import { pause } from '../core/time.ts';
import { withProcessLock } from './lock.ts';
import type { Migration } from './migrations.ts';

/** When each upstream was last asked, and how long it wants to be left alone. */
export const gateMigrations: readonly Migration[] = [
  {
    name: 'store-2-gates',
    sql: `
      CREATE TABLE gate (
        name TEXT PRIMARY KEY,
        last_start INTEGER NOT NULL,   -- milliseconds since 1970
        held_since INTEGER NOT NULL DEFAULT 0,  -- likewise
        not_before INTEGER NOT NULL    -- likewise
      ) STRICT`,
  },
];

/** No upstream is believed that wants to be left alone for longer. */
const LONGEST_HOLD_MS = 24 * 60 * 60_000;

/** The one door to an upstream for every process that shares the store. */
export interface Gate {
  /**
   * Runs `work` alone, `intervalMs` after the last one began and not before a hold has ended. The
   * time is written down first, so that a process that dies keeps its pause all the same; it is
   * taken back when `work` fails in a way that `isUnsent` knows.
   */
  pass<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Nobody passes for this long. */
  hold(ms: number): void;
  /** How long the hold still lasts, in milliseconds; 0 when there is none. */
  heldFor(): number;
}

/**
 * The gate `name`, kept in `db` (writable) and in a lock file at `lockPath`. `isUnsent` knows the
 * errors after which nothing can have reached the upstream: these cost nobody a pause.
 */
export function createGate(
  db: Database,
  name: string,
  lockPath: string,
  now: () => Date,
  isUnsent: (error: unknown) => boolean = () => false,
): Gate {
  const time = () => now().getTime();
  const read = () =>
    db
      .prepare<{ name: string }, { lastStart: number; heldSince: number; notBefore: number }>(`
        SELECT last_start AS lastStart, held_since AS heldSince, not_before AS notBefore
        FROM gate WHERE name = @name`)
      .get({ name }) ?? { lastStart: 0, heldSince: 0, notBefore: 0 };
  const heldFor = () => {
    const { heldSince, notBefore } = read();
    const left = notBefore - time();
    // A hold that begins in the future was written by a clock that has since been set back.
    return heldSince <= time() && left > 0 && left <= LONGEST_HOLD_MS ? left : 0;
  };
  const pauseLeft = (intervalMs: number) => {
    const { lastStart } = read();
    // A last start in the future means that the clock was set back: one whole pause from now on.
    if (lastStart > time()) markStart(time());
    return Math.max(Math.min(lastStart, time()) + intervalMs - time(), heldFor());
  };
  const markStart = (at: number) => {
    db.prepare(`
      INSERT INTO gate (name, last_start, not_before) VALUES (@name, @at, 0)
      ON CONFLICT (name) DO UPDATE SET last_start = excluded.last_start`).run({ name, at });
  };
  return {
    heldFor,
    hold(ms) {
      const at = time();
      const until = at + Math.min(ms, LONGEST_HOLD_MS);
      db.prepare(`
        INSERT INTO gate (name, last_start, held_since, not_before)
        VALUES (@name, 0, @at, @until)
        ON CONFLICT (name) DO UPDATE SET
          held_since = excluded.held_since, not_before = excluded.not_before
        WHERE NOT (held_since <= @at AND not_before BETWEEN @until AND @believed)`).run({
        name,
        at,
        until,
        believed: at + LONGEST_HOLD_MS,
      });
    },
    async pass<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      for (;;) {
        // The pause is spent outside the lock: whoever may go sooner (a reader) is not kept waiting.
        await pause(pauseLeft(intervalMs), signal);
        const done = await withProcessLock(
          lockPath,
          async () => {
            if (pauseLeft(intervalMs) > 0) return undefined;
            const before = read().lastStart;
            markStart(time());
            try {
              return { result: await work() };
            } catch (error) {
              if (isUnsent(error)) markStart(before);
              throw error;
            }
          },
          { signal },
        );
        if (done !== undefined) return done.result;
      }
    },
  };
}
