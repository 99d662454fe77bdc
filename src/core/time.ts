import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms` milliseconds; if `signal` is aborted, rejects with its reason at once. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return;
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Whether `work` takes longer than `ms` milliseconds; rejects if `work` rejects within that time. */
export async function isLate(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, true, { signal: timer.signal }).catch(() => true);
  try {
    return await Promise.race([work.then(() => false), late]);
  } finally {
    timer.abort();
  }
}

/** Settles like `work`, but if `signal` is aborted first, rejects with its reason at once. */
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

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The UTC day of a time, YYYY-MM-DD. */
export function toDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** The day `days` days after `day`, or before it if negative; both YYYY-MM-DD. */
export function shiftDay(day: string, days: number): string {
  return toDay(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS));
}

/** Today in UTC or in the local time zone, whichever is later, YYYY-MM-DD. */
export function latestDay(now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return toDay(local > now ? local : now);
}
