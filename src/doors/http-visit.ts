import type { Account, Quota } from '../core/context.ts';

/** One request on its way through the door. */
export interface Visit {
  requestId: string;
  /** On the monotonic clock, in milliseconds. */
  started: number;
  /** Known once the key was. */
  account?: Account;
  quota?: Quota;
  /** Operations that were called, for the access line; over MCP there may be more than one. */
  operations: string[];
  credits: number;
  /** Settles when a stream that is the answer has ended; undefined where the answer is whole. */
  ended?: Promise<void>;
}

/** A key, also as an address may spell it. */
export const KEY = /qs(?:_|%5f)[0-9a-z]{8,}/gi;
const MAX_PATH = 200;

/** An answer with what every answer carries. `body` is JSON unless `headers` say otherwise. */
export function respond(
  visit: Visit,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      ...commonHeaders(visit),
      ...headers,
    },
  });
}

/** Nothing here may be kept by a cache or guessed to be a page; nothing opens it to other origins. */
export function commonHeaders({ requestId, quota }: Visit): Record<string, string> {
  const headers: Record<string, string> = {
    'X-API-Version': '1',
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  if (quota === undefined) return headers;
  headers['RateLimit-Limit'] = String(quota.limit);
  headers['RateLimit-Remaining'] = String(quota.remaining);
  headers['RateLimit-Reset'] = String(quota.resetSeconds);
  return headers;
}

/**
 * A request on one line: when, what, how it ended, how long it took, who asked and what it cost.
 * Of the address only the path is told: a query holds what someone is looking for, and no key may
 * stand in a log wherever a client put it.
 */
export function accessLine(
  visit: Visit,
  request: { method: string; path: string },
  status: number,
  at: Date,
): string {
  const { requestId, account, operations, credits, started } = visit;
  const path = request.path.slice(0, MAX_PATH).replace(/[^\x21-\x7e]/g, '?');
  return [
    at.toISOString(),
    request.method.slice(0, 10),
    path.replace(KEY, 'qs_***'),
    String(status),
    `${(performance.now() - started).toFixed(1)}ms`,
    `account=${account?.name ?? '-'}`,
    `operation=${operations.join(',') || '-'}`,
    `credits=${credits}`,
    `id=${requestId}`,
  ].join(' ');
}

/** A stream that is passed on, and the moment at which it has ended, however it did. */
export function watchEnd(body: ReadableStream<Uint8Array>): {
  body: ReadableStream<Uint8Array>;
  ended: Promise<void>;
} {
  const reader = body.getReader();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const passed = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
  return { body: passed, ended };
}
