import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { pause } from '../core/time.ts';
import { collect, discard, single, timeoutError, withDeadline } from './body.ts';
import { createDispatcher, type ProxyRoute, whenConnected } from './dispatcher.ts';
import { connectionError, HttpError } from './errors.ts';
import { parseRetryAfter } from './http.ts';
import {
  InvalidResponseError,
  type PoliteClient,
  type PoliteRequest,
  type Reply,
} from './polite.ts';
import { CONNECT_WAIT_MS } from './wait.ts';

/** Who may ask, and when. `store/gate.ts` has one that all processes share. */
export interface Gate {
  pass<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  hold(ms: number): void;
  heldFor(): number;
}

/** Which hosts could be connected to. `store/reachability.ts` has one that all processes share. */
export interface Reachability {
  isUnreachable(host: string): boolean;
  markUnreachable(host: string): void;
  markConnected(host: string): void;
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
  /** Told of every connection that came about, did not, or takes longer than callers wait for it. */
  reachability?: Reachability | undefined;
  /** A request to a host that is known to be unreachable fails at once. */
  failFast?: boolean;
  /** A try that is not connected within so many milliseconds is given up. */
  connectMs?: number;
  /** First pause after a try that was not connected, in milliseconds; that of any fault elsewhere. */
  reconnectMs?: number;
  /** Told before a pause that a fault makes necessary. */
  onPause?: ((reason: string, ms: number) => void) | undefined;
}

const TRIES = 4;
/** So often before any host was reached: this machine may have no network. */
const TRIES_AT_FIRST = 2;
/** After so many a host that was not connected to counts as unreachable. */
const TRIES_TO_CONNECT = 2;
const CONNECT_MS = 10_000;
/** A proxy may take a connection and never reach the host: the whole way may take so many times that. */
const WHOLE_WAY = 2;
/** A large page of records takes its time. */
const HEADERS_TIMEOUT_MS = 120_000;
const BODY_TIMEOUT_MS = 60_000;
/** The time-outs above only bound silence: one byte a second would keep them quiet for ever. */
const DEADLINE_MS = 5 * 60_000;
/** First pause of the back-off, which doubles: where we are asked to slow down, and elsewhere. */
const THROTTLED_MS = 60_000;
const FAULT_MS = 10_000;
const LONGEST_BACK_OFF_MS = 60 * 60_000;
/** Up to this share is added by chance, so that two who were refused together part ways. */
const JITTER = 0.1;

