import type { MiddlewareHandler } from 'hono';
import { CANCELLED } from '../../core/run.ts';
import type { Env, RequestContext } from './request.ts';

/** A key, also with its underscore percent-encoded as in an address. */
const KEY = /qs(?:_|%5f)[0-9a-z]{8,}/gi;
const MAX_QUOTED = 200;

/** Text of a client for one line of the log: short, printable and free of keys. */
export function forLog(text: string): string {
  return text
    .replace(KEY, 'qs_***')
    .slice(0, MAX_QUOTED)
    .replace(/[^\x20-\x7e]/g, '?');
}

/**
 * Logs one line per request, after a streamed answer and the work of its calls have ended: a call
 * that was cancelled may still stop.
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
    const { method } = c.req;
    const { pathname: path } = new URL(c.req.url);
    const write = () => {
      const ms = performance.now() - started;
      const status = request.isCancelled === true ? CANCELLED : c.res.status;
      log(accessLine(request, { method, path, status, ms, at: now() }));
    };
    if (request.streamEnded === undefined && request.running.size === 0) return write();
    void Promise.resolve(request.streamEnded)
      .then(() => Promise.allSettled(request.running))
      .then(write);
  };
}

/** Only the path of the address is logged: the query is what someone is looking for. */
function accessLine(
  { requestId, account, operations, credits }: RequestContext,
  call: { method: string; path: string; status: number; ms: number; at: Date },
): string {
  return [
    call.at.toISOString(),
    call.method.slice(0, 10),
    forLog(call.path).replaceAll(' ', '?'),
    String(call.status),
    `${call.ms.toFixed(1)}ms`,
    `account=${account?.name ?? '-'}`,
    `operation=${operations.join(',') || '-'}`,
    `credits=${credits}`,
    `id=${requestId}`,
  ].join(' ');
}
