import { isLate } from '../core/time.ts';

/** How long a call waits for a connection: its two seconds, less what else it does. */
export const CONNECT_WAIT_MS = 1_200;
/** Poll interval: it may be another process that finds the upstream unreachable. */
const POLL_MS = 100;

/** With `pending` and `unreachable` the work continues, with little hope in the latter case. */
export type WaitOutcome = 'settled' | 'pending' | 'unreachable';

/**
 * Waits up to `longestMs` for `done`, but no longer than for a connection once the upstream is
 * found unreachable. Rejects if `done` rejects within that time.
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
