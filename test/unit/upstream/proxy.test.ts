import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import type { HttpClientOptions } from '../../../src/upstream/client.ts';
import { acceptsConnection } from '../../../src/upstream/dispatcher.ts';
import { startDeaf } from '../../stand-ins/deaf.ts';
import { end, listen } from '../../stand-ins/upstream.ts';
import { makeClient, startServer, type TestServer } from './server.ts';

/** A name that only the proxy can resolve. */
const NAME = 'http://upstream.test';

let server: TestServer;
let proxy: Server;
let proxyUrl: string;
/** Connections that a silent proxy keeps open. */
let stuck: Duplex[];
/** Tunnels requested from the proxy, with the credentials received. */
let tunnels: [target: string, credentials: string | undefined][];

beforeEach(async () => {
  server = await startServer((_, response) => response.end('through the proxy'));
  tunnels = [];
  stuck = [];
  proxy = createServer().on('connect', ({ url = '', headers }, socket) => {
    tunnels.push([url, headers['proxy-authorization']]);
    const upstream = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => {});
  });
  proxyUrl = new URL(await listen(proxy)).host;
});
afterEach(async () => {
  for (const socket of stuck) socket.destroy();
  await server.close();
  await end(proxy);
});

type Env = Record<string, string>;
const configured = (env: Env) => readConfig(env).proxy;

async function ask(url: string, env: Env, limits: Partial<HttpClientOptions> = {}) {
  const client = makeClient({ proxy: configured(env), tries: 1, ...limits });
  try {
    const read = ({ body }: { body: Buffer }) => body.toString();
    return await client.get(url, { read, maxBytes: 1_000, intervalMs: 0 });
  } finally {
    await client.close();
  }
}

/** Makes the proxy accept requests and answer none. */
function silenceProxy(): void {
  proxy.removeAllListeners('connect').on('connect', (_, socket) => stuck.push(socket));
}

it('requests go through the proxy in the environment, with its credentials', async () => {
  const env = { HTTP_PROXY: `http://user:p%40ss@${proxyUrl}` };
  expect(await ask(`${NAME}/a`, env)).toBe('through the proxy');
  const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(tunnels).toEqual([['upstream.test:80', credentials]]);
  expect(server.requests).toEqual(['/a']);
});

it('a host counts as unreachable if the proxy stays silent or cannot be reached', async () => {
  silenceProxy();
  const fault = { fault: 'unreachable' };
  const limits = { connectMs: 200, deadlineMs: 400 };
  await expect(ask(NAME, { HTTP_PROXY: proxyUrl }, limits)).rejects.toMatchObject(fault);
  expect(stuck).toHaveLength(1);
  await expect(ask(NAME, { HTTP_PROXY: '127.0.0.1:9' }, limits)).rejects.toMatchObject(fault);
  const deaf = await startDeaf(1);
  await expect(ask(NAME, { HTTP_PROXY: deaf.urls[0] ?? '' }, limits)).rejects.toMatchObject(fault);
  await deaf.close();
});

it('a lower-case proxy variable takes precedence and needs no scheme', async () => {
  const env = { http_proxy: proxyUrl, HTTP_PROXY: '127.0.0.1:9' };
  expect(await ask(NAME, env)).toBe('through the proxy');
});

it('requests over https use the proxy for https, or the one for http if there is no other', async () => {
  await expect(ask('https://upstream.test/', { HTTP_PROXY: proxyUrl })).rejects.toThrow();
  await expect(ask('https://upstream.test/', { HTTPS_PROXY: proxyUrl })).rejects.toThrow();
  expect(tunnels.map(([target]) => target)).toEqual(['upstream.test:443', 'upstream.test:443']);
});

it('localhost and the hosts in NO_PROXY bypass the proxy', async () => {
  for (const except of ['test', 'other.org, upstream.test', '*']) {
    await expect(ask(NAME, { HTTP_PROXY: proxyUrl, NO_PROXY: except })).rejects.toThrow();
  }
  expect(await ask(server.url, { HTTP_PROXY: proxyUrl })).toBe('through the proxy');
  expect(tunnels).toEqual([]);
});

it('a connection check finds out whether a host can be reached, directly or through the proxy, and sends no request', async () => {
  const through = configured({ HTTP_PROXY: proxyUrl });
  expect(await acceptsConnection(new URL(NAME), through)).toBe(true);
  expect(tunnels.map(([target]) => target)).toEqual(['upstream.test:80']);
  expect(await acceptsConnection(new URL(server.url), undefined)).toBe(true);
  expect(server.requests).toEqual([]);
  expect(await acceptsConnection(new URL('http://127.0.0.1:9'), through)).toBe(false);
  expect(await acceptsConnection(new URL(NAME), undefined)).toBe(false);
  silenceProxy();
  expect(await acceptsConnection(new URL(NAME), through, 200)).toBe(false);
  expect(stuck).toHaveLength(1);
});

it('an invalid proxy address is rejected without being quoted', () => {
  expect(() => configured({ HTTPS_PROXY: 'ftp://user:secret@proxy' })).toThrow(
    'HTTPS_PROXY must be the URL of a proxy, such as http://proxy.example.org:3128.',
  );
  expect(configured({})).toBeUndefined();
});
