import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms` milliseconds. Rejects with the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return;
  try {
    await delay(ms, undefined, { ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Whether `work` takes longer than `ms` milliseconds; it continues either way. Rejects if `work`
 * rejects within that time.
 */
export async function isLate(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, true, { signal: timer.signal }).catch(() => true);
  try {
    return await Promise.race([work.then(() => false), late]);
  } finally {
    timer.abort();
  }
}

/** Longest time that a call waits for a connection: its two seconds, less its other work. */
export const CONNECT_WAIT_MS = 1_200;
/** Poll interval: it may be another process that finds the upstream unreachable. */
const POLL_MS = 100;

/** After `pending` and `unreachable` the work continues; after `unreachable` it will likely fail. */
export type WaitOutcome = 'settled' | 'pending' | 'unreachable';

/**
 * Waits up to `longestMs` for `done`, but only `CONNECT_WAIT_MS` if the upstream is unreachable.
 * Rejects if `done` rejects within that time.
 */
export async function waitFor(
  done: Promise<unknown>,
  longestMs: number,
  isUnreachable: () => boolean,
): Promise<WaitOutcome> {
  if (!(await isLate(done, CONNECT_WAIT_MS))) return 'settled';
  for (let waited = CONNECT_WAIT_MS; waited < longestMs; waited += POLL_MS) {
    if (isUnreachable()) return 'unreachable';
    if (!(await isLate(done, POLL_MS))) return 'settled';
  }
  return 'pending';
}

/** Like `work`, but rejects with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export const DAY_MS = 86_400_000;

/** The UTC day of a time, YYYY-MM-DD. */
export function toDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** The day (YYYY-MM-DD) so many days later, or earlier if negative. */
export function shiftDay(day: string, days: number): string {
  return toDay(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS));
}
