import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../../../src/accounts/api-keys.ts';
import { AREAS } from '../../../../src/core/area.ts';
import { LIMITS, type Limits, serveOnHttp } from '../../../../src/doors/http/listen.ts';
import { currentEra, openDoor } from './door.ts';

/** A door on its own port, with limits in milliseconds short enough for tests. */
async function listen(limits: Partial<Limits> = {}, options: Parameters<typeof openDoor>[0] = {}) {
  const opened = openDoor(options);
  const place = { host: '127.0.0.1', port: 0 };
  const server = await serveOnHttp(opened.door, place, { ...LIMITS, ...limits });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  const get = (path: string) =>
    fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${opened.key}` } });
  return { ...opened, server, port, get };
}

/** A raw connection: the data received, and whether the server has closed it. */
class Line {
  readonly socket: Socket;
  received = '';
  readonly ended: Promise<void>;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('utf8').on('data', (text: string) => {
      this.received += text;
    });
    // A connection cut by the server is detected by its end.
    this.socket.on('error', () => {});
    this.ended = new Promise((resolve) => this.socket.on('close', () => resolve()));
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Waits until the response contains `text`. */
  async until(text: string): Promise<string> {
    while (!this.received.includes(text)) {
      if (this.socket.destroyed) throw new Error(`ended after: ${this.received}`);
      await delay(5);
    }
    return this.received;
  }
}

/** Open connections, oldest first. */
async function openLines(port: number, count: number): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const line = new Line(port);
    await once(line.socket, 'connect');
    lines.push(line);
  }
  return lines;
}

/** A door that keeps calls of `probe_post` waiting until they are released. */
async function listenAndHold(limits: Partial<Limits> = {}) {
  let release = () => {};
  const hold = new Promise<void>((resolve) => (release = resolve));
  return { ...(await listen(limits, { hold })), release };
}

/** A raw POST; the body may be shorter than its header says. */
function postTo(path: string, key: string, body: string, headers: Record<string, unknown> = {}) {
  const all = {
    Host: 'localhost',
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...('Transfer-Encoding' in headers ? {} : { 'Content-Length': body.length }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
const PROBE = '/api/probe/items/post';
const getRequest = (key: string) =>
  `GET /api/probe/get?q=x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
const postRequest = (key: string) => postTo(PROBE, key, '{"query":"x"}');
const mcpRequest = (key: string, method: string, params: object, headers = {}) =>
  postTo('/mcp', key, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), {
    Accept: 'application/json, text/event-stream',
    ...headers,
  });

it('a client that sends only part of its headers or body is cut off, and delays no other client', async () => {
  // Enough for the request that does arrive, even on a busy machine.
  const { port, key, get } = await listen({ headersMs: 1_000, requestMs: 1_500, checkMs: 50 });
  const slow = Array.from({ length: 50 }, () =>
    new Line(port).send('GET /health HTTP/1.1\r\nHost: localhost\r\n'),
  );
  const half = postTo(PROBE, key, '{"query":', { 'Content-Length': 100 });
  slow.push(new Line(port).send(half));
  expect((await get('/api/probe/get')).status).toBe(200);
  await Promise.all(slow.map(({ ended }) => ended));
  for (const line of slow) expect(line.received).not.toContain('200 OK');
});

it('a client that waits for a slow response is not cut off', async () => {
  const { port, key, release } = await listenAndHold({ unreadMs: 50 });
  const line = new Line(port).send(postRequest(key));
  await delay(300);
  release();
  await line.until('200 OK');
});

