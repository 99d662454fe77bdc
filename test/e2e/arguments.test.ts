import { beforeAll, describe, expect, it } from 'vitest';
import { findOperation } from '../../src/operations.ts';
import { connect, envelopeOf } from './hosts.ts';
import { makeShelf } from './in-process.ts';
import { requestOf } from './requests.ts';
import { makeKey, serveForTest } from './serving.ts';
import { comparable, type Envelope, envelope } from './support.ts';

/** Arguments as hosts and models send them, beside those that are meant. */
const cases: readonly [operation: string, sent: object, meant: object][] = [
  [
    'paper_search',
    { query: 'rough volatility', topK: '2' },
    { query: 'rough volatility', topK: 2 },
  ],
  ['paper_search', { Query: 'rough volatility', topk: 2 }, { query: 'rough volatility', topK: 2 }],
  ['paper_read', { paperCardId: '2510.23150', sections: 'all' }, { paperCardId: '2510.23150' }],
  [
    'paper_read',
    { paperCardId: 'ARXIV:2510.23150', sections: 'Findings' },
    { paperCardId: '2510.23150', sections: ['s03-findings'] },
  ],
  ['macro_indicator_search', { q: 'cpi', limit: '3' }, { q: 'cpi', limit: 3 }],
  ['macro_indicator_history', { indicator: 'UNRATE' }, { indicator: 'us.unemployment_rate' }],
  [
    'macro_indicator_history',
    { indicator: 'unemployment rate', limit: '3' },
    { series_id: 'UNRATE', limit: 3 },
  ],
  [
    'prediction_market_event_browse',
    { status: 'ACTIVE', limit: '2', min_volume: '1000.5', cursor: null },
    { status: 'active', limit: 2, min_volume: 1000.5 },
  ],
  ['prediction_market_event_read', { event_card_id: 'PME_16096' }, { event_card_id: 'pme_16096' }],
];
const ofHosts = { wait_for_previous: true, toolCallId: 'call_1' };

let home = '';
beforeAll(async () => {
  home = await makeShelf();
});

type Ask = (operation: string, input: Record<string, unknown>) => Promise<Envelope>;

async function expectMeaning(ask: Ask): Promise<void> {
  for (const [operation, sent, meant] of cases) {
    const name = `${operation} ${JSON.stringify(sent)}`;
    const answer = await ask(operation, { ...sent });
    expect(answer, name).toHaveProperty('data');
    expect(comparable(answer), name).toEqual(comparable(await ask(operation, { ...meant })));
    expect(comparable(await ask(operation, { ...sent, ...ofHosts })), name).toEqual(
      comparable(answer),
    );
    const other = await ask(operation, { ...sent, wait_for_previously: 'x' });
    expect(other, name).toMatchObject({
      error: { code: 'invalid_request', param: 'wait_for_previously' },
    });
  }
}

describe('arguments are taken for what they plainly mean', () => {
  it('over MCP', async () => {
    const host = await connect('current', home);
    await expectMeaning(async (name, input) => envelopeOf(await host.call(name, input)));
  });

  it('by REST', async () => {
    const key = await makeKey(home, 'arguments-rest');
    const { url } = await serveForTest(home);
    await expectMeaning(async (name, input) => {
      const operation = findOperation(name);
      if (operation === undefined) throw new Error(`no ${name}`);
      // An address has no null.
      const given = Object.entries(input).filter(([, value]) => value !== null);
      const { path, init } = requestOf(operation, Object.fromEntries(given));
      const headers = { Authorization: `Bearer ${key}`, ...init.headers };
      return envelope.parse(await (await fetch(`${url}${path}`, { ...init, headers })).json());
    });
  });
});
