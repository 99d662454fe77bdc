import { isLate } from '../core/time.ts';

/** How long a call waits for a connection: two seconds to its answer, less what else it does. */
export const CONNECT_WAIT_MS = 1_200;
/** It may be another process that finds the upstream unreachable, so the store is asked so often. */
const LOOK_EVERY_MS = 100;

/** `pending` and `unreachable`: the work goes on, in the latter case with little hope. */
export type WaitOutcome = 'settled' | 'pending' | 'unreachable';

/**
 * Waits for `done` for `longestMs`, and no longer than for a connection once the upstream is found
 * to be unreachable. Rejects with `done` in time.
 */
export async function waitFor(
  done: Promise<unknown>,
  longestMs: number,
  isUnreachable: () => boolean,
): Promise<WaitOutcome> {
  if (!(await isLate(done, CONNECT_WAIT_MS))) return 'settled';
  for (let waited = CONNECT_WAIT_MS; waited < longestMs; waited += LOOK_EVERY_MS) {
    if (isUnreachable()) return 'unreachable';
    if (!(await isLate(done, LOOK_EVERY_MS))) return 'settled';
  }
  return 'pending';
}
