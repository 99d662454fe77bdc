import type { Context } from 'hono';
import { ServiceError } from '../../core/errors.ts';
import { toFailure } from '../../core/run.ts';
import { type Env, type RequestContext, send } from './context.ts';

/** Answers anything thrown in the shape of every error. */
export function createErrorHandler({
  isOutdated,
  home,
  log,
}: {
  isOutdated?: (() => boolean) | undefined;
  home?: string | undefined;
  log(line: string): void;
}): (cause: unknown, c: Context<Env>) => Promise<Response> {
  return (cause, c) => {
    const { requestId, account } = c.var.request;
    const call = { requestId, name: 'http', account, isOutdated, home, log };
    const { status, envelope } = toFailure(cause, call);
    const shown = cause instanceof BrokenRequest ? cause.status : status;
    return send(c, shown, JSON.stringify(envelope), errorHeaders(cause, c.var.request));
  };
}

function errorHeaders(cause: unknown, { quota }: RequestContext): Record<string, string> {
  if (!(cause instanceof ServiceError)) return {};
  if (cause instanceof BrokenRequest) return { Connection: 'close' };
  switch (cause.code) {
    case 'unauthorized':
      return { 'WWW-Authenticate': 'Bearer' };
    case 'rate_limited':
      return { 'Retry-After': String(quota?.resetSeconds ?? 1) };
    // The rest of the body is left unread.
    case 'payload_too_large':
    case 'service_unavailable':
      return { Connection: 'close' };
    default:
      return {};
  }
}

/** Why a request was broken off before its body was complete, with a status of its own. */
export type BrokenStatus = 400 | 408 | 503;

const MESSAGES: Readonly<Record<BrokenStatus, string>> = {
  400: 'The body is broken: it does not follow its own framing.',
  408: 'The request was not complete in time.',
  503: 'The server is shutting down. Call again when it is back.',
};

/** Refuses a request whose rest will not be read; the connection ends with the answer. */
export class BrokenRequest extends ServiceError {
  readonly status: BrokenStatus;

  constructor(status: BrokenStatus) {
    super(status === 503 ? 'service_unavailable' : 'invalid_request', MESSAGES[status]);
    this.status = status;
  }
}
