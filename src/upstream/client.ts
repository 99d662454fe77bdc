import type { Dispatcher } from 'undici';
import { pause } from '../core/time.ts';
import { discardBody, headerOf, readBody, writeBody } from './body.ts';
import { type ConnectionOptions, openConnections } from './connections.ts';
import { HttpError } from './failures.ts';
import { type GetRequest, type HttpClient, type RateLimiter, UNLIMITED } from './http.ts';
import { backOff, isTransient, parseRetryAfter, type RetryOptions, withDeadline } from './retry.ts';

export interface HttpClientOptions extends ConnectionOptions, RetryOptions {
  /** Wall clock, for a Retry-After that is a date. */
  now: () => Date;
  /** Every attempt goes through it; `UNLIMITED` by default. */
  rateLimiter?: RateLimiter;
  /** Attempts in all. */
  tries?: number;
  /** Limit for an attempt, from the connection to the end of the body, in milliseconds. */
  deadlineMs?: number;
  /**
   * Whether a request to a host that is known to be unreachable fails without an attempt: never,
   * always, or while this client has connected to none.
   */
  failFast?: false | 'until_connected' | 'always';
}

const TRIES = 4;
/** The other limits only bound silence; one byte per second would satisfy them forever. */
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

  /** Runs `work` under the rate limiter and the deadline; retries it after a transient failure. */
  async function perform<T>(
    { host }: URL,
    { intervalMs, signal }: { intervalMs: number; signal: AbortSignal | undefined },
    work: (bounded: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (let failures = 0; ; ) {
      signal?.throwIfAborted();
      try {
        const isFirst = failures === 0;
        expectAllowed(host);
        if (isFirst) expectReachable(host);
        const inTurn = () => {
          // Checked again: the request before this one may just have failed to connect.
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
        // A request to slow down applies to every process on this machine.
        if (fault === 'status') rateLimiter.blockFor(waitMs);
        if (failures >= tries || waitMs > longestWaitMs || connections.isClosed()) throw error;
        onPause?.(error.message, waitMs);
        await sleep(waitMs, signal);
      }
    }
  }

  return {
    get<T>(address: string, request: GetRequest<T>): Promise<T> {
      const { statuses = [], read, maxBytes, json, intervalMs, signal } = request;
      const url = new URL(address);
      const { host } = url;
      return perform(url, { intervalMs, signal }, async (bounded) => {
        const sent = json === undefined ? undefined : JSON.stringify(json);
        // A reader that expects redirects gets them; for others, they are followed on the same host.
        const isRead =
          sent !== undefined || statuses.some((status) => status >= 300 && status < 400);
        const options = { encoding: 'gzip', json: sent, signal: bounded } as const;
        const redirects = isRead ? {} : { redirects: { domains: [] } };
        const response = await connections.request(url, { ...options, ...redirects });
        await expectStatus(response, [200, ...statuses], { host, now, signal: bounded });
        const body = await readBody(response, { host, maxBytes });
        return await read({ status: response.statusCode, body });
      });
    },

    async download(address, path, { maxBytes, validators, redirectDomains, signal, onProgress }) {
      const url = new URL(address);
      const { host } = url;
      return perform(url, { intervalMs: 0, signal }, async (bounded) => {
        const redirects = { domains: redirectDomains ?? [] };
        const options = { encoding: 'identity', validators, redirects, signal: bounded } as const;
        const response = await connections.request(url, options);
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

/** Throws unless the status is one of `statuses`. */
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
