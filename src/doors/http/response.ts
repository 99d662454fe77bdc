import type { Context, MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { type ErrorStatus, ServiceError } from '../../core/errors.ts';
import { CANCELLED, toFailure } from '../../core/run.ts';
import { cut, toLogLine } from '../../core/text.ts';
import type { Env, RequestState } from './request.ts';

/** Security headers for every response. Enforcing HTTPS is up to the proxy that terminates TLS. */
export const securityHeaders = secureHeaders({ strictTransportSecurity: false });

/**
 * The page may load only its own files and call only its own server. Trusted Types forbid turning text into
 * markup, so fetched text cannot become script.
 */
export const pageHeaders = secureHeaders({
  strictTransportSecurity: false,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  },
});

/** Adds our own headers to every response, including rate-limit headers once the call is counted. */
export const commonHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { requestId, quota } = c.var.request;
  const { headers } = c.res;
  headers.set('X-API-Version', '1');
  headers.set('X-Request-Id', requestId);
  headers.set('Cache-Control', 'no-store');
  if (quota === undefined) return;
  headers.set('RateLimit-Limit', String(quota.limit));
  headers.set('RateLimit-Remaining', String(quota.remaining));
  headers.set('RateLimit-Reset', String(quota.resetSeconds));
};

/**
 * A response with its Content-Length, which a HEAD response needs too. The body is sent as bytes, because Node
 * reserves three times the length of a string.
 */
export function send(
  c: Context<Env>,
  status: 200 | ErrorStatus,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = new TextEncoder().encode(body);
  return c.body(bytes, status, {
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...headers,
  });
}

/** Turns anything thrown into an error response of the usual shape. */
export function createErrorHandler(options: {
  home?: string | undefined;
  log(line: string): void;
}): (cause: unknown, c: Context<Env>) => Response {
  const { home, log } = options;
  return (cause, c) => {
    const { requestId, account } = c.var.request;
    const call = { requestId, name: 'http', account, home, log };
    const { status, envelope } = toFailure(cause, call);
    return send(c, status, JSON.stringify(envelope), errorHeaders(cause, c.var.request));
  };
}

function errorHeaders(cause: unknown, { quota }: RequestState): Record<string, string> {
  const code = cause instanceof ServiceError ? cause.code : undefined;
  if (code === 'unauthorized') return { 'WWW-Authenticate': 'Bearer' };
  if (code === 'rate_limited') return { 'Retry-After': String(quota?.resetSeconds ?? 1) };
  // The rest of the body is left unread.
  return code === 'payload_too_large' ? { Connection: 'close' } : {};
}

/** An account's key or that of the page, also with its punctuation percent-encoded as in a URL. */
const KEY = /(qs|page)(?:_|%5f)[\w%-]{8,}/gi;
const MAX_QUOTED = 200;

/** Client text made safe for one log line: short and without keys. */
export function forLog(text: string): string {
  return cut(toLogLine(text.replace(KEY, '$1_***')), MAX_QUOTED);
}

/**
 * Logs one line per request, once its streamed response and all its calls have ended. Even a cancelled call takes
 * time to stop.
 */
export function accessLog({
  now,
  log,
}: {
  now(): Date;
  log(line: string): void;
}): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    await next();
    const { request } = c.var;
    const { method, url } = c.req;
    void request.inFlight.ended().then(() => {
      const { requestId, account, operations, credits, isCancelled } = request;
      const fields = [
        now().toISOString(),
        method,
        // Omit the query, which reveals what someone is looking for.
        forLog(new URL(url).pathname),
        isCancelled === true ? CANCELLED : c.res.status,
        `${(performance.now() - started).toFixed(1)}ms`,
        `account=${account?.name ?? '-'}`,
        `operation=${operations.join(',') || '-'}`,
        `credits=${credits}`,
        `id=${requestId}`,
      ];
      log(fields.join(' '));
    });
  };
}
