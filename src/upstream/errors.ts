/**
 * Why a request failed for good.
 * `aborted` is not among them: an aborted call rejects with its signal's reason.
 */
export type HttpFault =
  | 'status'
  /** No connection came about; nothing was sent. */
  | 'unreachable'
  /** The host was unreachable a moment ago, so nothing was tried. */
  | 'known_unreachable'
  /** A connection broke off. */
  | 'connection'
  | 'timeout'
  | 'redirect'
  | 'too_large'
  | 'truncated'
  /** The upstream asked to be left alone for longer than the caller waits; nothing was sent. */
  | 'held';

/**
 * A request to an upstream failed, all retries included. The message is ours alone and names only
 * the host that the caller asked; the upstream's own words are nowhere in it.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly fault: HttpFault;
  /** HTTP status, where one was received. */
  readonly status: number | undefined;
  /** How long the upstream asked to be left alone, in milliseconds. */
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
/** The connection ended before the announced length had come. */
const TRUNCATIONS = new Set([
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
]);

/** True where nothing of a request can have reached its host. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof HttpError)) return false;
  return error.fault === 'unreachable' || error.fault === 'known_unreachable';
}

/** What undici or the system threw; `isConnected` says whether a connection had come about. */
export function connectionError(cause: unknown, host: string, isConnected = true): HttpError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  // By its name: what a signal of the platform rejects with when its time is over.
  const isLate = TIMEOUTS.has(code) || (cause instanceof Error && cause.name === 'TimeoutError');
  if (!isConnected && (isLate || UNREACHABLE.has(code))) {
    return new HttpError('unreachable', `the connection to ${host} failed`, { cause });
  }
  if (isLate) return new HttpError('timeout', `${host} did not answer in time`, { cause });
  if (TRUNCATIONS.has(code))
    return new HttpError('truncated', `${host} sent a part only`, { cause });
  return new HttpError('connection', `the connection to ${host} failed`, { cause });
}
