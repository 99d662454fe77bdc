import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { connect, envelopeOf, type Host } from './hosts.ts';
import { makeShelf } from './in-process.ts';
import { makeKey, type Serving, startServing } from './serving.ts';
import { success } from './support.ts';

/** The smallest limit of a host is 20,000 characters; ours leaves room for its own frame. */
const HOSTS_KEEP = 19_500;

const listing = z.looseObject({
  events: z.array(
    z.looseObject({
      event_card_id: z.string(),
      alias: z.string().regex(/^pme_\d+$/),
      url: z.url(),
      end_time: z.iso.datetime(),
      volume: z.number(),
      liquidity: z.number(),
    }),
  ),
  count: z.number(),
  nextCursor: z.string().optional(),
});

let home = '';
let serving: Serving;
let key = '';
beforeAll(async () => {
  home = await makeShelf();
  key = await makeKey(home, 'size');
  serving = await startServing(home);
});
afterAll(() => serving.stop());

/** A reply that no host would cut: its text, and its data, which is whole. */
async function ask(host: Host, name: string, input: Record<string, unknown>) {
  const reply = await host.call(name, input);
  const { text } = reply.content[0];
  expect(text.length, name).toBeLessThan(HOSTS_KEEP);
  return { text, ...success.parse(envelopeOf(reply)) };
}

it('no host cuts a reply, and every event comes page by page', async () => {
  const host = await connect('current', home);
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const input = { limit: 100, ...(cursor !== undefined && { cursor }) };
    const { text, data } = await ask(host, 'prediction_market_event_browse', input);
    expect(text).toMatch(/^\{"meta":\{/);
    const page = listing.parse(data);
    expect(page.count).toBe(page.events.length);
    ids.push(...page.events.map(({ event_card_id }) => event_card_id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect([ids.length, new Set(ids).size]).toEqual([35, 35]);
  await ask(host, 'prediction_market_event_search', { query: 'bitcoin and the fed', limit: 20 });
  // The starter shelf is explained once, not in every search.
  const notices = [];
  for (const query of ['volatility', 'momentum']) {
    const { meta } = await ask(host, 'paper_search', { query, topK: 10 });
    notices.push(meta.notice?.includes('starter shelf') === true);
  }
  expect(notices).toEqual([true, false]);
});

it('a text says how much of a long history it has before its observations', async () => {
  const host = await connect('current', home);
  const long = { series_id: 'DGS10', limit: 500 };
  const { text, data } = await ask(host, 'macro_indicator_history', long);
  const start = text.slice(0, text.indexOf('"observations"'));
  expect(start).toMatch(/this text shows 1\d\d of 500 observations, one in \d with the first/);
  expect(start).toMatch(/`.*export macro us\.yield\.10y` have all/);
  expect(start).toContain('"attribution"');
  expect(data).toMatchObject({ observations: { length: 500 } });
});

it('a history of 26,000 observations comes as JSON, and in a stream to who asks for progress', async () => {
  const input = { series_id: 'DFF', start_date: '1900-01-01', end_date: '2026-12-31' };
  const post = (more: object) => {
    const params = { name: 'macro_indicator_history', arguments: input, ...more };
    return fetch(`${serving.url}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
  };
  const plain = await post({});
  expect(plain.headers.get('content-type')).toBe('application/json');
  expect((await plain.text()).length).toBeGreaterThan(2_000_000);
  const watched = await post({ _meta: { progressToken: 1 } });
  expect(watched.headers.get('content-type')).toBe('text/event-stream');
  await watched.text();
});

it('REST serves up to 90,000 characters', async () => {
  const response = await fetch(`${serving.url}/api/prediction_market/events?limit=100`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  expect(text.length).toBeGreaterThan(HOSTS_KEEP);
  expect(text.length).toBeLessThan(90_000);
  expect(listing.parse(success.parse(JSON.parse(text)).data)).not.toHaveProperty('nextCursor');
});
