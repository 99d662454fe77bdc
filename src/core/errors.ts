import { spellCommands } from './text.ts';

/** The error codes that a caller may receive, with their HTTP statuses. */
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
 * The only error whose message reaches the caller. The message says what is wrong and how to fix the call; it
 * never contains SQL, a stack trace, a file path or an upstream's text. `param` names the faulty argument.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly param: string | undefined;

  constructor(code: ErrorCode, message: string, param?: string, cause?: unknown) {
    super(spellCommands(message), { cause });
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
  return new ServiceError('service_unavailable', message, undefined, cause);
}

/**
 * The error for a failure to load one of the program's own files, which an update or a cache clean-up may have
 * removed. Returns a ServiceError unchanged, since it has its own reason.
 */
export function filesChanged(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  return serviceUnavailable(
    "QuantShelf's files have changed or are missing. Restart it; if that does not help, install it again.",
    cause,
  );
}

/** An invalid command line or environment variable; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Replaces the message of an unexpected error, which goes to the log under the request id. */
export const INTERNAL_ERROR_MESSAGE =
  'Something went wrong inside QuantShelf. Nothing was charged; the cause is in the log under this requestId.';

/** Names of errors that indicate a bug. */
const BUGS = ['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'ZodError'];

/** Formats an error for the log: with its stack if it indicates a bug, otherwise as its message alone. */
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
