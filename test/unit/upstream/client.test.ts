import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { migrate } from '../../../src/store/migrations.ts';
import { Database } from '../../../src/store/sqlite.ts';
import {
  createRateLimiter,
  createReachability,
  type RateLimiter,
  upstreamMigrations,
} from '../../../src/store/upstreams.ts';
import {
  type HttpClient,
  type HttpClientOptions,
  type HttpResponse,
  userAgent,
} from '../../../src/upstream/client.ts';
import { HttpError, InvalidResponseError } from '../../../src/upstream/failures.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { cutOff, type Handler, makeClient, reset, startServer, type TestServer } from './server.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let server: TestServer;
let client: HttpClient | undefined;
let blocks: number[];
let intervals: number[];
let pauses: number[];
let retryAfter: number;
/** A store, and a clock that the test can set. */
let db: Database.Database;
let clock: number;
const now = () => new Date(clock);

const rateLimiter: RateLimiter = {
  run(intervalMs, work) {
    intervals.push(intervalMs);
    return work();
  },
  blockFor: (ms) => blocks.push(ms),
  retryAfter: () => retryAfter,
};

beforeEach(() => {
  blocks = [];
  intervals = [];
  pauses = [];
  retryAfter = 0;
  clock = NOW.getTime();
  db = new Database(':memory:');
  migrate(db, upstreamMigrations, NOW);
});
afterEach(async () => {
  db.close();
  await client?.close();
  await server.close();
});

/** A client of a server that answers with the handlers in turn. */
async function clientOf(handlers: readonly Handler[], options: Partial<HttpClientOptions> = {}) {
  server = await startServer(...handlers);
  client = makeClient({
    rateLimiter,
    sleep: async (ms) => void pauses.push(ms),
    ...options,
  });
  return client;
}

