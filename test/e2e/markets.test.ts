import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  makeWireEvent,
  makeWireMarket,
  type PolymarketStandIn,
  startPolymarket,
} from '../stand-ins/polymarket.ts';
import { type Env, makeHome, modelDir, quantshelf } from './support.ts';
import { Wire } from './wire.ts';

let polymarket: PolymarketStandIn;
let home: string;
let env: Env;

beforeEach(async () => {
  polymarket = await startPolymarket([
    makeWireEvent({ id: 900_001, title: 'Will zinc futures close above 4,000 dollars?' }),
    makeWireEvent({ id: 900_002, title: 'Will the Bank of Neverland cut its rate?' }),
  ]);
  home = makeHome();
  env = {
    ...polymarket.env,
    QUANTSHELF_OFFLINE: '0',
    QUANTSHELF_PACE_MS: '1',
    QUANTSHELF_HUB_URL: 'http://127.0.0.1:9',
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    ...(modelDir === null ? {} : { QUANTSHELF_MODEL_DIR: modelDir }),
  };
});
afterEach(() => polymarket.close());

const done = modelDir === null ? 1 : 0;

async function search(query: string) {
  const input = JSON.stringify({ query, limit: 1 });
  const { stdout } = await quantshelf(['call', 'prediction_market_event_search', input], home, {
    ...env,
    QUANTSHELF_OFFLINE: '1',
  });
  return z
    .looseObject({
      data: z.looseObject({ events: z.array(z.looseObject({ title: z.string() })) }),
      meta: z.looseObject({ asOf: z.string() }),
    })
    .parse(JSON.parse(stdout));
}

describe('quantshelf sync markets', () => {
  it('brings the events of finance, and a second time only what has changed', async () => {
    const first = await quantshelf(['sync', 'markets', '--json'], home, env);
    expect(first.code, first.stderr).toBe(done);
    expect(JSON.parse(first.stdout)).toMatchObject({ markets: { added: 2, finished: true } });
    const { data, meta } = await search('zinc futures price');
    expect(data.events[0]?.title).toContain('zinc');
    expect(Date.now() - Date.parse(meta.asOf)).toBeLessThan(60_000);

    const [event] = polymarket.events;
    if (event === undefined) throw new Error('no events');
    event.markets = [makeWireMarket(900_001_000, 0.91)];
    const second = await quantshelf(['sync', 'markets', '--json'], home, env);
    expect(JSON.parse(second.stdout)).toMatchObject({
      markets: { added: 0, changed: 1, unchanged: 1 },
    });
  });

  it('keeps what it had when Polymarket fails, exits 1, and status says why', async () => {
    await quantshelf(['sync', 'markets'], home, env);
    polymarket.fault(
      () => true,
      Array.from({ length: 40 }, () => ({ kind: 'status', status: 500 }) as const),
    );
    const failed = await quantshelf(['sync', 'markets'], home, env);
    expect(failed.code).toBe(1);
    const { stdout } = await quantshelf(['status', '--json'], home, env);
    expect(JSON.parse(stdout)).toMatchObject({
      markets: { lastError: expect.stringContaining('status 500') },
    });
    expect((await search('zinc futures price')).data.events[0]?.title).toContain('zinc');
  });
});

describe('old odds', () => {
  it('are answered at once, and refreshed behind the call', async () => {
    const wire = new Wire(home, env);
    await wire.initialize();
    const browse = async (id: number) => {
      const frame = await wire.call(id, 'prediction_market_event_browse', { q: 'zinc' });
      return z
        .looseObject({
          result: z.looseObject({
            structuredContent: z.looseObject({
              data: z.looseObject({ count: z.number() }),
              meta: z.looseObject({ notice: z.string().optional() }),
            }),
          }),
        })
        .parse(frame).result.structuredContent;
    };
    const first = await browse(1);
    expect(first.data.count).toBe(0);
    expect(first.meta.notice).toContain('in the background');
    let count = 0;
    for (let id = 2; id < 200 && count === 0; id += 1) {
      await delay(100);
      count = (await browse(id)).data.count;
    }
    expect(count).toBe(1);
  });

  it('stay as they are offline', async () => {
    const wire = new Wire(home, { ...env, QUANTSHELF_OFFLINE: '1' });
    await wire.initialize();
    await wire.call(1, 'prediction_market_event_browse', {});
    await delay(300);
    expect(polymarket.requests).toEqual([]);
  });
});
