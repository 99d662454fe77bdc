import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { serveOnHttp } from '../../../../src/doors/http/listen.ts';
import { openDoor, refusal } from './door.ts';

it('a REST call is answered, charged and logged under one request id, which a client cannot choose', async () => {
  const { ask, db, lines } = openDoor({ credits: 5 });
  const headers = { 'X-Request-Id': 'mine' };
  const response = await ask('/api/probe/get?q=cpi&limit=3', { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-api-version')).toBe('1');
  const requestId = response.headers.get('x-request-id');
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await response.json()).toEqual({
    data: { q: 'cpi', limit: 3 },
    meta: { creditsUsed: 1, remainingCredits: 4, requestId, asOf: '2026-11-21T00:00:00.000Z' },
  });
  expect(db.prepare('SELECT account, operation, credits, request_id FROM ledger').all()).toEqual([
    { account: 'ada', operation: 'probe_get', credits: 1, request_id: requestId },
  ]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^2026-11-21T12:00:00\.000Z GET \/api\/probe\/get 200 [\d.]+ms account=ada operation=probe_get credits=1 id=/,
  );
  expect(lines[0]).toContain(`id=${requestId}`);
});

it('a REST route decodes the argument in its path, and refuses it in the query', async () => {
  const { ask } = openDoor();
  const response = await ask('/api/probe/items/a%2Fb%20%C3%A9?full=1');
  expect(await response.json()).toMatchObject({ data: { item_id: 'a/b é', full: '1' } });
  const refused = await refusal(await ask('/api/probe/items/a?item_id=b'));
  expect(refused).toMatchObject({ code: 'invalid_request', param: 'item_id' });
});

it('HEAD returns the headers of GET and no body, at the same price', async () => {
  const { ask, balance } = openDoor();
  const response = await ask('/api/probe/get', { method: 'HEAD' });
  const got = await ask('/api/probe/get');
  expect(await response.text()).toBe('');
  expect(response.status).toBe(200);
  for (const name of ['content-type', 'content-length', 'x-api-version', 'ratelimit-limit']) {
    expect(response.headers.get(name), name).toBe(got.headers.get(name));
  }
  expect(balance()).toBe(98);
});

const long = 'é'.repeat(600);
const pages = { '/': { body: long, contentType: 'text/html' } };

it('a long response is compressed only for a client that accepts gzip', async () => {
  const { ask } = openDoor({ pages });
  for (const path of ['/', `/api/probe/get?q=${encodeURIComponent(long)}`]) {
    const response = await ask(path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(gunzipSync(await response.arrayBuffer()).toString()).toContain(long);
    const plain = await ask(path, { headers: { 'Accept-Encoding': '' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
  }
});

const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

it('an MCP response is compressed unless it is a stream', async () => {
  const { ask } = openDoor();
  const headers = { 'Accept-Encoding': 'gzip', Accept: '*/*' };
  const older = await ask('/mcp', { body: JSON.stringify(message), headers });
  expect(older.headers.get('content-encoding')).toBe('gzip');
  const params = { _meta: { progressToken: 1 } };
  const stream = await ask('/mcp', { body: JSON.stringify({ ...message, params }), headers });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  expect(stream.headers.get('content-encoding')).toBeNull();
  expect(await stream.text()).toContain('"tools"');
});

it.each<[string, Record<string, string>]>([
  ['Accept: */*', { Accept: '*/*' }],
  ['Accept: application/json', { Accept: 'application/json' }],
  ['Accept: text/event-stream', { Accept: 'text/event-stream' }],
  ['no Accept header', {}],
])('MCP responds in JSON to a client that sends %s', async (_, headers) => {
  const response = await openDoor().ask('/mcp', { body: JSON.stringify(message), headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toContain('probe_get');
});

/** The limit, the calls left and the seconds until the next is free. */
const limits = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));

it('the rate limit covers a minute from the first call, and is reported with each counted call', async () => {
  const { ask, bare, balance, clock } = openDoor({ rate: 2 });
  expect(limits(await ask('/api/probe/get'))).toEqual([2, 1, 60]);
  clock.at += 20_500;
  expect(limits(await ask('/api/probe/get?x=1'))).toEqual([2, 0, 40]);
  clock.at += 38_500;
  for (let again = 0; again < 3; again += 1) {
    const response = await ask('/api/probe/get');
    expect(response.headers.get('retry-after')).toBe('1');
    expect(limits(response)).toEqual([2, 0, 1]);
    expect(await refusal(response)).toMatchObject({ status: 429, code: 'rate_limited' });
  }
  expect(balance()).toBe(99);
  clock.at += 1_000;
  expect(limits(await ask('/api/probe/get'))).toEqual([2, 1, 60]);
  for (const uncounted of [bare('/health'), ask('/api/nothing')])
    expect((await uncounted).headers.has('ratelimit-limit')).toBe(false);
});

it('every response has security headers, but none that enforces HTTPS or lets another origin read it', async () => {
  const { ask, bare } = openDoor({ pages: { '/': { body: '<p>', contentType: 'text/html' } } });
  const headers = { Origin: 'http://127.0.0.1:8787', 'Access-Control-Request-Method': 'GET' };
  const responses = [
    ...[ask('/api/probe/get', { headers }), ask('/api/probe/get', { method: 'OPTIONS', headers })],
    ...[bare('/'), bare('/api/nothing'), bare('/api/probe/get')],
  ];
  for (const { headers } of await Promise.all(responses)) {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect([...headers.keys()].join()).not.toMatch(/access-control|strict-transport-security/);
  }
  expect((await bare('/')).headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'",
  );
});

it('the error names an IPv6 address on which a server cannot listen as in a URL', async () => {
  const away = { host: '2001:db8::1', port: 80 };
  await expect(serveOnHttp(openDoor().door, away)).rejects.toThrow('on [2001:db8::1]:80 (E');
});

it('the log contains no key, query or forged line, wherever a client puts one', async () => {
  const { ask, bare, key, lines } = openDoor();
  await ask(`/api/probe/items/${key}?full=${key}`);
  await bare(`/api/${key}`);
  const pageKey = 'page_A-bc_DEF0123456789abcdefghijklmn';
  await bare(`/key=${pageKey}`);
  await bare(`/%0a2026 GET / 200 forged`, { headers: { Authorization: key } });
  expect(lines.join('\n').split('\n')).toHaveLength(4);
  const params = { _meta: { progressToken: 1 } };
  const headers = { 'MCP-Protocol-Version': key };
  await (await ask('/mcp', { body: JSON.stringify({ ...message, params }), headers })).text();
  const text = lines.join('\n');
  expect(text).toContain('qs_***');
  expect(text).not.toContain(key);
  expect(text).toContain('/key=page_*** ');
  expect(text).not.toContain('full');
});
