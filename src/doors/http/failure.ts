import type { Context } from 'hono';
import { ServiceError } from '../../core/errors.ts';
import { toFailure } from '../../core/run.ts';
import { type Env, type RequestContext, send } from './request-context.ts';

/** Answers anything thrown in the shape of every error. */
export function createErrorHandler({
  isOutdated,
  home,
  log,
}: {
  isOutdated?: (() => boolean) | undefined;
  home?: string | undefined;
  log(line: string): void;
}): (cause: unknown, c: Context<Env>) => Response {
  return (cause, c) => {
    const { requestId, account } = c.var.request;
    const call = { requestId, name: 'http', account, isOutdated, home, log };
    const { status, envelope } = toFailure(cause, call);
    return send(c, status, JSON.stringify(envelope), errorHeaders(cause, c.var.request));
  };
}

function errorHeaders(cause: unknown, { quota }: RequestContext): Record<string, string> {
  if (!(cause instanceof ServiceError)) return {};
  switch (cause.code) {
    case 'unauthorized':
      return { 'WWW-Authenticate': 'Bearer' };
    case 'rate_limited':
      return { 'Retry-After': String(quota?.resetSeconds ?? 1) };
    // The rest of the body is left unread.
    case 'payload_too_large':
      return { Connection: 'close' };
    default:
      return {};
  }
}
