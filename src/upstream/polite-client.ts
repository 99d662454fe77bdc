import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { pause } from '../core/time.ts';
import { collect, discard, single, withDeadline } from './body.ts';
import { createDispatcher, type ProxyRoute } from './dispatcher.ts';
import { connectionError, HttpError } from './errors.ts';
import { parseRetryAfter } from './http.ts';
import { BadAnswer, type PoliteClient, type PoliteRequest, type Reply } from './polite.ts';

/** Who may ask, and when. `store/gate.ts` has one that all processes share. */
export interface Gate {
  pass<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  hold(ms: number): void;
  heldFor(): number;
}

export interface PoliteClientOptions {
  userAgent: string;
  gate: Gate;
  proxy?: ProxyRoute | undefined;
  now: () => Date;
  /** Pause before another try; rejects with the signal's reason when it is aborted. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Replaces the base of every back-off, in milliseconds. */
  paceMs?: number | undefined;
  /** A pause or a Retry-After beyond this fails the request. */
  longestWaitMs: number;
  /** How often a request is tried in all; twice at most where no connection ever came about. */
  tries?: number;
  /** A try whose whole answer is not here within so many milliseconds is given up. */
  deadlineMs?: number;
  /** First pause after a fault that is no plea for patience, in milliseconds; it doubles. */
  faultMs?: number;
  /**
   * After a try that found no connection for some seconds there is no other, and for so many
   * milliseconds requests to that host fail at once: nobody should wait for that again.
   */
  awayMs?: number;
  /** Told before a pause that a fault makes necessary. */
  onPause?: ((reason: string, ms: number) => void) | undefined;
}

const TRIES = 4;
/** So often before any host was reached: this machine may have no network. */
const TRIES_AT_FIRST = 2;
/** A large page of records takes its time. */
const HEADERS_TIMEOUT_MS = 120_000;
const BODY_TIMEOUT_MS = 60_000;
/** The time-outs above only bound silence: one byte a second would keep them quiet for ever. */
const DEADLINE_MS = 5 * 60_000;
/** First pause of the back-off, which doubles: where we are asked to slow down, and elsewhere. */
const THROTTLED_MS = 60_000;
const FAULT_MS = 10_000;
const LONGEST_BACK_OFF_MS = 60 * 60_000;
/** A connection that fails sooner costs nobody any time. */
const SLOW_MS = 3_000;
/** Up to this share is added by chance, so that two who were refused together part ways. */
const JITTER = 0.1;

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const THROTTLED = new Set([406, 429]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const inflate = promisify(gunzip);

/** A client of one upstream. All its requests, retries included, go through the gate one by one. */
export function createPoliteClient(options: PoliteClientOptions): PoliteClient {
  const { gate, sleep = pause, longestWaitMs, tries = TRIES, deadlineMs = DEADLINE_MS } = options;
  let dispatching: Promise<Dispatcher> | undefined;
  /** When a host was last found away, in milliseconds of the clock. */
  const foundAway = new Map<string, number>();
  /** Some host has answered. */
  let isOnline = false;
  const millis = () => options.now().getTime();
  const isAway = (host: string): boolean => {
    const since = millis() - (foundAway.get(host) ?? Number.NaN);
    // A clock that was set back must not keep it away.
    return since >= 0 && since < (options.awayMs ?? 0);
  };
  const connect = () => {
    dispatching ??= createDispatcher(options.proxy, {
      connections: 1,
      pipelining: 1,
      headersTimeout: HEADERS_TIMEOUT_MS,
      bodyTimeout: BODY_TIMEOUT_MS,
    });
    return dispatching;
  };

  async function send<T>(url: URL, request: PoliteRequest<T>, signal: AbortSignal): Promise<T> {
    const dispatcher = await connect();
    const begun = millis();
    const response = await dispatcher
      .request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        headers: { 'user-agent': options.userAgent, 'accept-encoding': 'gzip' },
        signal,
      })
      .catch((error: unknown) => {
        if (isUnreachable(error) && millis() - begun > SLOW_MS) foundAway.set(url.host, millis());
        throw connectionError(error, url.host);
      });
    isOnline = true;
    const status = response.statusCode;
    if (status !== 200 && request.statuses?.includes(status) !== true) {
      await discard(response, signal);
      const retryAfterMs = parseRetryAfter(single(response.headers['retry-after']), options.now());
      const message = `${url.host} answered with status ${status}`;
      throw new HttpError('status', message, { status, retryAfterMs });
    }
    return request.read(await toReply(response, url, request.maxBytes));
  }

  return {
    async get(address, request) {
      const url = new URL(address);
      for (let failures = 0; ; ) {
        request.signal?.throwIfAborted();
        expectSoon(gate.heldFor(), longestWaitMs, url.host);
        if (isAway(url.host)) {
          throw new HttpError('connection', `${url.host} could not be reached a moment ago`);
        }
        try {
          const attempt = () =>
            withDeadline(request.signal, deadlineMs, (bounded) => send(url, request, bounded));
          return await gate.pass(request.intervalMs, attempt, request.signal);
        } catch (error) {
          request.signal?.throwIfAborted();
          failures += 1;
          if (isAway(url.host)) throw error;
          const wait = mayPass(error) ? backOff(error, failures, options) : null;
          if (wait === null) throw error;
          // Whoever asks us to slow down means everybody here.
          const asked = error instanceof HttpError && error.fault === 'status';
          if (asked) gate.hold(wait);
          const isAlone = !isOnline && error instanceof HttpError && isUnreachable(error.cause);
          const most = isAlone ? Math.min(tries, TRIES_AT_FIRST) : tries;
          if (failures >= most || wait > longestWaitMs) throw error;
          options.onPause?.(error instanceof Error ? error.message : String(error), wait);
          if (!asked) await sleep(wait, request.signal);
        }
      }
    },
    async close() {
      const opened = await dispatching?.catch(() => undefined);
      await opened?.destroy();
    },
  };
}

