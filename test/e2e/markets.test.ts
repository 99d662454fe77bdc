import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isLocked } from '../../src/store/lock.ts';
import { openForWriting } from '../../src/store/open.ts';
import { makeKalshiEvent, startKalshi } from '../stand-ins/kalshi.ts';
import {
  makeWireEvent,
  makeWireMarket,
  type PolymarketStandIn,
  startPolymarket,
} from '../stand-ins/polymarket.ts';
import { callHere, makeShelf, runHere, statusHere } from './in-process.ts';
import { type Env, modelDir, online, quantshelf, storeIn } from './support.ts';
import { startWire } from './wire.ts';

let polymarket: PolymarketStandIn;
let home: string;
let env: Env;

beforeEach(async () => {
  polymarket = await startPolymarket([
    makeWireEvent({ id: 900_001, title: 'Will zinc futures close above 4,000 dollars?' }),
    makeWireEvent({ id: 900_002, title: 'Will the Bank of Neverland cut its rate?' }),
  ]);
  home = await makeShelf();
  env = online([polymarket], 1);
  if (modelDir !== null) env = { ...env, QUANTSHELF_MODEL_DIR: modelDir };
});
afterEach(() => polymarket.close());

const done = modelDir === null ? 1 : 0;

it('quantshelf sync markets stores new events on its first run, and only what has changed on its second', async () => {
  const begun = Date.now();
  const first = await quantshelf(['sync', 'markets', '--json'], home, env);
  expect(first.code, first.stderr).toBe(done);
  expect(JSON.parse(first.stdout)).toMatchObject({ markets: { added: 2, finished: true } });
  const query = 'zinc futures price';
  const offline = { ...env, QUANTSHELF_OFFLINE: '1' };
  const { data, meta } = await callHere('prediction_market_event_search', { query }, home, offline);
  expect(data.events[0].title).toContain('zinc');
  expect(Date.parse(meta.asOf)).toBeGreaterThanOrEqual(begun);

  Object.assign(polymarket.events[0] ?? {}, { markets: [makeWireMarket(900_001_000, 0.91)] });
  const second = await quantshelf(['sync', 'markets', '--json'], home, env);
  expect(JSON.parse(second.stdout)).toMatchObject({
    markets: { added: 0, changed: 1, unchanged: 1 },
  });
});

it('quantshelf sync markets --source kalshi turns Kalshi on until Polymarket alone is chosen, and a failure of Kalshi does not affect Polymarket', async () => {
  const kalshi = await startKalshi(undefined, [makeKalshiEvent()]);
  onTestFinished(() => kalshi.close());
  const both = { ...env, ...kalshi.env };
  const run = async (...words: string[]) => {
    const { stdout } = await runHere([...words, '--json'], home, both);
    return JSON.parse(stdout).markets;
  };
  expect(await run('sync', 'markets')).toMatchObject({ added: 2 });
  expect(kalshi.requests).toEqual([]);
  expect(await run('sync', 'markets', '--source', 'kalshi')).toMatchObject({ added: 1 });
  expect(await run('sync', 'markets')).toMatchObject({ unchanged: 3 });
  const venues = async () => (await run('status')).venues;
  const alone = ['sync', 'markets', '--source', 'polymarket'];
  expect(await run(...alone)).toMatchObject({ unchanged: 2 });
  expect(await venues()).toMatchObject([{ on: true }, { source: 'kalshi', on: false }]);
  expect((await runHere(['status'], home)).stdout).toMatch(
    /1 from Kalshi, odds as of [-\d]+ \(off: kept, not refreshed\)$/m,
  );
  expect(await run('sync', 'markets')).toMatchObject({ unchanged: 2 });
  // A block from the time when Kalshi was on.
  const db = openForWriting(storeIn(home));
  db.prepare("UPDATE rate_limit SET blocked_until = ? WHERE upstream = 'kalshi'").run(
    Date.now() + 600_000,
  );
  db.close();
  const kalshiAlone = ['sync', 'markets', '--source', 'kalshi', '--force'];
  expect(await run(...kalshiAlone)).toMatchObject({ unchanged: 1 });
  expect(await venues()).toMatchObject([
    { source: 'polymarket', failed: false },
    { source: 'kalshi', events: 1, failed: false },
  ]);

  kalshi.fault('/events?', [{ kind: 'status', status: 400 }]);
  Object.assign(polymarket.events[0] ?? {}, { markets: [makeWireMarket(900_001_000, 0.91)] });
  expect(await run('sync', 'markets')).toMatchObject({
    changed: 1,
    finished: false,
    error: expect.stringContaining('Kalshi listed no open events'),
  });
  expect(await venues()).toMatchObject([{ failed: false }, { events: 1, failed: true }]);
});

/** A server, and a function that browses. */
async function startServer() {
  const wire = await startWire(home, env);
  const browse = async (input: object) =>
    Object(await wire.ask('prediction_market_event_browse', input));
  return { wire, browse };
}

describe('old odds', () => {
  it('do not delay a list of events, and are refreshed in the background', async () => {
    const { browse } = await startServer();
    const first = await browse({ q: 'zinc' });
    expect(first.data.count).toBe(0);
    expect(first.meta.notice).toContain('in the background');
    await expect.poll(() => browse({ q: 'zinc' })).toMatchObject({ data: { count: 1 } });
    // The event may appear before the refresh has ended.
    await expect.poll(async () => (await browse({ q: 'zinc' })).meta.notice).toBeUndefined();
  });

  it('of a single event are refreshed before the event is returned', async () => {
    polymarket.events.push(makeWireEvent({ id: 16_085, prices: [0.77] }));
    const { wire } = await startServer();
    const read = await wire.ask('prediction_market_event_read', { event_card_id: 'pme_16085' });
    const markets = [{ outcomes: [{ current_probability: 0.77 }, {}] }];
    expect(read).toMatchObject({ data: { markets } });
    expect(read).not.toHaveProperty('meta.notice');
    expect(polymarket.requests.map(({ path }) => path)).toEqual(['/events/16085']);
  });

  it('cause no error if the host disconnects during their refresh', async () => {
    polymarket.fault('/events/keyset', [{ kind: 'hang' }]);
    const { wire, browse } = await startServer();
    await browse({ q: 'zinc' });
    await expect.poll(() => polymarket.requests.length).toBeGreaterThan(0);
    expect((await wire.finish()).code).toBe(0);
    await expect.poll(() => isLocked(join(home, 'sync-markets.lock'))).toBe(false);
    expect((await statusHere(home)).markets).toMatchObject({ lastSync: null, lastError: null });
  });
});
