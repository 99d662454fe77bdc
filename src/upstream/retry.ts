import { HttpError, InvalidResponseError } from './failures.ts';

/** All times are in milliseconds. */
export interface RetryOptions {
  /** A longer back-off or Retry-After fails the request. */
  longestWaitMs: number;
  /** First back-off after any failure; overrides the ones below. */
  paceMs?: number | undefined;
  /** First back-off after a failure that is not a request to slow down. */
  faultMs?: number;
  /** Waits before a retry; rejects with the signal's reason when it is aborted. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Called before every wait. */
  onPause?: ((reason: string, ms: number) => void) | undefined;
}

/** First back-off when asked to slow down, and after other failures; doubles with every failure. */
const THROTTLED_MS = 60_000;
const FAULT_MS = 10_000;
const LONGEST_BACK_OFF_MS = 60 * 60_000;
/** 406 is arXiv's way to ask for fewer requests. */
const THROTTLED = new Set([406, 429]);

type TransientError = HttpError | InvalidResponseError;

/** Whether the same request may soon succeed. */
export function isTransient(error: unknown): error is TransientError {
  if (error instanceof InvalidResponseError) return true;
  if (!(error instanceof HttpError)) return false;
  const { fault, status } = error;
  if (fault === 'status') return status !== undefined && (THROTTLED.has(status) || status >= 500);
  return ['unreachable', 'connection', 'timeout', 'truncated'].includes(fault);
}

/** Milliseconds until the next attempt; never less than a Retry-After. */
export function backOff(
  error: TransientError,
  failures: number,
  { paceMs, faultMs = FAULT_MS }: RetryOptions,
): number {
  const { status, retryAfterMs = 0 } = error instanceof HttpError ? error : {};
  const isThrottled = status !== undefined && THROTTLED.has(status);
  const firstMs = paceMs ?? (isThrottled ? THROTTLED_MS : faultMs);
  return Math.max(Math.min(firstMs * 2 ** (failures - 1), LONGEST_BACK_OFF_MS), retryAfterMs);
}

/** Milliseconds to wait, from seconds or a date; undefined when the header is neither. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/**
 * Runs `work` with a signal that aborts with `signal`, or with a TimeoutError after `ms` milliseconds. A
 * plain timer does it because Node may collect the signals of AbortSignal.any and AbortSignal.timeout
 * before they fire.
 */
export async function withDeadline<T>(
  signal: AbortSignal | undefined,
  ms: number,
  work: (bounded: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const bounded = new AbortController();
  const abort = () => bounded.abort(signal?.reason);
  const timer = setTimeout(() => bounded.abort(new DOMException('', 'TimeoutError')), ms);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(bounded.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
