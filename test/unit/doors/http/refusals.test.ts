import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/core/errors.ts';
import { openDoor, refusal } from './door.ts';

/*
 * Every refusal inside the app; listen.test.ts covers those of the server in front of it. End-to-end tests
 * only show that the doors agree and that flags reach the app.
 */

const POST = '/api/probe/items/post';

describe('the HTTP door', () => {
  const NOT_FOUND = { status: 404, code: 'not_found' };
  const message = expect.stringContaining('Authorization: Bearer <key>');
  const NO_OAUTH = { ...NOT_FOUND, message };
  const INVALID = { status: 400, code: 'invalid_request' };
  const UNSUPPORTED = { status: 415, code: 'unsupported_media_type' };
  const TOO_LARGE = { status: 413, code: 'payload_too_large' };
  const NOT_UTF8 = new Uint8Array([123, 34, 255, 34, 125]);
  const EVIL = { headers: { Host: 'evil.example' } };
  const FORBIDDEN = { status: 403, code: 'forbidden' };
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const cases: [string, string, RequestInit, { status: number; code: string }][] = [
    ['an unknown route', '/api/nothing', {}, NOT_FOUND],
    ['a request for OAuth metadata', '/.well-known/oauth-protected-resource', {}, NO_OAUTH],
    ['a foreign Host at an unknown route', '/api/nothing', EVIL, FORBIDDEN],
    ['a foreign Host at /health', '/health', EVIL, FORBIDDEN],
    ['a foreign Host at /mcp', '/mcp', EVIL, FORBIDDEN],
    ['a path with two slashes', '/api//probe/get', {}, NOT_FOUND],
    ['a path in another case', '/API/probe/get', {}, NOT_FOUND],
    ['a path without its argument', '/api/probe/items/', {}, NOT_FOUND],
    ['a query instead of the argument in the path', '/api/probe/items/?full=1', {}, NOT_FOUND],
    ['a request for an item that does not exist', '/api/probe/items/none', {}, NOT_FOUND],
    ['an unknown argument', '/api/probe/get?x=1', {}, INVALID],
    ['an argument given twice', '/api/probe/get?q=1&q=2', {}, INVALID],
    ['a number out of range', '/api/probe/get?limit=101', {}, INVALID],
    ['a call that hits a bug', '/api/probe/items/bug', {}, { status: 500, code: 'internal_error' }],
    ['a body that is not JSON', POST, { body: '{"query":' }, INVALID],
    ['a body that is not an object', POST, { body: '["x"]' }, INVALID],
    ['a body of null', POST, { body: 'null' }, INVALID],
    ['an empty body', POST, { body: '' }, INVALID],
    ['an argument of the wrong type', POST, { body: '{"query":[7]}' }, INVALID],
    ['a POST with arguments in its query', `${POST}?topK=3`, { body: '{"query":"x"}' }, INVALID],
    ['a body that is not UTF-8', POST, { body: NOT_UTF8 }, INVALID],
    ['a body of another content type', POST, { body: 'query=x', headers: FORM }, UNSUPPORTED],
    ['a body of more than 64 KiB', POST, { body: `{"query":"${'x'.repeat(65_536)}"}` }, TOO_LARGE],
  ];

  it.each(cases)('answers %s with an error that costs nothing', async (_, path, init, expected) => {
    const { ask, balance, lines } = openDoor();
    const response = await ask(path, init);
    const said = await refusal(response);
    expect(said).toMatchObject(expected);
    expect(said.message).not.toMatch(/secret|Error:|\n/);
    expect(balance()).toBe(100);
    expect(lines.at(-1)).toContain(` ${expected.status} `);
    if (expected.status === 500) expect(lines.join('\n')).toContain('a secret of the house');
    else expect(lines).toHaveLength(1);
  });

  it('states the balance in a refusal once the account is identified', async () => {
    const { ask, bare } = openDoor({ credits: 7 });
    const known = { meta: { creditsUsed: 0, remainingCredits: 7 } };
    expect(await (await ask('/api/probe/get?x=1')).json()).toMatchObject(known);
    expect(await (await ask(POST, { body: '{' })).json()).toMatchObject(known);
    expect(await (await bare('/api/probe/get')).json()).not.toHaveProperty('meta');
    expect(await (await ask('/api/nothing')).json()).not.toHaveProperty('meta');
  });

  it.each([
    ['/api/probe/get', 'POST', 'GET, HEAD'],
    ['/api/probe/get', 'OPTIONS', 'GET, HEAD'],
    [POST, 'GET', 'POST'],
    [POST, 'HEAD', 'POST'],
    ['/api/probe/items/a', 'DELETE', 'GET, HEAD'],
    ['/mcp', 'GET', 'POST'],
    ['/mcp', 'DELETE', 'POST'],
    ['/health', 'PUT', 'GET, HEAD'],
  ])('at %s refuses %s, and names %s as allowed', async (path, method, allow) => {
    const { bare } = openDoor();
    const response = await bare(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD') expect((await refusal(response)).code).toBe('method_not_allowed');
  });
});

it('a request is checked for route, method, key, rate, type, size, JSON, scope, arguments and credits, in this order', async () => {
  const all = openDoor({ rate: 1, credits: 0, scopes: ['macro', 'papers'] });
  const wrong = { headers: { Authorization: 'Bearer wrong', 'Content-Type': 'text/plain' } };
  const text = { 'Content-Type': 'text/plain' };
  const big = 'x'.repeat(70_000);
  const calls: [string, string, RequestInit][] = [
    ['not_found', '/api/nothing', { method: 'PUT', ...wrong }],
    ['method_not_allowed', '/api/probe/get', { method: 'PUT', ...wrong }],
    ['unauthorized', POST, { body: '{', ...wrong }],
    ['forbidden', '/api/probe/items/a?x=1', {}],
    ['rate_limited', '/api/probe/items/a', {}],
    ['unsupported_media_type', POST, { body: big, headers: text }],
    ['payload_too_large', POST, { body: big }],
    ['invalid_request', POST, { body: '{"query":7,' }],
    ['invalid_request', POST, { body: '{"query":[7]}' }],
    ['insufficient_credits', POST, { body: '{"query":"x"}' }],
  ];
  for (const [code, path, init] of calls) {
    expect((await refusal(await all.ask(path, init))).code).toBe(code);
    // A limit of one call per minute refuses the second call.
    if (code !== 'forbidden') all.clock.at += 60_000;
  }
});

it.each([
  ['no key', undefined],
  ['Basic authentication', 'Basic YWRhOnB3'],
  ['an empty key', 'Bearer '],
  ['an unknown key', `Bearer qs_${'0'.repeat(32)}`],
  ['a key that is too long', `Bearer qs_${'0'.repeat(33)}`],
  ['two keys', 'Bearer a, Bearer b'],
])('a request with %s is unauthorized', async (_, header) => {
  const { bare } = openDoor();
  const headers: Record<string, string> = header === undefined ? {} : { Authorization: header };
  for (const path of ['/api/probe/get', '/api/probe/items/a']) {
    const response = await bare(path, { headers });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await refusal(response)).toMatchObject({ status: 401, code: 'unauthorized' });
  }
  const mcp = await bare('/mcp', { method: 'POST', headers, body: '{}' });
  expect(await refusal(mcp)).toMatchObject({ status: 401, code: 'unauthorized' });
});

it('a rate limit error without a quota asks the client to retry after a second', async () => {
  const takeCall = () => Promise.reject(new ServiceError('rate_limited', 'Wait.'));
  const response = await openDoor({ takeCall }).ask('/api/probe/get');
  expect(response.headers.get('retry-after')).toBe('1');
});

it("a key without an area's scope is refused in that area, with an error that names the scope", async () => {
  const { ask } = openDoor({ scopes: ['macro'] });
  expect((await ask('/api/probe/get')).status).toBe(200);
  const response = await ask('/api/probe/items/a');
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({
    error: { code: 'forbidden', message: expect.stringContaining('"markets"') },
    meta: { creditsUsed: 0, remainingCredits: 99 },
  });
});
