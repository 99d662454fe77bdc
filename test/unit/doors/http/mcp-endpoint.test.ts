import { expect, it } from 'vitest';
import { openDoor } from './door.ts';

it('/mcp logs no key, whatever header it came in', async () => {
  const { ask, key, lines } = openDoor();
  const params = { _meta: { progressToken: 1 } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params });
  await (await ask('/mcp', { body, headers: { 'MCP-Protocol-Version': key } })).text();
  expect(lines.join('\n')).toContain('qs_***');
  expect(lines.join('\n')).not.toContain(key);
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
  'a %s-era call does not start once its client has disconnected',
  async (_, { headers, params }) => {
    const { ask, db, lines } = openDoor();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'probe_post', arguments: { query: 'x' }, ...params },
    });
    const init = { body, headers: { Accept: '*/*', ...headers } };
    const charges = () => db.prepare('SELECT count(*) FROM ledger').pluck().get();
    const left = await ask('/mcp', { ...init, signal: AbortSignal.abort() });
    await left.text();
    expect(charges()).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/ POST \/mcp 499 .* credits=0 /)]);
    // Only the disconnect kept it from being charged.
    expect(await (await ask('/mcp', init)).text()).toContain('"creditsUsed":2');
    expect(charges()).toBe(1);
  },
);
