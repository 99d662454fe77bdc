import { expect, it } from 'vitest';
import { currentEra, openDoor } from './door.ts';

const { headers, _meta } = currentEra('tools/call');
/** The parts of a call of `probe_post` in which the eras of the protocol differ. */
const calls = {
  legacy: { headers: {}, params: {} },
  current: { headers: { ...headers, 'Mcp-Name': 'probe_post' }, params: { _meta } },
};

it.each(Object.entries(calls))(
  'a call in the %s era does not start if its client has disconnected',
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