const THROTTLED = new Set([406, 429]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const inflate = promisify(gunzip);

/** A client of one upstream. All its requests, retries included, go through the gate one by one. */
export function createPoliteClient(options: PoliteClientOptions): PoliteClient {
  const { gate, sleep = pause, longestWaitMs, tries = TRIES, deadlineMs = DEADLINE_MS } = options;
  const { reachability, connectMs = CONNECT_MS } = options;
  let dispatching: Promise<Dispatcher> | undefined;
  const closing = new AbortController();
  /** Some host was connected to. */
  let isOnline = false;
  const openDispatcher = () => {
    dispatching ??= createDispatcher(options.proxy, {
      connections: 1,
      pipelining: 1,
      connectMs,
      signal: closing.signal,
      headersTimeout: HEADERS_TIMEOUT_MS,
      bodyTimeout: BODY_TIMEOUT_MS,
    });
    return dispatching;
  };

  /** The head of the answer. */
  async function ask(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { host, origin, pathname, search } = url;
    const dispatcher = await openDispatcher();
    let isConnected = false;
    const leaving = new AbortController();
    signal.addEventListener('abort', () => leaving.abort(signal.reason), { once: true });
    const late = setTimeout(() => reachability?.markUnreachable(host), CONNECT_WAIT_MS);
    const never = setTimeout(() => leaving.abort(timeoutError()), connectMs * WHOLE_WAY);
    const stopTimers = () => {
      clearTimeout(late);
      clearTimeout(never);
    };
    const connected = whenConnected(dispatcher, () => {
      stopTimers();
      isConnected = true;
      isOnline = true;
      reachability?.markConnected(host);
    });
    const headers = { 'user-agent': options.userAgent, 'accept-encoding': 'gzip' };
    const path = `${pathname}${search}`;
    try {
      const options = { origin, path, method: 'GET', headers, signal: leaving.signal } as const;
      return await untilAborted(connected.request(options), leaving.signal);
    } catch (error) {
      throw connectionError(error, host, isConnected);
    } finally {
      stopTimers();
    }
  }

  async function send<T>(url: URL, request: PoliteRequest<T>, signal: AbortSignal): Promise<T> {
    const response = await ask(url, signal);
    const status = response.statusCode;
    if (status !== 200 && request.statuses?.includes(status) !== true) {
      await discard(response, signal);
      const retryAfterMs = parseRetryAfter(single(response.headers['retry-after']), options.now());
      const message = `${url.host} answered with status ${status}`;
      throw new HttpError('status', message, { status, retryAfterMs });
    }
    return request.read(await toReply(response, url, request.maxBytes));
  }

  function expectReachable(host: string): void {
    if (options.failFast === true && reachability?.isUnreachable(host) === true) {
      throw new HttpError('known_unreachable', `${host} could not be reached a moment ago`);
    }
  }

  /** How long to pause before another try; throws `error` where there should be none. */
  function pauseAfter(error: unknown, failures: number, host: string): number {
    const isUnreachable = error instanceof HttpError && error.fault === 'unreachable';
    if (isUnreachable && failures >= TRIES_TO_CONNECT) reachability?.markUnreachable(host);
    if (!mayPass(error)) throw error;
    const wait = backOff(error, failures, options);
    // Whoever asks us to slow down means everybody here.
    if (isPlea(error)) gate.hold(wait);
    const most = isUnreachable && !isOnline ? Math.min(tries, TRIES_AT_FIRST) : tries;
    if (failures >= most || wait > longestWaitMs) throw error;
    return wait;
  }

  return {
    async get(address, request) {
      const url = new URL(address);
      for (let failures = 0; ; ) {
        request.signal?.throwIfAborted();
        expectSoon(gate.heldFor(), longestWaitMs, url.host);
        if (failures === 0) expectReachable(url.host);
        try {
          const attempt = () => {
            // Again in its turn: whoever went before may have found out meanwhile.
            if (failures === 0) expectReachable(url.host);
            return withDeadline(request.signal, deadlineMs, (bounded) =>
              send(url, request, bounded),
            );
          };
          return await gate.pass(request.intervalMs, attempt, request.signal);
        } catch (error) {
          request.signal?.throwIfAborted();
          failures += 1;
          const wait = pauseAfter(error, failures, url.host);
          options.onPause?.(error instanceof Error ? error.message : String(error), wait);
          if (!isPlea(error)) await sleep(wait, request.signal);
        }
      }
    },
    async close() {
      closing.abort();
      const opened = await dispatching?.catch(() => undefined);
      await opened?.destroy();
    },
  };
}

/** undici rejects an aborted request only when its connection has come about, or has failed. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Raced and lost, it may reject when nobody listens any more.
  work.catch(() => {});
  const ended = new AbortController();
  try {
    return await new Promise<T>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true, signal: ended.signal });
      work.then(resolve, reject);
    });
  } finally {
    ended.abort();
  }
}

function expectSoon(heldMs: number, longestWaitMs: number, host: string): void {
  if (heldMs <= longestWaitMs) return;
  const minutes = Math.ceil(heldMs / 60_000);
  throw new HttpError('held', `${host} asked to be left alone for another ${minutes} minutes`, {
    retryAfterMs: heldMs,
  });
}

/** The upstream is there, and answered with a status that asks for patience. */
function isPlea(error: unknown): boolean {
  return error instanceof HttpError && error.fault === 'status';
}

function mayPass(error: unknown): boolean {
  if (error instanceof InvalidResponseError) return true;
  if (!(error instanceof HttpError)) return false;
  const { fault, status } = error;
  if (fault === 'status') return status !== undefined && (THROTTLED.has(status) || status >= 500);
  return ['unreachable', 'connection', 'timeout', 'truncated'].includes(fault);
}

/** Milliseconds before the next try. A Retry-After is kept whatever it is. */
function backOff(
  error: unknown,
  failures: number,
  { paceMs, faultMs = FAULT_MS, reconnectMs = faultMs }: PoliteClientOptions,
): number {
  const { fault, status, retryAfterMs = 0 } = error instanceof HttpError ? error : {};
  const throttled = status !== undefined && THROTTLED.has(status);
  const unthrottled = fault === 'unreachable' ? reconnectMs : faultMs;
  const base = paceMs ?? (throttled ? THROTTLED_MS : unthrottled);
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