const readText = ({ body }: HttpResponse) => body.toString();
const request = { read: readText, maxBytes: 10_000, intervalMs: 3_100 };
const says =
  (text: string | Buffer, status = 200, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(text);

it('a query is sent as JSON, and sent again after a failure', async () => {
  const bodies: string[] = [];
  const failing: Handler = async (message, response) => {
    for await (const chunk of message) bodies.push(`${message.method} ${chunk}`);
    response.writeHead(bodies.length === 1 ? 503 : 200).end(message.headers['content-type']);
  };
  const client = await clientOf([failing]);
  const url = `${server.url}/query`;
  expect(await client.get(url, { ...request, json: { ids: ['a'] } })).toBe('application/json');
  expect(bodies).toEqual(['POST {"ids":["a"]}', 'POST {"ids":["a"]}']);
});

it('a request to a host that accepts a connection but stays silent fails early, unless the host has answered before', async () => {
  let requests = 0;
  const late: Handler = (_, response) => {
    requests += 1;
    setTimeout(() => response.end('late'), 1_500);
  };
  const limits = { firstResponseMs: 500, headersMs: 10_000, longestWaitMs: 0 };
  const silent = await clientOf([late], limits);
  await expect(silent.get(server.url, request)).rejects.toMatchObject({ fault: 'silent' });
  expect(requests).toBe(1);
  await silent.close();
  await server.close();
  const slow = await clientOf([says('first'), late], limits);
  expect(await slow.get(server.url, request)).toBe('first');
  expect(await slow.get(server.url, request)).toBe('late');
});

it('a request carries a User-Agent, and its response arrives complete and decompressed', async () => {
  let agent: string | undefined;
  const handler: Handler = ({ headers }, response) => {
    agent = headers['user-agent'];
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
  };
  const get = await clientOf([handler], { userAgent: userAgent('1.0', 'someone') });
  const response = await get.get(`${server.url}/a?b=c`, { ...request, read: (each) => each });
  expect(response).toEqual({ status: 200, body: Buffer.from('packed') });
  expect(agent).toBe('quantshelf/1.0 (+someone)');
  expect(server.requests).toEqual(['/a?b=c']);
  expect(intervals).toEqual([3_100]);
});

it('redirects and other statuses reach only a reader that expects them', async () => {
  const redirect = says('', 307, { location: '/there' });
  const get = await clientOf([redirect, says('gone', 404), redirect, says('there')]);
  const reader = { ...request, statuses: [307], read: ({ status }: HttpResponse) => status };
  expect(await get.get(`${server.url}/here`, reader)).toBe(307);
  await expect(get.get(server.url, request)).rejects.toMatchObject({ status: 404 });
  expect(await get.get(`${server.url}/here`, request)).toBe('there');
  expect(server.requests).toEqual(['/here', '/', '/here', '/there']);
});

describe('an unreachable upstream', () => {
  const reachability = () => createReachability(db, 'upstream', now);

  it('gets no request from a client with `until_connected` that has not connected before', async () => {
    const get = await clientOf([says('here'), says('there')], {
      now,
      reachability: reachability(),
      failFast: 'until_connected',
    });
    const { host } = new URL(server.url);
    reachability().markUnreachable(host);
    const refused = { fault: 'known_unreachable' };
    await expect(get.get(server.url, request)).rejects.toMatchObject(refused);
    reachability().markConnected(host);
    await get.get(server.url, request);
    reachability().markUnreachable(host);
    await get.get(server.url, request);
    expect(server.requests).toHaveLength(2);
  });

  it('gets no request that was waiting in the rate limiter when the upstream became unreachable', async () => {
    const run: RateLimiter['run'] = (_, work) => {
      reachability().markUnreachable(new URL(server.url).host);
      return work();
    };
    const options = { now, reachability: reachability(), rateLimiter: { ...rateLimiter, run } };
    const get = await clientOf([says('here')], { ...options, failFast: 'always' });
    const refused = { fault: 'known_unreachable' };
    await expect(get.get(server.url, request)).rejects.toMatchObject(refused);
    expect(server.requests).toEqual([]);
  });

  it('counts as reachable again once a connection succeeds, whatever the response', async () => {
    const options = { now, reachability: reachability() };
    const get = await clientOf([({ socket }) => socket.destroy(), says('at last')], options);
    const { host } = new URL(server.url);
    reachability().markUnreachable(host);
    clock += 1;
    await expect(get.get(server.url, request)).resolves.toBe('at last');
    expect(reachability().isUnreachable(host)).toBe(false);
  });
});

describe('a transient failure', () => {
  const later = (after: string) => says('', 503, { 'retry-after': after });
  const soon = new Date(NOW.getTime() + 90_000).toUTCString();
  it.each([
    ['status 503 and then 500', [10_000, 20_000], [says('', 503), says('', 500)], undefined],
    ['status 429', [60_000], [says('', 429)], undefined],
    ['status 406', [60_000], [says('', 406)], undefined],
    ['status 503 with a Retry-After of 120 s', [120_000], [later('120')], 1],
    ['status 503 with a Retry-After date', [90_000], [later(soon)], 1],
  ])(
    'such as %s blocks every process before each retry, for %j milliseconds',
    async (_, ms, faults, paceMs) => {
      const get = await clientOf([...faults, says('at last')], { paceMs });
      await expect(get.get(server.url, request)).resolves.toBe('at last');
      expect(intervals).toHaveLength(faults.length + 1);
      expect([blocks, pauses]).toEqual([ms, ms]);
    },
  );

  it.each<[string, Handler]>([
    ['a reset', reset],
    ['a short body', cutOff],
    ['a damaged gzip', says('no gzip', 200, { 'content-encoding': 'gzip' })],
    ['a response that its reader finds invalid', says('nonsense')],
  ])('such as %s is retried without blocking other processes', async (_, fault) => {
    const get = await clientOf([fault, says('ok')], { paceMs: 50 });
    const read = (response: HttpResponse) => {
      if (readText(response) !== 'ok') throw new InvalidResponseError('That cannot be.');
      return 'ok';
    };
    await expect(get.get(server.url, { ...request, read })).resolves.toBe('ok');
    expect(blocks).toEqual([]);
    expect(intervals).toEqual([50, 50]);
    expect(pauses).toEqual([50]);
  });

  it('ends the request after four attempts, each of which blocks other processes', async () => {
    const onPause = vi.fn();
    const get = await clientOf([says('', 429)], { paceMs: 10, onPause });
    const failure = get.get(server.url, request);
    await expect(failure).rejects.toMatchObject({ fault: 'status', status: 429 });
    expect(server.requests).toHaveLength(4);
    expect(blocks).toHaveLength(4);
    expect(onPause).toHaveBeenCalledTimes(3);
  });
});

it('a request fails at once if it would have to wait longer than allowed', async () => {
  const get = await clientOf([says('', 503, { 'retry-after': '3600' })], { longestWaitMs: 5_000 });
  await expect(get.get(server.url, request)).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  expect(server.requests).toHaveLength(1);
  retryAfter = 3_600_000;
  await expect(get.get(server.url, request)).rejects.toMatchObject({ fault: 'rate_limited' });
  expect(server.requests).toHaveLength(1);
});

it.each([
  ['plain', says('x'.repeat(10_001))],
  ['compressed', says(gzipSync('x'.repeat(1_000_000)), 200, { 'content-encoding': 'gzip' })],
])('a %s body above the size limit is rejected', async (_, handler) => {
  const get = await clientOf([handler]);
  await expect(get.get(server.url, request)).rejects.toMatchObject({ fault: 'too_large' });
  expect(server.requests).toHaveLength(1);
});

it("a reader's own error is passed on, and a permanent failure is not retried", async () => {
  const get = await clientOf([says('', 400), says('ok')]);
  await expect(get.get(server.url, request)).rejects.toBeInstanceOf(HttpError);
  const read = () => {
    throw new RangeError('mine');
  };
  await expect(get.get(server.url, { ...request, read })).rejects.toThrow(RangeError);
  expect(server.requests).toHaveLength(2);
});

const drip =
  (status: number): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    const drops = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drops));
  };

it.each([200, 503])(
  'a response with status %i that never ends is abandoned and requested again',
  async (status) => {
    const get = await clientOf([drip(status), says('at last')], { deadlineMs: 1_000 });
    await expect(get.get(server.url, request)).resolves.toBe('at last');
    expect(server.requests).toHaveLength(2);
  },
);

it('a closed client does not retry a request', async () => {
  const get = await clientOf([() => {}]);
  const fault = { fault: 'connection' };
  const asking = expect(get.get(server.url, request)).rejects.toMatchObject(fault);
  await expect.poll(() => server.requests).toHaveLength(1);
  await get.close();
  await asking;
  expect(server.requests).toHaveLength(1);
  expect(pauses).toEqual([]);
});

it('a retry is not delayed by the block that its own failure caused', async () => {
  const stored = createRateLimiter(db, 'upstream', join(temporaryDirectory(), 'lock'), now);
  const get = await clientOf([says('', 429, { 'retry-after': '120' }), says('ok')], {
    now,
    rateLimiter: stored,
    sleep: async (ms) => {
      expect(stored.retryAfter()).toBe(120_000);
      clock += ms;
    },
  });
  await expect(get.get(server.url, request)).resolves.toBe('ok');
  expect(clock).toBe(NOW.getTime() + 120_000);
  expect(stored.retryAfter()).toBe(0);
});
