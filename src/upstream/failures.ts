import { codeOf } from '../core/errors.ts';
import { HOUR_MS } from '../core/time.ts';

/** Why a request failed. An aborted request rejects with its signal's reason instead. */
type HttpFault =
  | 'status'
  /** No connection could be made; nothing was sent. */
  | 'unreachable'
  /** The host was unreachable within the last minute, so no attempt was made. */
  | 'known_unreachable'
  | 'connection'
  | 'timeout'
  /** The host accepted a connection but never answered. */
  | 'silent'
  | 'redirect'
  | 'too_large'
  | 'truncated'
  /** The upstream asked us to wait longer than the caller can. */
  | 'rate_limited';

/** The failure of a request, after any retries. Its message names the host and quotes nothing that it sent. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly fault: HttpFault;
  /** HTTP status, if one was received. */
  readonly status: number | undefined;
  /** Wait that the upstream asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: HttpFault,
    message: string,
    more: { status?: number | undefined; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.fault = fault;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** Thrown by parsers if a response is invalid but a retry may get a valid one. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** Thrown if a retry will not help. The message is our own: it never quotes the upstream's text or a key. */
export class RejectedRequestError extends Error {
  override readonly name: string = 'RejectedRequestError';
}

export type UpstreamError = HttpError | InvalidResponseError | RejectedRequestError;

/** Whether a request to an upstream failed; otherwise the fault is ours or the store's. */
export function isUpstreamError(error: unknown): error is UpstreamError {
  return (
    error instanceof HttpError ||
    error instanceof InvalidResponseError ||
    error instanceof RejectedRequestError
  );
}

const TIMEOUTS = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** The body's length differed from the announced one. */
const TRUNCATED = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

const hasFault = (error: unknown, ...faults: HttpFault[]) =>
  error instanceof HttpError && faults.includes(error.fault);

/** Whether it is certain that nothing reached the host. */
export function isUnsent(error: unknown): boolean {
  return hasFault(error, 'unreachable', 'known_unreachable');
}

/** Whether another request to the host would be futile, since it was just unreachable or stayed silent. */
export function isKnownUnreachable(error: unknown): boolean {
  return hasFault(error, 'known_unreachable', 'silent');
}

/** Whether the upstream asked us to slow down; if so, send it no further request. */
export function isRateLimit(error: unknown): boolean {
  if (!(error instanceof HttpError)) return false;
  return error.fault === 'rate_limited' || THROTTLED.has(error.status ?? 0);
}

/** Wraps an error that undici or the system raised before or after connecting. */
export function connectionError(cause: unknown, host: string, isConnected = true): HttpError {
  if (cause instanceof HttpError) return cause;
  const code = codeOf(cause);
  const isLate = TIMEOUTS.has(code) || (cause instanceof Error && cause.name === 'TimeoutError');
  if (!isConnected && (isLate || UNREACHABLE.has(code))) {
    return new HttpError('unreachable', `the connection to ${host} failed`, { cause });
  }
  if (isLate) return new HttpError('timeout', `${host} did not answer in time`, { cause });
  if (code === TRUNCATED) {
    return new HttpError('truncated', `${host} sent an incomplete body`, { cause });
  }
  return new HttpError('connection', `the connection to ${host} failed`, { cause });
}

export function tooLarge(host: string, cause?: unknown): HttpError {
  return new HttpError('too_large', `${host} sent a larger body than expected`, { cause });
}

/** Faults reported to callers as an invalid response. */
const INVALID: ReadonlySet<HttpFault> = new Set(['too_large', 'truncated', 'redirect']);

/** A failure as a sentence for callers; `name` is what they call the upstream, such as "The BLS". */
export function toUserMessage(name: string, error: unknown): string {
  if (error instanceof RejectedRequestError) return error.message;
  if (!(error instanceof HttpError) || INVALID.has(error.fault)) {
    return `${name} sent an invalid response.`;
  }
  if (error.fault === 'rate_limited' || error.status === 429) {
    return `${name} accepts no more queries for now.`;
  }
  return error.status === undefined
    ? `${name} could not be reached.`
    : `${name} answered with status ${error.status}.`;
}

/** All times are in milliseconds. */
export interface RetryOptions {
  /** Maximum back-off or Retry-After; a longer one fails the request. */
  longestWaitMs: number;
  /** Overrides the interval between requests and the first back-off after any failure. */
  paceMs?: number | undefined;
  /** First back-off after a failure that is not a request to slow down. */
  faultMs?: number;
  /** Waits before a retry; rejects with the signal's reason when it is aborted. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  onPause?: ((reason: string, ms: number) => void) | undefined;
}

/** First back-offs when asked to slow down, and after other failures. They double each time, up to an hour. */
const THROTTLED_MS = 60_000;
const FAULT_MS = 10_000;
/** arXiv uses 406 to ask for fewer requests. */
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
  return Math.max(Math.min(firstMs * 2 ** (failures - 1), HOUR_MS), retryAfterMs);
}

/** Milliseconds to wait, from a number of seconds or a date; undefined if `value` is neither. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
