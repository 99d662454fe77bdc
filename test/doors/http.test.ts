import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { revokeKey } from '../../src/accounts/keys.ts';
import { openDoor, read, refusal } from './door.ts';

describe('a REST route', () => {
  it('answers the envelope, charges, and names the call the same everywhere', async () => {
    const { ask, db } = openDoor({ credits: 5 });
    const response = await ask('/api/probe/get?q=cpi&limit=3');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-api-version')).toBe('1');
    const requestId = response.headers.get('x-request-id');
    expect(await response.json()).toEqual({
      data: { q: 'cpi', limit: 3 },
      meta: {
        creditsUsed: 1,
        remainingCredits: 4,
        requestId,
        asOf: '2026-11-21T00:00:00.000Z',
      },
    });
    expect(db.prepare('SELECT account, operation, credits, request_id FROM ledger').all()).toEqual([
      { account: 'ada', operation: 'probe_get', credits: 1, request_id: requestId },
    ]);
  });

  it('takes a trailing slash for none', async () => {
    const { ask } = openDoor();
    expect((await ask('/api/probe/get/')).status).toBe(200);
    expect((await ask('/api/probe/items/post/', { body: '{"query":"x"}' })).status).toBe(200);
    expect(await read(await ask('/api/probe/items/a/'))).toMatchObject({ data: { item_id: 'a' } });
  });

  it('takes the argument in its path as it was meant', async () => {
    const { ask } = openDoor();
    expect(await read(await ask('/api/probe/items/a%2Fb%20%C3%A9?full=1'))).toMatchObject({
      data: { item_id: 'a/b é', full: '1' },
    });
    expect(await refusal(await ask('/api/probe/items/a?item_id=b'))).toMatchObject({
      code: 'invalid_request',
      param: 'item_id',
    });
  });

  it('answers HEAD with the headers of GET, its price included, and no body', async () => {
    const { ask, db } = openDoor();
    const response = await ask('/api/probe/get', { method: 'HEAD' });
    const got = await ask('/api/probe/get');
    expect(await response.text()).toBe('');
    expect(response.status).toBe(200);
    for (const name of ['content-type', 'content-length', 'x-api-version', 'ratelimit-limit']) {
      expect(response.headers.get(name), name).toBe(got.headers.get(name));
    }
    expect(db.prepare('SELECT credits FROM accounts').pluck().get()).toBe(98);
  });

  it('reads a body that comes in pieces', async () => {
    const { ask } = openDoor();
    const pieces = ['{"que', 'ry":"é', '"}'];
    const body = new ReadableStream({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const init = { body, duplex: 'half' as const };
    expect(await read(await ask('/api/probe/items/post', init))).toMatchObject({
      data: { query: 'é' },
      meta: { creditsUsed: 2 },
    });
  });
});

describe('every refusal', () => {
  const cases: [string, string, RequestInit, { status: number; code: string }][] = [
    ['an unknown route', '/api/nothing', {}, { status: 404, code: 'not_found' }],
    ['two slashes', '/api//probe/get', {}, { status: 404, code: 'not_found' }],
    ['another case', '/API/probe/get', {}, { status: 404, code: 'not_found' }],
    [
      'what the table does not find',
      '/api/probe/items/none',
      {},
      { status: 404, code: 'not_found' },
    ],
    ['an unknown argument', '/api/probe/get?x=1', {}, { status: 400, code: 'invalid_request' }],
    [
      'an argument given twice',
      '/api/probe/get?q=1&q=2',
      {},
      { status: 400, code: 'invalid_request' },
    ],
    [
      'a number out of range',
      '/api/probe/get?limit=101',
      {},
      { status: 400, code: 'invalid_request' },
    ],
    ['a bug', '/api/probe/items/bug', {}, { status: 500, code: 'internal_error' }],
    [
      'no JSON',
      '/api/probe/items/post',
      { body: '{"query":' },
      { status: 400, code: 'invalid_request' },
    ],
    [
      'no object',
      '/api/probe/items/post',
      { body: '["x"]' },
      { status: 400, code: 'invalid_request' },
    ],
    ['null', '/api/probe/items/post', { body: 'null' }, { status: 400, code: 'invalid_request' }],
    [
      'an empty body',
      '/api/probe/items/post',
      { body: '' },
      { status: 400, code: 'invalid_request' },
    ],
    [
      'a wrong type',
      '/api/probe/items/post',
      { body: '{"query":7}' },
      { status: 400, code: 'invalid_request' },
    ],
    [
      'arguments in the address of a POST',
      '/api/probe/items/post?topK=3',
      { body: '{"query":"x"}' },
      { status: 400, code: 'invalid_request' },
    ],
    [
      'a body that is no UTF-8',
      '/api/probe/items/post',
      { body: new Uint8Array([123, 34, 255, 34, 125]) },
      { status: 400, code: 'invalid_request' },
    ],
    [
      'a body of another type',
      '/api/probe/items/post',
      { body: 'query=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      { status: 415, code: 'unsupported_media_type' },
    ],
    [
      'JSON in another character set',
      '/api/probe/items/post',
      { body: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } },
      { status: 415, code: 'unsupported_media_type' },
    ],
    [
      'a compressed body',
      '/api/probe/items/post',
      { body: '{}', headers: { 'Content-Encoding': 'gzip' } },
      { status: 415, code: 'unsupported_media_type' },
    ],
    [
      'a body of more than 64 KiB',
      '/api/probe/items/post',
      { body: JSON.stringify({ query: 'x'.repeat(65_536) }) },
      { status: 413, code: 'payload_too_large' },
    ],
    [
      'an address without end',
      `/api/probe/get?q=${'x'.repeat(8_200)}`,
      {},
      { status: 400, code: 'invalid_request' },
    ],
  ];

  it.each(cases)('%s', async (_, path, init, expected) => {
    const { ask, db, lines } = openDoor();
    const response = await ask(path, init);
    const said = await refusal(response);
    expect(said).toMatchObject(expected);
    expect(said.message).not.toMatch(/secret|Error:|\n/);
    expect(db.prepare('SELECT credits FROM accounts').pluck().get()).toBe(100);
    expect(lines.at(-1)).toContain(` ${expected.status} `);
    if (expected.status === 500) expect(lines.join('\n')).toContain('a secret of the house');
    else expect(lines).toHaveLength(1);
  });

  it('tells the balance once the account is known, and not before', async () => {
    const { ask, bare } = openDoor({ credits: 7 });
    const known = { meta: { creditsUsed: 0, remainingCredits: 7 } };
    expect(await (await ask('/api/probe/get?x=1')).json()).toMatchObject(known);
    expect(await (await ask('/api/probe/items/post', { body: '{' })).json()).toMatchObject(known);
    expect(await (await bare('/api/probe/get')).json()).not.toHaveProperty('meta');
    expect(await (await ask('/api/nothing')).json()).not.toHaveProperty('meta');
  });

  it.each([
    ['/api/probe/get', 'POST', 'GET, HEAD'],
    ['/api/probe/get', 'OPTIONS', 'GET, HEAD'],
    ['/api/probe/items/post', 'GET', 'POST'],
    ['/api/probe/items/post', 'HEAD', 'POST'],
    ['/api/probe/items/a', 'DELETE', 'GET, HEAD'],
    ['/mcp', 'GET', 'POST'],
    ['/mcp', 'DELETE', 'POST'],
    ['/health', 'PUT', 'GET, HEAD'],
  ])('%s takes no %s and says what it takes', async (path, method, allow) => {
    const { bare } = openDoor();
    const response = await bare(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD') expect((await refusal(response)).code).toBe('method_not_allowed');
  });
});

describe('the order of checks', () => {
  it('is route, method, key, rate, scope, type and size, JSON, arguments, credits', async () => {
    const all = openDoor({ rate: 1, credits: 0, scopes: ['macro', 'papers'] });
    const wrong = { headers: { Authorization: 'Bearer wrong', 'Content-Type': 'text/plain' } };
    const code = async (response: Promise<Response>) => (await refusal(await response)).code;
    expect(await code(all.ask('/api/nothing', { method: 'PUT', ...wrong }))).toBe('not_found');
    expect(await code(all.ask('/api/probe/get', { method: 'PUT', ...wrong }))).toBe(
      'method_not_allowed',
    );
    expect(await code(all.ask('/api/probe/items/post', { body: '{', ...wrong }))).toBe(
      'unauthorized',
    );
    expect(await code(all.ask('/api/probe/items/a?x=1'))).toBe('forbidden');
    const text = { 'Content-Type': 'text/plain' };
    const big = 'x'.repeat(70_000);
    expect(await code(all.ask('/api/probe/items/a'))).toBe('rate_limited');
    all.clock.at += 60_000;
    expect(await code(all.ask('/api/probe/items/post', { body: big, headers: text }))).toBe(
      'unsupported_media_type',
    );
    all.clock.at += 60_000;
    expect(await code(all.ask('/api/probe/items/post', { body: big }))).toBe('payload_too_large');
    all.clock.at += 60_000;
    expect(await code(all.ask('/api/probe/items/post', { body: '{"query":7,' }))).toBe(
      'invalid_request',
    );
    all.clock.at += 60_000;
    expect(await refusal(await all.ask('/api/probe/items/post', { body: '{"query":7}' }))).toEqual({
      ...{ status: 400, code: 'invalid_request', param: 'query' },
      message: expect.stringContaining('must be a string'),
    });
    all.clock.at += 60_000;
    expect(
      await refusal(await all.ask('/api/probe/items/post', { body: '{"query":"x"}' })),
    ).toEqual({
      ...{ status: 402, code: 'insufficient_credits', param: undefined },
      message: expect.stringContaining('quantshelf keys grant ada'),
    });
  });
});

describe('the key', () => {
  it.each([
    ['none', undefined],
    ['another scheme', 'Basic YWRhOnB3'],
    ['nothing after the scheme', 'Bearer '],
    ['an unknown key', `Bearer qs_${'0'.repeat(32)}`],
    ['a key that is too long', `Bearer qs_${'0'.repeat(33)}`],
    ['two keys', 'Bearer a, Bearer b'],
  ])('%s is unauthorized', async (_, header) => {
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

  it('that was revoked, or of which one character differs, is unauthorized at once', async () => {
    const { ask, bare, db, key } = openDoor();
    expect((await ask('/api/probe/get')).status).toBe(200);
    const other = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const headers = { Authorization: `Bearer ${other}` };
    expect((await bare('/api/probe/get', { headers })).status).toBe(401);
    revokeKey(db, 'ada', new Date());
    const response = await ask('/api/probe/get');
    expect(response.status).toBe(401);
    expect(await response.json()).not.toHaveProperty('meta');
  });

  it('is known under the scheme in any case', async () => {
    const { bare, key } = openDoor();
    const headers = { Authorization: `bearer ${key}` };
    expect((await bare('/api/probe/get', { headers })).status).toBe(200);
  });

  it('without the scope of an area is forbidden there, with what it holds', async () => {
    const { ask } = openDoor({ scopes: ['macro'] });
    expect((await ask('/api/probe/get')).status).toBe(200);
    const response = await ask('/api/probe/items/a');
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      error: { code: 'forbidden', message: expect.stringContaining('"markets"') },
      meta: { creditsUsed: 0, remainingCredits: 99 },
    });
  });
});

const limits = (response: Response) =>
  z
    .object({ limit: z.coerce.number(), remaining: z.coerce.number(), reset: z.coerce.number() })
    .parse({
      limit: response.headers.get('ratelimit-limit'),
      remaining: response.headers.get('ratelimit-remaining'),
      reset: response.headers.get('ratelimit-reset'),
    });

describe('the rate', () => {
  it('is told with every call of a key, and with no other', async () => {
    const { ask, bare, clock } = openDoor({ rate: 3 });
    expect(limits(await ask('/api/probe/get'))).toEqual({ limit: 3, remaining: 2, reset: 60 });
    clock.at += 20_500;
    expect(limits(await ask('/api/probe/get?x=1'))).toEqual({ limit: 3, remaining: 1, reset: 40 });
    expect((await bare('/health')).headers.has('ratelimit-limit')).toBe(false);
    expect((await ask('/api/nothing')).headers.has('ratelimit-limit')).toBe(false);
  });

  it('holds for a window, and its refusals cost neither credits nor calls', async () => {
    const { ask, db, clock } = openDoor({ rate: 2 });
    await ask('/api/probe/get');
    clock.at += 59_000;
    await ask('/api/probe/get');
    for (let again = 0; again < 3; again += 1) {
      const response = await ask('/api/probe/get');
      expect(response.headers.get('retry-after')).toBe('1');
      expect(limits(response)).toEqual({ limit: 2, remaining: 0, reset: 1 });
      expect(await refusal(response)).toMatchObject({ status: 429, code: 'rate_limited' });
    }
    expect(db.prepare('SELECT credits FROM accounts').pluck().get()).toBe(98);
    clock.at += 1_000;
    expect(limits(await ask('/api/probe/get'))).toEqual({ limit: 2, remaining: 1, reset: 60 });
  });
});

describe('without a key', () => {
  it('tells its health', async () => {
    const response = await openDoor().bare('/health');
    expect(await response.json()).toEqual({ status: 'ok', version: '0.0.0-test' });
  });

  it('serves pages as they are', async () => {
    const pages = { '/': { body: '<p>é', headers: { 'Content-Type': 'text/html' } } };
    const response = await openDoor({ pages }).bare('/');
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('content-length')).toBe('5');
    expect(await response.text()).toBe('<p>é');
  });
});

it('opens itself to no other origin', async () => {
  const { ask } = openDoor();
  for (const method of ['GET', 'OPTIONS']) {
    const headers = { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'GET' };
    const response = await ask('/api/probe/get', { method, headers });
    const named = [...response.headers.keys()].filter((name) => name.startsWith('access-control'));
    expect(named).toEqual([]);
  }
});

describe('the access line', () => {
  it('tells who called what, how it ended and what it cost', async () => {
    const { ask, lines } = openDoor();
    const response = await ask('/api/probe/get?q=my+secret+idea');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^2026-11-21T12:00:00\.000Z GET \/api\/probe\/get 200 [\d.]+ms account=ada operation=probe_get credits=1 id=/,
    );
    expect(lines[0]).toContain(`id=${response.headers.get('x-request-id')}`);
  });

  it('holds no key, no query and no line break, wherever a client put them', async () => {
    const { ask, bare, key, lines } = openDoor();
    await ask(`/api/probe/items/${key}?full=${key}`);
    await bare(`/api/${key}`);
    await bare(`/%0a2026 GET / 200 forged`, { headers: { Authorization: key } });
    const text = lines.join('\n');
    expect(lines).toHaveLength(3);
    expect(text).not.toContain(key);
    expect(text).not.toContain('full');
    expect(text.split('\n')).toHaveLength(3);
  });
});

describe('draining', () => {
  it('answers the call that runs and refuses the next', async () => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => (release = resolve));
    const onWait = vi.fn();
    const { ask, door } = openDoor({ work: { hold, onWait } });
    const running = ask('/api/probe/items/post', { body: '{"query":"x"}' });
    await expect.poll(() => onWait.mock.calls.length).toBe(1);
    let isOver = false;
    const drained = door.drain(60_000).then(() => {
      isOver = true;
    });
    for (const path of ['/api/probe/get', '/health']) {
      const late = await ask(path);
      expect(late.headers.get('connection')).toBe('close');
      expect(await refusal(late)).toMatchObject({ status: 503, code: 'service_unavailable' });
    }
    expect(isOver).toBe(false);
    release();
    expect((await running).status).toBe(200);
    await drained;
  });

  it('waits no longer than it is told', async () => {
    const onWait = vi.fn();
    const { ask, door } = openDoor({ work: { hold: new Promise(() => {}), onWait } });
    void ask('/api/probe/items/post', { body: '{"query":"x"}' });
    await expect.poll(() => onWait.mock.calls.length).toBe(1);
    await door.drain(50);
  });
});