it('calls fail free of charge while a client leaves a large response unread, until that client is cut off', async () => {
  const pages = { '/big': { body: 'x'.repeat(24_000_000), contentType: 'text/plain' } };
  const { port, get, db } = await listen({ unsentBytes: 1_000_000, unreadMs: 1_000 }, { pages });
  const lazy = new Line(port);
  lazy.socket.pause();
  lazy.send('GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await delay(500);
  const refused = await get('/api/probe/get?q=x');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(await refused.json()).toMatchObject({ error: { code: 'service_unavailable' } });
  expect(db.prepare('SELECT count(*) FROM ledger').pluck().get()).toBe(0);
  expect((await get('/health')).status).toBe(200);
  await expect.poll(async () => (await get('/api/probe/get?q=x')).status).toBe(200);
  lazy.socket.resume();
  await lazy.ended;
  expect(lazy.received.length).toBeLessThan(24_000_000);
});

it.each([
  ['before it is sent', { 'Content-Length': 65_537 }, 0],
  ['as soon as its chunks exceed the limit', { 'Transfer-Encoding': 'chunked' }, 9],
])('a body that is too long is refused %s', async (_, headers, chunks) => {
  const { port, key } = await listen();
  const line = new Line(port).send(postTo(PROBE, key, '', headers));
  for (let sent = 0; sent < chunks; sent += 1) line.send(`2000\r\n${'x'.repeat(8_192)}\r\n`);
  expect(await line.until('\r\n\r\n{')).toContain('413 Payload Too Large');
  await line.ended;
});

it('a client that pipelines too many requests gets responses to the first ones, and is then cut off', async () => {
  const pages = { '/page': { body: 'x'.repeat(50_000), contentType: 'text/plain' } };
  const { port, get } = await listen({}, { pages });
  const line = new Line(port);
  line.send('GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1_000));
  await line.ended;
  expect(line.received.split('HTTP/1.1 200').length - 1).toBe(LIMITS.pipelined);
  expect(line.received.split('HTTP/1.1 503').length - 1).toBe(1);
  expect((await get('/api/probe/get')).status).toBe(200);
});

describe('a crowded server', () => {
  it('closes its oldest idle connections to make room for a call', async () => {
    const { port, key, get } = await listen({ connections: 3 });
    // One sends half a request, and one has sent a request before.
    const [half] = await openLines(port, 1);
    half?.send('GET / HTTP/1.1\r\n');
    const [served] = await openLines(port, 1);
    await served?.send('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n').until('200');
    const idle = await openLines(port, 12);
    expect((await get('/api/probe/get?q=x')).status).toBe(200);
    await half?.ended;
    await idle.at(-1)?.send(getRequest(key)).until('200 OK');
  });

  it('keeps new idle connections open beyond its limit', async () => {
    const { port, key } = await listen({ connections: 3 });
    const [oldest] = await openLines(port, 6);
    await oldest?.send(getRequest(key)).until('200 OK');
  });

  it('drops clients that leave a public page unread, to make room for calls', async () => {
    const pages = { '/big': { body: 'x'.repeat(12_000_000), contentType: 'text/plain' } };
    const { port, get } = await listen({ connections: 2, unsentBytes: 1e9 }, { pages });
    for (let opened = 0; opened < 4; opened += 1) {
      const lazy = new Line(port).send('GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await lazy.until('200 OK');
      lazy.socket.pause();
    }
    expect((await get('/api/probe/get?q=x')).status).toBe(200);
  });

  it('refuses an excess call with a Retry-After header, and finishes the calls in progress', async () => {
    const { port, key, get, db, release } = await listenAndHold({ connections: 2 });
    const atWork = [new Line(port), new Line(port)];
    for (const line of atWork) line.send(postRequest(key));
    const calls = () => db.prepare('SELECT sum(calls) FROM rate_window').pluck().get();
    while (calls() !== 2) await delay(5);
    const refused = await get('/api/probe/get?q=x');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('connection')).toBe('close');
    expect(await refused.json()).toMatchObject({
      error: { code: 'service_unavailable', message: expect.stringContaining('Call again') },
    });
    expect(calls()).toBe(2);
    release();
    for (const line of atWork) await line.until('200 OK');
    expect((await get('/api/probe/get?q=x')).status).toBe(200);
  });
});

describe('malformed HTTP', () => {
  const GARBAGE = 'no such thing\r\n\r\n';
  const responsesOf = ({ received }: Line) =>
    [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

  it('is refused only after the earlier requests on its connection are answered', async () => {
    const { port, key, release } = await listenAndHold();
    const line = new Line(port).send(`${postRequest(key)}${postRequest(key)}${GARBAGE}`);
    await delay(50);
    expect(line.received).toBe('');
    release();
    await line.ended;
    expect(responsesOf(line)).toEqual(['200', '200', '400']);
    expect(line.received.match(/"creditsUsed":2/g)).toHaveLength(2);
  });

  const long = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
  const broken = (key: string) =>
    postRequest(key) + postTo(PROBE, key, 'zz\r\n', { 'Transfer-Encoding': 'chunked' });
  it.each<[string, string, (key: string) => string]>([
    ['400', 'is not a request', () => GARBAGE],
    ['431', 'has too long a header', () => long],
    ['200 and 400', 'has a broken body after a good request', broken],
  ])('is answered with %s if it %s', async (statuses, _, textOf) => {
    const { port, key } = await listen();
    const line = new Line(port).send(textOf(key));
    await line.ended;
    expect(responsesOf(line).join(' and ')).toBe(statuses);
  });
});

it('a flood of calls with one key does not delay a call with another', async () => {
  const { door, key, db, bare } = openDoor();
  const { key: other } = createKey(db, { name: 'bob', credits: 9, scopes: AREAS }, new Date());
  const ended: string[] = [];
  const call = async (name: string, bearer: string) => {
    const headers = { Authorization: `Bearer ${bearer}` };
    const { status } = await bare('/api/probe/get?q=x', { headers });
    ended.push(`${name} ${status}`);
  };
  const flood = Array.from({ length: 20 }, () => call('ada', key));
  await Promise.all([...flood, call('bob', other)]);
  expect(ended).toHaveLength(21);
  expect(ended.indexOf('bob 200')).toBeLessThan(4);
  await door.drain(0);
});

it('a closing server waits only a limited time for a call that does not end', async () => {
  const { port, key, server, db } = await listenAndHold({ drainMs: 100, flushMs: 100 });
  const running = new Line(port).send(postRequest(key));
  while (db.prepare('SELECT count(*) FROM rate_window').pluck().get() === 0) await delay(5);
  await server.close();
  await running.ended;
  expect(running.received).toBe('');
});

it('a closing server lets a streaming tool call finish', async () => {
  const { port, key, server, db, release } = await listenAndHold();
  const params = { name: 'probe_post', arguments: { query: 'x' }, _meta: { progressToken: 1 } };
  const line = new Line(port).send(mcpRequest(key, 'tools/call', params));
  await line.until('text/event-stream');
  expect(line.received.match(/^cache-control:/gim)).toHaveLength(1);
  const closed = server.close();
  await delay(50);
  release();
  await closed;
  await line.ended;
  expect(line.received).toContain('"creditsUsed":2');
  expect(db.prepare('SELECT count(*) FROM ledger').pluck().get()).toBe(1);
});

it('a closing server ends an idle notification stream', async () => {
  const { port, key, server } = await listen();
  const method = 'subscriptions/listen';
  const { headers, _meta } = currentEra(method);
  const params = { notifications: { toolsListChanged: true }, _meta };
  const line = new Line(port).send(mcpRequest(key, method, params, headers));
  await line.until('text/event-stream');
  await server.close();
  await line.ended;
});

it('an unusable port or address is reported with the option that changes it', async () => {
  const { port, door } = await listen();
  await expect(serveOnHttp(door, { host: '127.0.0.1', port })).rejects.toThrow(/--port/);
  await expect(serveOnHttp(door, { host: '192.0.2.1', port: 0 })).rejects.toThrow(/--host/);
});
