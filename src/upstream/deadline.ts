/**
 * Runs `work` with a signal that aborts with `signal`, or with a TimeoutError after `ms`
 * milliseconds. A plain timer does it because Node may collect the signals of AbortSignal.any and
 * AbortSignal.timeout before they fire.
 */
export async function withDeadline<T>(
  signal: AbortSignal | undefined,
  ms: number,
  work: (bounded: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const bounded = new AbortController();
  const abort = () => bounded.abort(signal?.reason);
  const timer = setTimeout(() => bounded.abort(timeoutError()), ms);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(bounded.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The reason that AbortSignal.timeout aborts with. */
export function timeoutError(): DOMException {
  return new DOMException('', 'TimeoutError');
}
