import type { ServerResponse } from 'node:http';

/** A fault in one response. */
export type Fault =
  /** The usual response, so that the next fault hits the request after it. */
  | { kind: 'none' }
  | { kind: 'status'; status: number; retryAfter?: string | number; body?: string }
  /** The connection is reset before the response. */
  | { kind: 'reset' }
  /** Half of the body, with the Content-Length of all of it. */
  | { kind: 'truncated' }
  /** Half of the body, with a correct Content-Length. */
  | { kind: 'cut' }
  /** A page without records that claims to have some. */
  | { kind: 'empty-page' }
  /** A web page with status 200 instead of the requested content. */
  | { kind: 'html' }
  | { kind: 'body'; body: string | Buffer; type?: string; status?: number }
  | { kind: 'bad-token' }
  | { kind: 'redirect'; location: string }
  /** The usual response, sent once a promise is fulfilled. */
  | { kind: 'held'; until: Promise<unknown> }
  /** No response; the request hangs until the client gives up. */
  | { kind: 'hang' };

/** A fault that delays a response until it is released. */
export function makeHold(): { fault: Fault; release: () => void } {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { fault: { kind: 'held', until }, release };
}

/** Part of a path with its query, a pattern, or a predicate. */
export type Matcher = string | RegExp | ((path: string) => boolean);

export interface StandInResponse {
  status: number;
  type: string;
  body: Buffer;
  headers?: Record<string, string>;
}

export function json(content: unknown, status = 200): StandInResponse {
  const body = Buffer.from(JSON.stringify(content));
  return { status, type: 'application/json; charset=utf-8', body };
}

/** Faults for the next requests. */
export class FaultQueue {
  readonly #queues: { matcher: Matcher; faults: Fault[] }[] = [];

  add(matcher: Matcher, faults: readonly Fault[]): void {
    this.#queues.push({ matcher, faults: [...faults] });
  }

  /** Takes the next fault from the first matching queue that is not empty. */
  take(path: string): Fault {
    const queue = this.#queues.find((each) => each.faults.length > 0 && fits(each.matcher, path));
    return queue?.faults.shift() ?? { kind: 'none' };
  }

  /** Number of unused faults. */
  count(): number {
    return this.#queues.reduce((total, { faults }) => total + faults.length, 0);
  }
}

function fits(matcher: Matcher, path: string): boolean {
  if (typeof matcher === 'string') return path.includes(matcher);
  return matcher instanceof RegExp ? matcher.test(path) : matcher(path);
}

const WRONG_PAGE: StandInResponse = {
  status: 200,
  type: 'text/html; charset=utf-8',
  body: Buffer.from(
    '<!DOCTYPE html><html><head><title>Busy</title></head><body>Later.</body></html>',
  ),
};

export function redirect(location: string): StandInResponse {
  const type = 'text/html; charset=utf-8';
  return { status: 307, type, body: Buffer.of(), headers: { location } };
}

/** The response that replaces the usual one; null if none does. */
export function faultResponse(fault: Fault): StandInResponse | null {
  switch (fault.kind) {
    case 'status': {
      const { status, retryAfter } = fault;
      const { body = status === 429 ? 'Rate exceeded.' : 'Made to fail.' } = fault;
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      return { status, type: 'text/plain', body: Buffer.from(body), headers };
    }
    case 'html':
      return WRONG_PAGE;
    case 'redirect':
      return redirect(fault.location);
    case 'body': {
      const { body, type = 'application/json', status = 200 } = fault;
      return { status, type, body: Buffer.from(body) };
    }
    default:
      return null;
  }
}

/** Sends `response`, cut, delayed or replaced as `fault` requires. */
export function deliver(outgoing: ServerResponse, response: StandInResponse, fault: Fault): void {
  if (fault.kind === 'hang') return;
  if (fault.kind === 'reset') {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  const { status, type, headers } = response;
  const body = fault.kind === 'cut' ? half(response.body) : response.body;
  outgoing.writeHead(status, { 'content-type': type, 'content-length': body.length, ...headers });
  if (fault.kind === 'truncated') outgoing.write(half(body), () => outgoing.destroy());
  else outgoing.end(body);
}

function half(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}
