import { isLate } from '../core/time.ts';

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
