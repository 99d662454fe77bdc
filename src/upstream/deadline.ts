/**
 * Runs `work` with a signal that aborts with one of `signals`, or with a TimeoutError after `ms`
 * milliseconds. A plain timer does it because Node may collect the signals of AbortSignal.any and
 * AbortSignal.timeout before they fire.
 */
export async function withDeadline<T>(
  signals: readonly (AbortSignal | undefined)[],
  ms: number,
  work: (bounded: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const signal of signals) signal?.throwIfAborted();
  const bounded = new AbortController();
  const abort = () => bounded.abort(signals.find((signal) => signal?.aborted)?.reason);
  const timer = setTimeout(() => bounded.abort(timeoutError()), ms);
  for (const signal of signals) signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(bounded.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener('abort', abort);
  }
}

/** The reason that AbortSignal.timeout aborts with. */
export function timeoutError(): DOMException {
  return new DOMException('', 'TimeoutError');
}
