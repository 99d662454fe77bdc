import type { Dispatcher } from 'undici';
import { pause } from '../core/time.ts';
import type { RateLimiter } from '../store/upstreams.ts';
import {
  type ConnectionOptions,
  discardBody,
  headerOf,
  openConnections,
  readBody,
  type Validators,
  writeBody,
} from './connections.ts';
import type { RedirectDomains } from './dispatcher.ts';
import { backOff, HttpError, isTransient, parseRetryAfter, type RetryOptions } from './failures.ts';

export interface HttpResponse {
  status: number;
  /** Decompressed. */
  body: Buffer;
}

interface GetRequest<T> {
  /** Statuses besides 200 that `read` handles. Of the others, 406, 429 and 5xx are retried; the rest fail. */
  statuses?: readonly number[];
  /** Parses the response. An InvalidResponseError causes a retry; any other error is passed on. */
  read(response: HttpResponse): T | Promise<T>;
  /** Maximum size of the body, both before and after decompression. */
  maxBytes: number;
  /** Minimum time between the starts of two requests to this upstream, in milliseconds. */
  intervalMs: number;
  /** Sent as the body of a POST; only for queries, since a retry sends it again. */
  json?: unknown;
  signal?: AbortSignal | undefined;
}

interface DownloadOptions {
  maxBytes: number;
  /** Validators of the stored copy: an unchanged file is not sent again. */
  validators?: Validators | undefined;
  /** None by default; use `any` only for files with a pinned checksum. */
  redirectDomains?: RedirectDomains | undefined;
  /** The Authorization header, which no other host receives. */
  authorization?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Receives the number of bytes so far; a retry restarts at 0. */
  onProgress?: ((received: number) => void) | undefined;
}

/**
 * The client of one upstream. Failed connections, timeouts, truncated bodies, 406, 429 and 5xx are
 * retried; a Retry-After is honoured or, if too long, fails the request. Calls reject with an
 * HttpError or with the signal's reason.
 */
export interface HttpClient {
  /**
   * Requests `url`. Follows a GET's redirects within its host, unless `read` handles them. Also rejects with the
   * last InvalidResponseError once retries are exhausted, or with any other error that `read` throws.
   */
  get<T>(url: string, request: GetRequest<T>): Promise<T>;
  /**
   * Streams `url` into the file at `path`, replacing its content. `bytes` is the size, or null if the stored copy
   * is still current. Also rejects with file system errors. After a failure the file's content is undefined;
   * the caller must remove it.
   */
  download(
    url: string,
    path: string,
    options: DownloadOptions,
  ): Promise<Validators & { bytes: number | null }>;
  /** Closes the connections; requests in flight fail. */
  close(): Promise<void>;
}

/** The User-Agent header; `contact` is an e-mail address or a URL at which the user can be reached. */
export function userAgent(version: string, contact?: string): string {
  return contact === undefined ? `quantshelf/${version}` : `quantshelf/${version} (+${contact})`;
}

/** For an upstream without a rate limit. */
const UNLIMITED: RateLimiter = {
  run: (_, work) => work(),
  blockFor() {},
  retryAfter: () => 0,
};

export interface HttpClientOptions extends ConnectionOptions, RetryOptions {
  /** Wall clock, needed if a Retry-After is a date. */
  now: () => Date;
  /** Every attempt goes through it; `UNLIMITED` by default. */
  rateLimiter?: RateLimiter;
  tries?: number;
  /** Time limit for an attempt, from connecting to the end of the body, in milliseconds. */
  deadlineMs?: number;
  /** When requests to a host known to be unreachable fail at once: never, until the first connection, or always. */
  failFast?: false | 'until_connected' | 'always';
}

