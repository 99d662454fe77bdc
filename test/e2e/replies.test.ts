import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makeHtmlPage } from '../stand-ins/arxiv-pages.ts';
import { makePaper } from '../stand-ins/arxiv-papers.ts';
import { connect, envelopeOf, type Host, misfit } from './hosts.ts';
import { makeShelf, runHere } from './in-process.ts';
import { makeKey, type Serving, startServing } from './serving.ts';
import { online, success } from './support.ts';

/** The smallest host limit is 20,000 characters; ours leaves room for the host's own framing. */
const HOSTS_KEEP = 19_500;

const listing = z.looseObject({
  events: z.array(z.looseObject({ event_card_id: z.string() })),
  count: z.number(),
  nextCursor: z.string().optional(),
});

const history = z.looseObject({
  observations: z.array(z.looseObject({ date: z.string(), value: z.number().nullable() })),
});
const read = z.looseObject({ sections: z.array(z.looseObject({ content: z.string() })) });

let home = '';
let serving: Serving;
let key = '';
beforeAll(async () => {
  home = await makeShelf();
  key = await makeKey(home, 'size');
  serving = await startServing(home);
});
afterAll(() => serving.stop());

/** A reply short enough for every host. */
async function ask(host: Host, name: string, input: Record<string, unknown>) {
  const reply = await host.call(name, input);
  const { text } = reply.content[0];
  expect(text.length, name).toBeLessThan(HOSTS_KEEP);
  return { text, ...success.parse(envelopeOf(reply)) };
}

it('no host cuts a reply, and paging returns every event', async () => {
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

const [HISTORY, EVENT] = [70_000, 47_000];
const EVER = { start_date: '1900-01-01', end_date: '2026-12-31' };

/** The longest replies of a shelf, with their maximum length; a section requested by name has none. */
const longest: readonly [name: string, input: Record<string, unknown>, limit: number][] = [
  ['paper_search', { query: 'volatility, since the dawn of time', topK: 10 }, HOSTS_KEEP],
  ['paper_read', { paperCardId: '2504.09380' }, HOSTS_KEEP],
  ['macro_indicator_search', { limit: 100 }, 27_000],
  ['macro_indicator_history', { series_id: 'DGS10', limit: 500 }, HISTORY],
  ['macro_indicator_history', { series_id: 'DFF', ...EVER }, 30_000],
  ['macro_indicator_history', { series_id: 'CPIAUCSL', ...EVER }, 30_000],
  ['prediction_market_event_browse', { limit: 100 }, HOSTS_KEEP],
  ['prediction_market_event_search', { query: 'bitcoin and the fed', limit: 20 }, HOSTS_KEEP],
  ['prediction_market_event_read', { event_card_id: 'pme_16096' }, EVENT],
];

it('a client gets even the longest replies complete', async () => {
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

it('a read of a long paper returns whole sections and names the rest; a section requested by name is complete', async () => {
  /** One section longer than a reply may be. */
  const long = 'Dealers widen their spreads when inventories grow. '.repeat(700);
  const sections = [
    { title: 'Introduction', text: long },
    ...Array.from({ length: 30 }, (_, at) => ({
      title: `On the costs of hedging at desk ${at}`,
      text: long.slice(0, 900),
    })),
  ];
  const records = Array.from({ length: 10 }, (_, at) => {
    const title = `Dealers and their inventories ${at}`;
    const html = makeHtmlPage({ title, abstract: long.slice(0, 1_500), sections });
    return makePaper({ id: `2609.0000${at}`, title, html });
  });
  const arxiv = await startArxiv({ records });
  onTestFinished(() => arxiv.close());
  const synced = await makeShelf();
  const env = online([arxiv], 1);
  await runHere(['sync', 'papers'], synced, env);
  const host = await connect('current', synced, env);
  const paperCardId = '2609.00007';
  const all = await ask(host, 'paper_read', { paperCardId });
  expect(all.meta.notice).toMatch(/not in this reply.*s01-introduction \(35,\d+\)/i);
  expect(all.text.length).toBeGreaterThan(12_000);
  const named = { paperCardId, sections: ['s01-introduction'] };
  const { data } = success.parse(envelopeOf(await host.call('paper_read', named)));
  expect(read.parse(data).sections[0]?.content.length).toBeGreaterThan(35_000);
  await ask(host, 'paper_search', { query: 'dealers and their inventories', topK: 10 });
});

it('a long window is thinned over MCP, with a notice; its resource and the command return all of it', async () => {
  const host = await connect('current', home);
  const input = { series_id: 'DGS10', ...EVER };
  const { meta, data } = success.parse(
    envelopeOf(await host.call('macro_indicator_history', input)),
  );
  const { observations } = history.parse(data);
  const { thinned } = z
    .looseObject({ thinned: z.object({ shown: z.number(), of: z.number() }) })
    .parse(meta);
  expect(thinned.shown).toBe(observations.length);
  expect(thinned.shown).toBeGreaterThan(190);
  const uri = /quantshelf:\/\/macro\/us\.yield\.10y\/history\/[\d-]+\/[\d-]+/.exec(
    meta.notice ?? '',
  );
  const [{ text, mimeType }] = (await host.read(uri?.[0] ?? '')).contents;
  const [head, ...rows] = text.trim().split('\n');
  expect(mimeType).toBe('text/csv');
  expect(head).toBe('date,indicator,value,realtime_start,realtime_end,exact,units');
  expect(rows).toHaveLength(thinned.of);
  const served = new Map(rows.map((row) => [row.slice(0, 10), row.split(',')[2]]));
  for (const { date, value } of observations) expect(served.get(date)).toBe(String(value ?? ''));
  const args = ['call', 'macro_indicator_history', JSON.stringify(input)];
  const whole = success.parse(JSON.parse((await runHere(args, home)).stdout));
  expect(history.parse(whole.data).observations).toHaveLength(thinned.of);
});

it('REST serves replies of up to 90,000 characters', async () => {
  const response = await fetch(`${serving.url}/api/prediction_market/events?limit=100`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  expect(text.length).toBeGreaterThan(HOSTS_KEEP);
  expect(text.length).toBeLessThan(90_000);
  expect(listing.parse(success.parse(JSON.parse(text)).data)).not.toHaveProperty('nextCursor');
});
