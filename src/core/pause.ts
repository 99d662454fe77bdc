import { setTimeout as delay } from 'node:timers/promises';

/** Waits; an aborted signal ends the wait with its own reason. */
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

/** True when `done` takes longer than `ms`; it goes on all the same. Rejects with `done` in time. */
export async function isLate(done: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = delay(ms, true, { signal: waiting.signal }).catch(() => true);
  try {
    return await Promise.race([done.then(() => false), late]);
  } finally {
    waiting.abort();
  }
}
