import { open } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import { pause } from '../core/time.ts';
import { discard, type Progress, receive, single, withDeadline } from './body.ts';
import { createDispatcher, type ProxyRoute } from './dispatcher.ts';
import { connectionError, HttpError } from './errors.ts';

export interface HttpClientOptions {
  /** See `userAgent`. */
  userAgent: string;
  proxy?: ProxyRoute | undefined;
  /** Wall clock, for a Retry-After that is a date. */
  now: () => Date;
  /** Pause before another try; rejects with the signal's reason when it is aborted. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** For connecting, for the headers, and between two pieces of a body, in milliseconds. */
  timeoutMs?: number;
  /** A try whose whole body is not here within so many milliseconds is given up. */
  deadlineMs?: number;
  /** How often a request is tried in all. */
  tries?: number;
  /** First pause of the back-off, in milliseconds; it doubles with every try. */
  backOffMs?: number;
  /** The longest Retry-After that is waited for; a longer one fails the request. */
  longestWaitMs?: number;
}

export interface DownloadOptions {
  /** More than this is refused, before or while it arrives. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
  /** Starts again at 0 when a try is repeated. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The one way out of the machine. */
export interface HttpClient {
  /**
   * Streams the body at `url` into the file at `path`, replacing what it holds, and gives its size.
   * Redirects are followed within the scheme of `url`. Connection faults, time-outs, short bodies,
   * 429 and 5xx are tried again, each time from the start; a Retry-After is kept or the request given up.
   * Rejects with an HttpError, with the signal's reason, or with the file system's own error;
   * the file then holds anything or nothing, and removing it is the caller's part.
   */
  download(url: string, path: string, options: DownloadOptions): Promise<{ bytes: number }>;
  /** Closes idle connections, which would otherwise linger for some seconds. */
  close(): Promise<void>;
}

const TRIES = 4;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const TIMEOUT_MS = 30_000;
/** 55 MB over a slow line. */
const DEADLINE_MS = 30 * 60_000;
const BACK_OFF_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/** How we introduce ourselves; `contact` is an address or a URL at which we can be reached. */
export function userAgent(version: string, contact?: string): string {
  return contact === undefined ? `quantshelf/${version}` : `quantshelf/${version} (+${contact})`;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { sleep = pause, tries = TRIES } = options;
  const { backOffMs = BACK_OFF_MS, longestWaitMs = LONGEST_WAIT_MS } = options;
  const { deadlineMs = DEADLINE_MS } = options;
  let dispatching: Promise<Dispatcher> | undefined;
  const closing = new AbortController();
  const { timeoutMs = TIMEOUT_MS } = options;
  const connect = () => {
    dispatching ??= createDispatcher(options.proxy, {
      connectMs: timeoutMs,
      signal: closing.signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return dispatching;
  };

  /** Repeats `attempt` while its failure may pass, with growing pauses. */
  async function withRetries<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        if (
          !(error instanceof HttpError) ||
          !mayPass(error) ||
          failures >= tries ||
          closing.signal.aborted
        ) {
          throw error;
        }
        const wait = Math.max(backOffMs * 2 ** (failures - 1), error.retryAfterMs ?? 0);
        if (wait > longestWaitMs) throw error;
        await sleep(wait, signal);
      }
    }
  }

  async function get(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const headers = { 'user-agent': options.userAgent, 'accept-encoding': 'identity' };
    const dispatcher = await connect();
    let target = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const response = await dispatcher
        .request({
          origin: target.origin,
          path: `${target.pathname}${target.search}`,
          method: 'GET',
          headers,
          signal,
        })
        .catch((error: unknown) => {
          throw connectionError(error, url.host);
        });
      if (!REDIRECTS.has(response.statusCode)) return response;
      await discard(response, signal);
      target = redirectTarget(response, target, url);
    }
    throw new HttpError('redirect', `${url.host} redirects without end`);
  }

  return {
    async download(address, path, { maxBytes, signal, onProgress }) {
      signal?.throwIfAborted();
      const url = new URL(address);
      const file = await open(path, 'w');
      try {
        return await withRetries(async () => {
          const { host } = url;
          return await withDeadline(signal, deadlineMs, async (bounded) => {
            const response = await get(url, bounded);
            await expectSuccess(response, host, options.now(), bounded);
            await file.truncate(0);
            return { bytes: await receive(response, file, { host, maxBytes, onProgress }) };
          });
        }, signal);
      } finally {
        await file.close();
      }
    },
    async close() {
      closing.abort();
      // destroy, not close: whoever still waits for an answer has been told that we are leaving.
      const opened = await dispatching?.catch(() => undefined);
      await opened?.destroy();
    },
  };
}

function mayPass({ fault, status }: HttpError): boolean {
  if (fault === 'status') return status === 429 || (status !== undefined && status >= 500);
  return fault === 'connection' || fault === 'timeout' || fault === 'truncated';
}

function redirectTarget(response: Dispatcher.ResponseData, from: URL, asked: URL): URL {
  const location = single(response.headers.location);
  const target =
    location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (target === null) throw new HttpError('redirect', `${asked.host} redirects to nowhere`);
  // Scheme for scheme: from https to http would give up the encryption without a word.
  if (target.protocol !== asked.protocol) {
    throw new HttpError('redirect', `${asked.host} redirects to another scheme`);
  }
  return target;
}

async function expectSuccess(
  response: Dispatcher.ResponseData,
  host: string,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const { statusCode: status, headers } = response;
  if (status === 200) return;
  await discard(response, signal);
  const retryAfterMs = parseRetryAfter(single(headers['retry-after']), now);
  throw new HttpError('status', `${host} answered with status ${status}`, { status, retryAfterMs });
}

/** Milliseconds to wait, from seconds or a date; undefined when the header is neither. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
