import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { connect, connectTo, envelopeOf, type Host, type Reply } from './hosts.ts';
import { makeShelf } from './in-process.ts';
import { makeKey, serveForTest } from './serving.ts';
import { envelope } from './support.ts';

/** The smallest limit of a host is 20,000 characters; ours leaves room for its own frame. */
const HOSTS_KEEP = 19_500;

const BROWSE = 'prediction_market_event_browse';
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
beforeAll(async () => {
  home = await makeShelf();
});

function textOf(reply: Reply): string {
  return reply.content[0].text;
}

function dataOf(reply: Reply): Record<string, unknown> {
  const answer = envelopeOf(reply);
  if ('error' in answer) throw new Error(answer.error.message);
  return z.record(z.string(), z.unknown()).parse(answer.data);
}

function creditsOf(reply: Reply): number {
  const answer = envelopeOf(reply);
  if ('error' in answer) throw new Error(answer.error.message);
  return answer.meta.creditsUsed;
}

async function expectWholeReplies(host: Host): Promise<void> {
  const first = await host.call(BROWSE, { limit: 100 });
  expect(textOf(first).length).toBeLessThan(HOSTS_KEEP);
  expect(textOf(first)).toMatch(/^\{"meta":\{/);
  expect(creditsOf(first)).toBe(1);
  const ids: string[] = [];
  let page = listing.parse(dataOf(first));
  expect(page.nextCursor).toBeDefined();
  for (;;) {
    expect(page.count).toBe(page.events.length);
    ids.push(...page.events.map(({ event_card_id }) => event_card_id));
    if (page.nextCursor === undefined) break;
    const next = await host.call(BROWSE, { limit: 100, cursor: page.nextCursor });
    expect(textOf(next).length).toBeLessThan(HOSTS_KEEP);
    page = listing.parse(dataOf(next));
  }
  expect([ids.length, new Set(ids).size]).toEqual([35, 35]);
  for (const [name, input] of [
    [BROWSE, {}],
    ['prediction_market_event_search', { query: 'bitcoin and the fed', limit: 20 }],
    ['paper_search', { query: 'volatility', topK: 10 }],
  ] as const) {
    const reply = await host.call(name, input);
    expect(reply.isError, name).not.toBe(true);
    expect(textOf(reply).length, name).toBeLessThan(HOSTS_KEEP);
  }
}

it('a client gets replies that no host cuts on stdio, and every event page by page', async () => {
  await expectWholeReplies(await connect('current', home));
});

it('and over HTTP', async () => {
  const key = await makeKey(home, 'size');
  const serving = await serveForTest(home);
  await expectWholeReplies(await connectTo('initialize', serving.url, key));
});

it('reads how much of a long history it has before its observations', async () => {
  const host = await connect('current', home);
  const reply = await host.call('macro_indicator_history', { series_id: 'DGS10', limit: 500 });
  const text = textOf(reply);
  const start = text.slice(0, text.indexOf('"observations"'));
  expect(start).toMatch(/this text shows 1\d\d of 500 observations, one in \d with the first/);
  expect(start).toMatch(/`.*export macro us\.yield\.10y` have all/);
  expect(dataOf(reply).observations).toHaveLength(500);
  expect(start).toContain('"attribution"');
});

it('the starter shelf is explained once, not in every search', async () => {
  const host = await connect('current', home);
  const notices = [];
  for (const query of ['volatility', 'momentum']) {
    const answer = envelopeOf(await host.call('paper_search', { query }));
    notices.push(!('error' in answer) && answer.meta.notice?.includes('starter shelf') === true);
  }
  expect(notices).toEqual([true, false]);
});

describe('a history of 26,000 observations over HTTP', () => {
  const input = { series_id: 'DFF', start_date: '1900-01-01', end_date: '2026-12-31' };
  const message = (params: object) =>
    JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'macro_indicator_history', arguments: input, ...params },
    });

  it('comes as JSON, and in a stream to a client that asks for progress', async () => {
    const key = await makeKey(home, 'json');
    const { url } = await serveForTest(home);
    const ask = (body: string) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body,
      });
    const plain = await ask(message({}));
    expect(plain.headers.get('content-type')).toBe('application/json');
    expect((await plain.text()).length).toBeGreaterThan(2_000_000);
    const watched = await ask(message({ _meta: { progressToken: 1 } }));
    expect(watched.headers.get('content-type')).toBe('text/event-stream');
    await watched.text();
  });
});

it('REST serves up to 90,000 characters', async () => {
  const key = await makeKey(home, 'rest');
  const { url } = await serveForTest(home);
  const response = await fetch(`${url}/api/prediction_market/events?limit=100`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  expect(text.length).toBeGreaterThan(HOSTS_KEEP);
  expect(text.length).toBeLessThan(90_000);
  const answer = envelope.parse(JSON.parse(text));
  if ('error' in answer) throw new Error(answer.error.message);
  expect(listing.omit({ events: true }).parse(answer.data)).not.toHaveProperty('nextCursor');
});
