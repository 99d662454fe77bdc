import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, envelopeOf, type Host, misfit, type Reply } from './hosts.ts';
import { callHere, makeShelf } from './in-process.ts';
import { ask as askRest, makeKey, type Serving, startServing } from './serving.ts';
import { edit } from './store.ts';
import { storeIn, success } from './support.ts';

/** The strictest host cuts replies at 20,000 characters, including its own framing. */
const HOSTS_KEEP = 19_500;

let home = '';
let serving: Serving;
let key = '';
beforeAll(async () => {
  home = await makeShelf();
  key = await makeKey(home, 'size');
  serving = await startServing(home);
});
afterAll(() => serving.stop());

/** The content of a successful reply, loosely typed. */
const contentOf = (reply: Reply) => Object(success.parse(envelopeOf(reply)));

/** Makes a call whose reply must be short enough for every host. */
async function ask(host: Host, name: string, input: Record<string, unknown>) {
  const reply = await host.call(name, input);
  const { text } = reply.content[0];
  expect(text.length, name).toBeLessThan(HOSTS_KEEP);
  return { text, ...contentOf(reply) };
}

it('lists and search results are short enough for every host, and paging returns every event', async () => {
  const host = await connect('current', home);
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const input = { limit: 100, ...(cursor !== undefined && { cursor }) };
    const { text, data } = await ask(host, 'prediction_market_event_browse', input);
    expect(text).toMatch(/^\{"meta":\{/);
    expect(data.count).toBe(data.events.length);
    ids.push(...data.events.map((each: { event_card_id: string }) => each.event_card_id));
    cursor = data.nextCursor;
  } while (cursor !== undefined);
  expect([ids.length, new Set(ids).size]).toEqual([35, 35]);
  // Only the first search explains the starter shelf.
  const notices = [];
  for (const query of ['volatility', 'momentum']) {
    const { meta } = await ask(host, 'paper_search', { query, topK: 10 });
    notices.push(meta.notice?.includes('starter shelf') === true);
  }
  expect(notices).toEqual([true, false]);
});

const [HISTORY, EVENT] = [70_000, 47_000];
const EVER = { start_date: '1900-01-01', end_date: '2026-12-31' };

/** The longest replies of a shelf, with their maximum length. A section requested by name has no maximum. */
const longest: readonly [name: string, input: Record<string, unknown>, limit: number][] = [
  ['paper_search', { query: 'volatility, since the dawn of time', topK: 10 }, HOSTS_KEEP],
  ['paper_read', { paperCardId: '2504.09380' }, HOSTS_KEEP],
  ['macro_indicator_search', { limit: 100 }, 27_000],
  ['macro_indicator_history', { series_id: 'DGS10', limit: 500 }, HISTORY],
  ['macro_indicator_history', { series_id: 'DFF', ...EVER }, 30_000],
  ['macro_indicator_history', { series_id: 'CPIAUCSL', ...EVER }, 30_000],
  ['prediction_market_event_search', { query: 'bitcoin and the fed', limit: 20 }, HOSTS_KEEP],
  ['prediction_market_event_read', { event_card_id: 'pme_16096' }, EVENT],
];

it('the longest replies stay within their limits and fit their schemas', async () => {
  const host = await connect('current', home);
  const tools = await host.list();
  for (const [name, input, limit] of longest) {
    const reply = await host.call(name, input);
    const { text } = reply.content[0];
    expect(text, name).toMatch(/^\{"meta":\{/);
    expect(text.length, name).toBeLessThan(limit);
    const schema = tools.find((tool) => tool.name === name)?.outputSchema;
    expect(schema && misfit(schema, reply.structuredContent), name).toBeUndefined();
    expect(envelopeOf(reply), name).toHaveProperty('data');
  }
});

it('a read of a long paper names the sections left out, and one of them is complete if requested by name', async () => {
  const long = await makeShelf();
  edit(
    storeIn(long),
    `UPDATE paper_section SET content = replace(hex(zeroblob(9000)), '00', 'word '), char_count = 45000
     WHERE section_key LIKE 's0%' AND paper_id = (SELECT id FROM paper WHERE source_id = 'arxiv:2510.23150')`,
  );
  const host = await connect('current', long);
  const paperCardId = '2510.23150';
  const all = await ask(host, 'paper_read', { paperCardId });
  expect(all.meta.notice).toMatch(/not in this reply.*s02-method \(45,000\)/i);
  const named = { paperCardId, sections: ['s02-method'] };
  const { data } = contentOf(await host.call('paper_read', named));
  expect(data.sections[0].content).toHaveLength(45_000);
});

it('a long history is thinned over MCP, with a notice, but complete in its resource and on the command line', async () => {
  const host = await connect('current', home);
  const input = { series_id: 'DGS10', ...EVER };
  const { meta, data } = contentOf(await host.call('macro_indicator_history', input));
  const { thinned } = meta;
  expect(thinned.shown).toBe(data.observations.length);
  expect(thinned.shown).toBeGreaterThan(190);
  const uri = /quantshelf:\/\/macro\/us\.yield\.10y\/history\/[\d-]+\/[\d-]+/.exec(meta.notice);
  const [{ text, mimeType }] = (await host.read(uri?.[0] ?? '')).contents;
  const [head, ...rows] = text.trim().split('\n');
  expect(mimeType).toBe('text/csv');
  expect(head).toBe('date,indicator,value,realtime_start,realtime_end,exact,units');
  expect(rows).toHaveLength(thinned.of);
  const served = new Map(rows.map((row) => [row.slice(0, 10), row.split(',')[2]]));
  for (const { date, value } of data.observations)
    expect(served.get(date)).toBe(String(value ?? ''));
  const whole = await callHere('macro_indicator_history', input, home);
  expect(whole.data.observations).toHaveLength(thinned.of);
});

it('a REST reply with all events exceeds the limit of MCP replies, but not 90,000 characters', async () => {
  const response = await askRest(serving.url, key, '/api/prediction_market/events?limit=100');
  const text = await response.text();
  expect(text.length).toBeGreaterThan(HOSTS_KEEP);
  expect(text.length).toBeLessThan(90_000);
  expect(success.parse(JSON.parse(text)).data).not.toHaveProperty('nextCursor');
});