const TRIES = 4;
/** The other limits bound only silence: a byte per second would satisfy them forever. */
const DEADLINE_MS = 5 * 60_000;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { rateLimiter = UNLIMITED, reachability, longestWaitMs, now } = options;
  const {
    tries = TRIES,
    deadlineMs = DEADLINE_MS,
    failFast = false,
    sleep = pause,
    onPause,
  } = options;
  const connections = openConnections(options);

  function expectAllowed(host: string): void {
    const waitMs = rateLimiter.retryAfter();
    if (waitMs <= longestWaitMs) return;
    const minutes = Math.ceil(waitMs / 60_000);
    throw new HttpError('rate_limited', `${host} asked us to wait another ${minutes} min`, {
      retryAfterMs: waitMs,
    });
  }

  function expectReachable(host: string): void {
    if (failFast === false) return;
    if (failFast === 'until_connected' && connections.hasConnected()) return;
    if (reachability?.isUnreachable(host) === true) {
      throw new HttpError('known_unreachable', `${host} could not be reached`);
    }
  }

  /**
   * Runs `work` under the rate limiter and the deadline; retries it after a transient failure. undici's own
   * retries would request the rest of a broken body, stop after an aborted attempt, and never learn that
   * `read` found a response invalid.
   */
  async function perform<T>(
    { host }: URL,
    { intervalMs, signal }: { intervalMs: number; signal: AbortSignal | undefined },
    work: (bounded: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (let failures = 0; ; ) {
      try {
        const isFirst = failures === 0;
        expectAllowed(host);
        if (isFirst) expectReachable(host);
        const inTurn = () => {
          // Check again: the previous request may just have failed to connect.
          if (isFirst) expectReachable(host);
          return withDeadline(signal, deadlineMs, work);
        };
        return await rateLimiter.run(intervalMs, inTurn, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isTransient(error)) throw error;
        failures += 1;
        const waitMs = backOff(error, failures, options);
        const fault = error instanceof HttpError ? error.fault : undefined;
        if (fault === 'unreachable') reachability?.markUnreachable(host);
        // A status such as 429 or 503 means that every process on the store should pause.
        if (fault === 'status') rateLimiter.blockFor(waitMs);
        if (failures >= tries || waitMs > longestWaitMs || connections.isClosed()) throw error;
        onPause?.(error.message, waitMs);
        await sleep(waitMs, signal);
      }
    }
  }

  return {
    get<T>(address: string, request: GetRequest<T>): Promise<T> {
      const { statuses = [], read, maxBytes, json, signal } = request;
      const intervalMs = options.paceMs ?? request.intervalMs;
      const url = new URL(address);
      const { host } = url;
      return perform(url, { intervalMs, signal }, async (bounded) => {
        const payload = json === undefined ? undefined : JSON.stringify(json);
        // Redirects are not followed for a query, or if `read` handles them.
        const isRead =
          payload !== undefined || statuses.some((status) => status >= 300 && status < 400);
        const options = { encoding: 'gzip', json: payload, signal: bounded } as const;
        const redirects = isRead ? {} : { redirects: { domains: [] } };
        const response = await connections.request(url, { ...options, ...redirects });
        await expectStatus(response, [200, ...statuses], { host, now, signal: bounded });
        const body = await readBody(response, { host, maxBytes });
        return await read({ status: response.statusCode, body });
      });
    },

    async download(address, path, request) {
      const { maxBytes, validators, redirectDomains, authorization, signal, onProgress } = request;
      const url = new URL(address);
      const { host } = url;
      return perform(url, { intervalMs: 0, signal }, async (bounded) => {
        const response = await connections.request(url, {
          encoding: 'identity',
          validators,
          authorization,
          redirects: { domains: redirectDomains ?? [] },
          signal: bounded,
        });
        const isUnchanged = validators !== undefined && response.statusCode === 304;
        if (isUnchanged) await discardBody(response, bounded);
        else await expectStatus(response, [200], { host, now, signal: bounded });
        return {
          bytes: isUnchanged
            ? null
            : await writeBody(response, path, { host, maxBytes, onProgress }),
          etag: headerOf(response, 'etag') ?? null,
          lastModified: headerOf(response, 'last-modified') ?? null,
        };
      });
    },

    close: connections.close,
  };
}

async function expectStatus(
  response: Dispatcher.ResponseData,
  statuses: readonly number[],
  { host, now, signal }: { host: string; now: () => Date; signal: AbortSignal },
): Promise<void> {
  const { statusCode: status } = response;
  if (statuses.includes(status)) return;
  await discardBody(response, signal);
  const retryAfterMs = parseRetryAfter(headerOf(response, 'retry-after'), now());
  const message = `${host} answered with status ${status}`;
  throw new HttpError('status', message, { status, retryAfterMs });
}

/**
 * Runs `work` with a signal that aborts with `signal`, or with a TimeoutError after `ms`. Uses a plain timer,
 * since Node may collect the signals of AbortSignal.any and AbortSignal.timeout before they fire.
 */
async function withDeadline<T>(
  signal: AbortSignal | undefined,
  ms: number,
  work: (bounded: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const bounded = new AbortController();
  const abort = () => bounded.abort(signal?.reason);
  const timer = setTimeout(() => bounded.abort(new DOMException('', 'TimeoutError')), ms);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(bounded.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
