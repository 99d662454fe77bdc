import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { codeOf } from '../core/errors.ts';
import { CONNECT_WAIT_MS } from '../core/shared-jobs.ts';
import { untilAborted } from '../core/time.ts';
import type { Reachability } from '../store/upstreams.ts';
import {
  CONNECT_MS,
  createDispatcher,
  type ProxyRoute,
  type RedirectDomains,
  whenConnected,
  withRedirects,
} from './dispatcher.ts';
import { connectionError, HttpError, tooLarge } from './failures.ts';

/** All times are in milliseconds. */
export interface ConnectionOptions {
  userAgent: string;
  proxy?: ProxyRoute | undefined;
  /** Notified when a connection succeeds, or takes longer than callers wait. */
  reachability?: Reachability | undefined;
  /** Time limit for connecting, including DNS and TLS. */
  connectMs?: number;
  /** Time limit for the headers of a response. */
  headersMs?: number;
  /** Time limit for the headers of the client's first response; a request that exceeds it is not retried. */
  firstResponseMs?: number;
  /** Time limit between two chunks of a body. */
  chunkMs?: number;
}

/** Validators that a server sends to identify a version of a file. */
export interface Validators {
  etag: string | null;
  /** As sent in the header. */
  lastModified: string | null;
}

interface RequestOptions {
  encoding: 'gzip' | 'identity';
  json?: string | undefined;
  validators?: Validators | undefined;
  authorization?: string | undefined;
  /** Domains to which redirects are followed, besides the host itself; if omitted, a redirect is the response. */
  redirects?: { domains: RedirectDomains };
  signal: AbortSignal;
}

/** arXiv can be slow to build a large page of records. */
const HEADERS_MS = 120_000;
const CHUNK_MS = 60_000;

/** Opens no connection before the first request. */
export function openConnections(options: ConnectionOptions) {
  const { reachability, firstResponseMs, connectMs = CONNECT_MS } = options;
  const { headersMs = HEADERS_MS, chunkMs = CHUNK_MS } = options;
  const closing = new AbortController();
  let opening: Promise<Dispatcher> | undefined;
  let hasConnected = false;
  let hasResponded = false;

  return {
    hasConnected: () => hasConnected,
    isClosed: () => closing.signal.aborted,

    /** Sends one request, a POST if there is `json`; resolves once the response's headers have arrived. */
    async request(
      url: URL,
      { encoding, json, validators, authorization, redirects, signal }: RequestOptions,
    ): Promise<Dispatcher.ResponseData> {
      const { host } = url;
      const { etag = null, lastModified = null } = validators ?? {};
      opening ??= createDispatcher(options.proxy, {
        connections: 1,
        pipelining: 1,
        connectMs,
        signal: closing.signal,
        headersTimeout: headersMs,
        bodyTimeout: chunkMs,
      });
      const direct = await opening;
      const dispatcher =
        redirects === undefined ? direct : await withRedirects(direct, url, redirects.domains);
      const slow = setTimeout(() => reachability?.markUnreachable(host), CONNECT_WAIT_MS);
      let isConnected = false;
      const connected = whenConnected(dispatcher, () => {
        clearTimeout(slow);
        isConnected = true;
        hasConnected = true;
        reachability?.markConnected(host);
      });
      try {
        signal.throwIfAborted();
        const pending = connected.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: json === undefined ? 'GET' : 'POST',
          headers: {
            'user-agent': options.userAgent,
            'accept-encoding': encoding,
            ...(json === undefined ? {} : { 'content-type': 'application/json' }),
            ...(authorization === undefined ? {} : { authorization }),
            ...(etag === null ? {} : { 'if-none-match': etag }),
            ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
          },
          body: json ?? null,
          headersTimeout: hasResponded ? headersMs : (firstResponseMs ?? headersMs),
          signal,
        });
        // undici rejects an aborted request only once it is connected or has failed to connect.
        const response = await untilAborted(pending, signal);
        hasResponded = true;
        return response;
      } catch (error) {
        const failure = connectionError(error, host, isConnected);
        const isSilent = firstResponseMs !== undefined && !hasResponded;
        throw isSilent && failure.fault === 'timeout'
          ? new HttpError('silent', failure.message, { cause: error })
          : failure;
      } finally {
        clearTimeout(slow);
      }
    },

    async close(): Promise<void> {
      closing.abort();
      const dispatcher = await opening?.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}

interface BodyOptions {
  host: string;
  maxBytes: number;
}

/** Limit for draining a discarded body; beyond it, the connection is closed. */
const DRAIN_BYTES = 65_536;
const decompress = promisify(gunzip);

/** Streams the body into the file at `path`, replacing its content, and returns the size. */
export async function writeBody(
  response: Dispatcher.ResponseData,
  path: string,
  options: BodyOptions & { onProgress: ((received: number) => void) | undefined },
): Promise<number> {
  let received = 0;
  async function* counted() {
    for await (const chunk of readChunks(response, options)) {
      received += chunk.length;
      options.onProgress?.(received);
      yield chunk;
    }
  }
  await pipeline(counted, createWriteStream(path));
  return received;
}

export async function readBody(
  response: Dispatcher.ResponseData,
  options: BodyOptions,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(response, options)) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!/gzip/.test(headerOf(response, 'content-encoding') ?? '')) return body;
  const { host, maxBytes } = options;
  try {
    return await decompress(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(host, cause);
    throw new HttpError('truncated', `${host} sent a damaged body`, { cause });
  }
}

/**
 * Yields the body. Throws if it is too long; undici throws if it is shorter than announced. Network errors are
 * wrapped here, to keep them apart from the caller's disk errors, which are not retried.
 */
async function* readChunks(
  { body }: Dispatcher.ResponseData,
  { host, maxBytes }: BodyOptions,
): AsyncGenerator<Buffer> {
  let received = 0;
  // Destroying a body emits an error, which would be uncaught once iteration has ended.
  body.on('error', () => {});
  try {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) throw new Error('undici yielded a chunk that is not a Buffer');
      received += chunk.length;
      if (received > maxBytes) throw tooLarge(host);
      yield chunk;
    }
  } catch (error) {
    throw connectionError(error, host);
  } finally {
    body.destroy();
  }
}

/** Discards a body. Drains a small one, unless `signal` aborts, so that its connection can be reused. */
export async function discardBody(
  { body }: Dispatcher.ResponseData,
  signal: AbortSignal,
): Promise<void> {
  await body.dump({ limit: DRAIN_BYTES, signal }).catch(() => body.destroy());
}

/** The first value of a header; `name` is in lower case. */
export function headerOf(
  { headers }: Pick<Dispatcher.ResponseData, 'headers'>,
  name: string,
): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
