import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as InitializeClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as InitializeTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openDoor, read, refusal } from './door.ts';

type Door = ReturnType<typeof openDoor>;
const URL_OF_MCP = new URL('http://127.0.0.1:8787/mcp');
const info = { name: 'tests', version: '1' };

const result = z.looseObject({
  isError: z.boolean().optional(),
  content: z.tuple([z.looseObject({ text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()),
});
type Result = z.output<typeof result>;

interface Connected {
  list(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): Promise<Result>;
}

function transportOptions({ door, key }: Door) {
  return {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    fetch: (url: string | URL, init?: RequestInit) => door.fetch(new Request(url, init)),
  };
}

async function connectCurrent(door: Door): Promise<Connected> {
  const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(URL_OF_MCP, transportOptions(door)));
  onTestFinished(() => client.close());
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => result.parse(await client.callTool({ name, arguments: args })),
  };
}

async function connectInitialize(door: Door): Promise<Connected> {
  const client = new InitializeClient(info);
  const transport = new InitializeTransport(URL_OF_MCP, transportOptions(door));
  await client.connect({
    start: () => transport.start(),
    send: (message) => transport.send(message),
    close: () => transport.close(),
    set onmessage(handler: typeof transport.onmessage) {
      if (handler !== undefined) transport.onmessage = handler;
    },
  });
  onTestFinished(() => client.close());
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => result.parse(await client.callTool({ name, arguments: args })),
  };
}

describe.each([
  ['current', connectCurrent],
  ['initialize', connectInitialize],
] as const)('a client of the %s era', (_, connect) => {
  it('finds the tools of the table', async () => {
    expect(await (await connect(openDoor())).list()).toEqual([
      'probe_get',
      'probe_item',
      'probe_post',
    ]);
  });

  it('is answered as REST answers, from the same account', async () => {
    const door = openDoor({ credits: 10 });
    const client = await connect(door);
    const viaMcp = (await client.call('probe_get', { q: 'x' })).structuredContent;
    const viaRest = await read(await door.ask('/api/probe/get?q=x'));
    expect(viaMcp).toMatchObject({
      data: { q: 'x', limit: 20 },
      meta: { creditsUsed: 1, remainingCredits: 9 },
    });
    expect(viaRest.meta?.remainingCredits).toBe(8);
    expect(viaRest.data).toEqual(viaMcp.data);
    const ledger = door.db.prepare<[], string>('SELECT request_id FROM ledger').pluck().all();
    expect(ledger[0]).toBe(z.object({ requestId: z.string() }).parse(viaMcp.meta).requestId);
    expect(door.lines.join('\n')).toContain('POST /mcp 200');
  });

  it('is told of a wrong argument, a missing scope and an empty account as REST is', async () => {
    const door = openDoor({ credits: 1, scopes: ['macro', 'papers'] });
    const client = await connect(door);
    const pairs: [Result, Response][] = [
      [await client.call('probe_get', { limit: 0 }), await door.ask('/api/probe/get?limit=0')],
      [await client.call('probe_item', { item_id: 'a' }), await door.ask('/api/probe/items/a')],
      [
        await client.call('probe_post', { query: 'x' }),
        await door.ask('/api/probe/items/post', { body: '{"query":"x"}' }),
      ],
    ];
    const codes = [];
    for (const [{ isError, structuredContent }, response] of pairs) {
      const { error, meta } = await read(response);
      codes.push(error?.code);
      expect(isError).toBe(true);
      expect(structuredContent).toEqual({
        error: { ...error, requestId: expect.any(String) },
        meta,
      });
    }
    expect(codes).toEqual(['invalid_request', 'forbidden', 'insufficient_credits']);
  });
});

describe('/mcp', () => {
  const call = (id: number, name = 'probe_get', args: object | null = {}) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: args },
  });
  const accept = { Accept: 'application/json, text/event-stream' };
  const post = ({ ask }: Door, body: unknown, headers: Record<string, string> = accept) =>
    ask('/mcp', { body: typeof body === 'string' ? body : JSON.stringify(body), headers });

  it('carries what every answer carries', async () => {
    const response = await post(openDoor(), call(1));
    expect(response.status).toBe(200);
    for (const name of ['x-request-id', 'x-api-version', 'ratelimit-remaining']) {
      expect(response.headers.has(name), name).toBe(true);
    }
    expect(await response.text()).toContain('"creditsUsed":1');
  });

  it('counts each request against the rate, and each call of a batch', async () => {
    const door = openDoor({ rate: 5 });
    const remaining = (response: Response) => response.headers.get('ratelimit-remaining');
    expect(remaining(await post(door, { jsonrpc: '2.0', id: 1, method: 'tools/list' }))).toBe('4');
    const batch = await post(door, [call(1), call(2), call(3)]);
    expect(remaining(batch)).toBe('1');
    await batch.text();
    const refused = await post(door, [call(1), call(2)]);
    expect(await refusal(refused)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(door.db.prepare('SELECT count(*) FROM ledger').pluck().get()).toBe(3);
  });

  it('gives each call of a batch an id of its own', async () => {
    const door = openDoor();
    const response = await post(door, [call(1), call(2)]);
    await response.text();
    const ids = door.db.prepare<[], string>('SELECT request_id FROM ledger').pluck().all();
    expect(new Set(ids).size).toBe(2);
    expect(ids).toContain(response.headers.get('x-request-id'));
  });

  it('takes arguments that are null for none', async () => {
    const text = await (await post(openDoor(), call(1, 'probe_get', null))).text();
    expect(text).toContain('"limit":20');
  });

  it('answers what is no message with an error of the protocol', async () => {
    for (const body of ['{"jsonrpc":', '', '[]', '7', '{"jsonrpc":"1.0","id":1}']) {
      const response = await post(openDoor(), body);
      expect(response.status, body).toBe(400);
      expect(await response.json(), body).toMatchObject({
        jsonrpc: '2.0',
        error: { code: expect.any(Number) },
      });
    }
  });

  it('refuses bodies that are too long or no JSON like any route', async () => {
    const door = openDoor();
    const long = JSON.stringify(call(1, 'probe_get', { q: 'x'.repeat(70_000) }));
    expect(await refusal(await post(door, long))).toMatchObject({ code: 'payload_too_large' });
    const text = { ...accept, 'Content-Type': 'text/plain' };
    expect(await refusal(await post(door, '{}', text))).toMatchObject({
      code: 'unsupported_media_type',
    });
  });

  it('is told of in the log when its stream has ended, with what it cost', async () => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const door = openDoor({ work: { hold } });
    const response = await post(door, call(1, 'probe_post', { query: 'x' }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(door.lines).toEqual([]);
    release();
    expect(await response.text()).toContain('"creditsUsed":2');
    await expect.poll(() => door.lines).toHaveLength(1);
    expect(door.lines[0]).toContain('operation=probe_post credits=2');
  });

  it('is told of once when the client has gone away', async () => {
    const door = openDoor({ work: { hold: new Promise(() => {}) } });
    const response = await post(door, call(1, 'probe_post', { query: 'x' }));
    await response.body?.cancel();
    await expect.poll(() => door.lines).toHaveLength(1);
    expect(door.lines[0]).toContain('operation=probe_post credits=0');
  });

  it('reports progress to whoever asked for it', async () => {
    const message = call(1, 'probe_post', { query: 'x' });
    const params = { ...message.params, _meta: { progressToken: 'p' } };
    const text = await (await post(openDoor(), { ...message, params })).text();
    expect(text).toContain('notifications/progress');
    expect(text).toContain('at work');
    expect(text).toContain('"query":"x"');
  });
});
