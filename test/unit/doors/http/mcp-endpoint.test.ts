import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createMcpEndpoint } from '../../../../src/doors/http/mcp-endpoint.ts';
import { type Env, jsonBody } from '../../../../src/doors/http/request.ts';
import { InFlight } from '../../../../src/doors/in-flight.ts';
import { openDoor } from './door.ts';

const SECRET = `qs_${'a1B2'.repeat(8)}`;

it('writes no key into the log, whatever header it came in', async () => {
  const lines: string[] = [];
  const endpoint = createMcpEndpoint({
    createServer() {
      throw new Error(`an error that quotes ${SECRET}\nand a second line ${'x'.repeat(5_000)}`);
    },
    call: () => Promise.reject(new Error('nothing is called')),
    readShelf: () => Promise.reject(new Error('nothing is read')),
    inFlight: new InFlight(),
    log: (line) => lines.push(line),
  });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta: { progressToken: 1 } },
  });
  const app = new Hono<Env>().post('/mcp', jsonBody, async (c) => {
    c.set('request', {
      requestId: 'request-1',
      operations: [],
      inFlight: new InFlight(),
      credits: 0,
    });
    return endpoint.answer(c);
  });
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  await app.request('/mcp', { method: 'POST', headers, body });
  await endpoint.close();
  expect(lines.join('\n')).toContain('qs_***');
  for (const line of lines) {
    expect(line).not.toContain(SECRET);
    expect(line).not.toContain('\n');
    expect(line.length).toBeLessThan(300);
  }
});

/** A call of `probe_post`, as a client of one era of the protocol sends it. */
const calls = {
  initialize: { headers: {}, params: {} },
  '2026-07-28': {
    headers: {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'probe_post',
    },
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
};

it.each(Object.entries(calls))(
  'a call of the %s era whose client has left before it is read is not begun',
  async (_, { headers, params }) => {
    const { ask, db, lines } = openDoor();
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'probe_post', arguments: { query: 'x' }, ...params },
    });
    const init = { body, headers: { Accept: '*/*', ...headers } };
    const charges = () => db.prepare('SELECT count(*) FROM ledger').pluck().get();
    const left = await ask('/mcp', { ...init, signal: AbortSignal.abort() });
    await left.text();
    expect(charges()).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/ POST \/mcp 499 .* credits=0 /)]);
    // It is the leaving that kept it from being charged.
    expect(await (await ask('/mcp', init)).text()).toContain('"creditsUsed":2');
    expect(charges()).toBe(1);
  },
);

it('takes one message and no batch, which would be many calls for one count of the rate', async () => {
  const { ask, db } = openDoor();
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'probe_post' } };
  const response = await ask('/mcp', { body: JSON.stringify([call, call]) });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32_700 }, id: null });
  expect(db.prepare('SELECT count(*) FROM ledger').pluck().get()).toBe(0);
});