function expectSoon(heldMs: number, longestWaitMs: number, host: string): void {
  if (heldMs <= longestWaitMs) return;
  const minutes = Math.ceil(heldMs / 60_000);
  throw new HttpError('held', `${host} asked to be left alone for another ${minutes} minutes`, {
    retryAfterMs: heldMs,
  });
}

/** No connection came about; an upstream that breaks one off, or is slow to answer, is there. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNREACHABLE.has(String(error.code));
}

function mayPass(error: unknown): boolean {
  if (error instanceof BadAnswer) return true;
  if (!(error instanceof HttpError)) return false;
  const { fault, status } = error;
  if (fault === 'status') return status !== undefined && (THROTTLED.has(status) || status >= 500);
  return fault === 'connection' || fault === 'timeout' || fault === 'truncated';
}

/** Milliseconds before the next try. A Retry-After is kept whatever it is. */
function backOff(
  error: unknown,
  failures: number,
  { paceMs, faultMs = FAULT_MS }: PoliteClientOptions,
): number {
  const { status, retryAfterMs = 0 } = error instanceof HttpError ? error : {};
  const throttled = status !== undefined && THROTTLED.has(status);
  const base = paceMs ?? (throttled ? THROTTLED_MS : faultMs);
  const grown = base * 2 ** (failures - 1) * (1 + Math.random() * JITTER);
  return Math.max(Math.min(Math.round(grown), LONGEST_BACK_OFF_MS), retryAfterMs);
}

async function toReply(
  response: Dispatcher.ResponseData,
  url: URL,
  maxBytes: number,
): Promise<Reply> {
  const { headers, statusCode: status } = response;
  const sent = await collect(response, { host: url.host, maxBytes });
  const location = single(headers.location);
  return {
    status,
    contentType: (single(headers['content-type']) ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    location:
      REDIRECTS.has(status) && location !== undefined && URL.canParse(location, url.href)
        ? new URL(location, url).href
        : undefined,
    body: /gzip/.test(single(headers['content-encoding']) ?? '')
      ? await unpack(sent, url.host, maxBytes)
      : sent,
  };
}

async function unpack(sent: Buffer, host: string, maxBytes: number): Promise<Buffer> {
  try {
    return await inflate(sent, { maxOutputLength: maxBytes });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new HttpError('too_large', `${host} sends more than expected`, { cause });
    }
    throw new HttpError('truncated', `${host} sent a damaged body`, { cause });
  }
}
