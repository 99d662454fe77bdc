import { spellCommands } from './text.ts';

/** Every failure that a caller can meet, with its HTTP status. */
export const ERROR_STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;
export type ErrorStatus = (typeof ERROR_STATUS)[ErrorCode];

export const ERROR_CODES: readonly ErrorCode[] = Object.keys(ERROR_STATUS).filter(
  (code): code is ErrorCode => Object.hasOwn(ERROR_STATUS, code),
);

/**
 * The one error whose message reaches the caller. Thrown anywhere, caught once in `run`. The message says
 * what is wrong and how to fix the call; it never contains SQL, a stack trace, a file path or an upstream's
 * text. `param` names the offending argument, if there is one.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly param: string | undefined;

  constructor(code: ErrorCode, message: string, param?: string) {
    super(spellCommands(message));
    this.name = 'ServiceError';
    this.code = code;
    this.param = param;
  }
}

export function invalidRequest(message: string, param?: string): ServiceError {
  return new ServiceError('invalid_request', message, param);
}

export function notFound(message: string, param?: string): ServiceError {
  return new ServiceError('not_found', message, param);
}

/** `cause` goes to the log. */
export function serviceUnavailable(message: string, cause?: unknown): ServiceError {
  const error = new ServiceError('service_unavailable', message);
  error.cause = cause;
  return error;
}

/**
 * For a failure to load one of the program's own files, which an update or a cache clean-up may have removed.
 * Returns a ServiceError unchanged, since it has its own reason.
 */
export function filesChanged(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  return serviceUnavailable(
    "QuantShelf's files have changed or are missing. Restart it; if that does not help, install it again.",
    cause,
  );
}

/** Wrong usage of the command line or the environment; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Stands in for the message of a bug; the cause goes to stderr under the request id. */
export const INTERNAL_ERROR_MESSAGE =
  'Something went wrong inside QuantShelf. Nothing was charged; the cause is in the log under this requestId.';

/** Names of errors that indicate a bug. */
const BUGS = ['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'ZodError'];

/**
 * An error for the log. Expected failures, of the system or of our own classes, are logged by their message;
 * anything else is a bug and is logged with its stack.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  const isBug = BUGS.includes(error.name) && (code === '' || code.startsWith('ERR_INVALID'));
  return isBug ? (error.stack ?? error.message) : error.message;
}

/** The message of an error, or the text of anything else that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function firstLineOf(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}

/** The code of a system or SQLite error; '' if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
