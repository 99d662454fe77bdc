import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import { connect, connectTo, envelopeOf, type Host, type Reply } from './hosts.ts';
import { makeShelf } from './in-process.ts';
import { makeKey, serveForTest } from './serving.ts';
import { envelope, runProcess } from './support.ts';

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

it('a client reads of every tool no more than a model can use', async () => {
  const host = await connect('current', home);
  for (const row of operations) {
    const text = textOf(await host.call(row.name, { ...row.example }));
    expect(text, row.name).toMatch(/^\{"meta":\{"creditsUsed"/);
    expect(text, row.name).not.toMatch(/"requestId"|\d\.\d{7,}/);
    expect(text.length, row.name).toBeLessThan(HOSTS_KEEP);
  }
  const browse = textOf(await host.call(BROWSE, {}));
  expect(browse).not.toContain('outcome_token_id');
  expect(browse.length).toBeLessThan(13_000);
  const search = { query: 'optimal execution with market impact' };
  expect(textOf(await host.call('paper_search', search)).length).toBeLessThan(8_000);
  const events = { query: 'will the Fed cut interest rates' };
  expect(textOf(await host.call('prediction_market_event_search', events)).length).toBeLessThan(
    13_000,
  );
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

  it('reaches a session of the Python SDK', async (test) => {
    const probe = await runProcess('python3', ['-c', 'import mcp']).catch(() => ({ code: 1 }));
    if (probe.code !== 0) test.skip('Python with the package mcp is not on this machine');
    const key = await makeKey(home, 'python');
    const { url } = await serveForTest(home);
    const { code, stdout, stderr } = await runProcess('python3', [
      ...['-c', PYTHON_CLIENT, `${url}/mcp`, key, JSON.stringify(input)],
    ]);
    expect(code, stderr).toBe(0);
    expect(Number(stdout)).toBeGreaterThan(16_000);
  });
});

/** Prints how many observations its session receives. */
const PYTHON_CLIENT = `
import asyncio, json, sys
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

async def main(url, key, arguments):
    headers = {"Authorization": f"Bearer {key}"}
    async with streamablehttp_client(url, headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            result = await session.call_tool("macro_indicator_history", json.loads(arguments))
            print(len(result.structuredContent["data"]["observations"]))

asyncio.run(main(*sys.argv[1:]))
`;

/** Calls that have much to tell at once. */
const talkative: readonly [name: string, input: Record<string, unknown>][] = [
  ['paper_search', { query: 'volatility', topK: 10 }],
  ['paper_search', { query: 'zyzzyva' }],
  ['paper_read', { paperCardId: '2510.23150' }],
  ['macro_indicator_search', {}],
  ['macro_indicator_search', { q: 'zebra' }],
  ['macro_indicator_history', { series_id: 'GDPC1' }],
  [
    'macro_indicator_history',
    { series_id: 'DFF', start_date: '1900-01-01', end_date: '2026-07-22', limit: 500 },
  ],
  [
    'macro_indicator_history',
    { series_id: 'UNRATE', start_date: '1900-01-01', end_date: '1900-12-31' },
  ],
  [BROWSE, {}],
  [BROWSE, { q: 'eurovision' }],
  [BROWSE, { start_time: '2025-01-01', end_time: '2025-12-31' }],
  [
    'prediction_market_event_search',
    { query: 'bitcoin', limit: 20, start_time: '2025-01-01', end_time: '2025-12-31' },
  ],
  ['prediction_market_event_read', { event_card_id: 'pme_16096' }],
];

it('no notice has more than two sentences', async () => {
  const host = await connect('current', home, { QUANTSHELF_MODEL_DIR: '' });
  for (const [name, input] of talkative) {
    const answer = envelopeOf(await host.call(name, input));
    if ('error' in answer) throw new Error(`${name}: ${answer.error.message}`);
    const { notice = '' } = answer.meta;
    expect(notice, name).not.toBe('');
    const ends = notice.match(/[.!?](?=\s+["A-Z\d]|$)/g) ?? [];
    expect(ends.length, notice).toBeLessThanOrEqual(2);
  }
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
