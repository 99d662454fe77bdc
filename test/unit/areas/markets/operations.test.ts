import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
} from '../../../../src/areas/markets/operations.ts';
import { browse, db, read, search, useFreshShelves } from './fresh-shelf.ts';
import { event, failure, makeStarterShelf, market, put, SEEN_AT } from './shelf.ts';

const SNAPSHOT = 'Starter data: a snapshot of 2025-06-24, not live odds.';
/** Before any of the starter events had ended. */
const THEN = { now: new Date('2025-06-25T12:00:00Z') };

describe('on the starter shelf', () => {
  useFreshShelves(makeStarterShelf);

  it('a browse lists the most liquid events first and says that they are a snapshot', async () => {
    const { data, meta } = await browse({ limit: 3 }, THEN);
    const events = [
      'What price will Bitcoin hit in 2025?',
      'How many Fed rate cuts in 2025?',
      'What price will Ethereum hit in 2025?',
    ].map((title) => ({ title, status: 'active', coverage_status: 'stale' }));
    expect(data).toMatchObject({ events, count: 3, scope: 'finance' });
    expect(data.events[0]?.url).toMatch(/^https:.*\/what-price-will-bitcoin-hit-in-2025$/);
    expect(meta).toMatchObject({ asOf: '2025-06-24T23:58:34.088Z', notice: SNAPSHOT });
  });

  it('the notice of a list begins with how many events ended after the snapshot', async () => {
    const { notice } = (await browse({ limit: 3 })).meta;
    expect(notice).toMatch(/^3 of 3 events ended.*after the snapshot of 2025-06-24: those odds/);
  });

  it('a list counts a disputed event among those that have ended', async () => {
    const { data, meta } = await browse({ asset: 'BTC' });
    const states = data.events.map(({ settlement }) => settlement.status);
    expect(states.sort()).toEqual(['disputed', 'ended', 'ended', 'ended', 'ended']);
    expect(meta.notice).toMatch(/^5 of 5 events ended/);
    expect((await read('pme_16182')).meta.notice).toMatch(
      /^As of 2025-06-24 the result is disputed.*not the outcome\. Starter data/,
    );
  });

  it('a read includes the fields that a list omits, and says that the event has ended since the snapshot', async () => {
    const { data, meta } = await read('pme_16096');
    expect(data).toMatchObject({
      slug: 'what-price-will-bitcoin-hit-in-2025',
      start_time: '2024-12-30T22:06:34.105Z',
      volume_24h: 188777.37,
      open_interest: 0,
      mutually_exclusive: false,
      synced_at: '2025-06-24T23:58:34.088Z',
      settlement: { status: 'ended' },
    });
    const hit = data.markets.find(({ group_label }) => group_label === '$110,000');
    expect(hit).toMatchObject({ status: 'closed', settlement: { winning_outcome: 'Yes' } });
    expect(data.markets[0]).toMatchObject({ status: 'active', settlement: { status: 'ended' } });
    for (const unknown of ['category', 'closed_time', 'resolution_source']) {
      expect(data).not.toHaveProperty(unknown);
    }
    expect(meta.notice).toBe(
      'Ended 2025-12-31, after the snapshot of 2025-06-24: these odds are not the outcome.',
    );
    expect((await read(data.event_card_id.toUpperCase())).data).toEqual(data);
  });

  it.each([
    ['pme_1', /^No event has this event_card_id/],
    ["' OR 1=1", /^No event has this event_card_id/],
    ['kalshi:KXCPI-26DEC', /^Kalshi is disabled.*: `quantshelf sync markets --source kalshi`/],
    ['https://kalshi.com/markets/kxcpi/x/kxcpi-26dec', /^Kalshi is disabled on this shelf: /],
  ])('a read of "%s" fails with the error %s', async (event_card_id, why) => {
    const error = {
      code: 'not_found',
      param: 'event_card_id',
      message: expect.stringMatching(why),
    };
    expect(await failure(db, predictionMarketEventRead, { event_card_id })).toMatchObject(error);
  });

  it('a browse describes the stored events if nothing matches', async () => {
    const { data, meta } = await browse({ q: 'eurovision' });
    expect(data).toEqual({ events: [], count: 0, scope: 'finance' });
    expect(meta.notice).toMatch(
      /^No event matches among the 35 finance events stored \(35 active.*closed when last seen.*crypto/,
    );
    expect(meta.asOf).toBe('2025-06-24T23:58:34.088Z');
  });

  it('a reply states that no event has the requested tag, and where tags are listed', async () => {
    const tag = 'Shoe Prices';
    for (const { meta } of [await browse({ tag }), await search({ query: 'fed rate cuts', tag })]) {
      expect(meta.notice).toMatch(
        /^No stored event has the tag "shoe-prices"; the most common tags are .*crypto.*quantshelf:\/\/tags\/events/,
      );
    }
    const { meta } = await browse({ tag: 'crypto', q: 'eurovision' });
    expect(meta.notice).toMatch(/^No event matches/);
  });

  const in2027 = { start_time: '2027-01-01T00:00:00Z', end_time: '2027-12-31T00:00:00Z' };
  it.each<[string, object, string]>([
    ['time', in2027, 'resolve from 2025-06-30 to 2026-02-28'],
    ['minimum liquidity', { min_liquidity: 1e9 }, 'have a liquidity of at most 1046621.64'],
    [
      'minimum volume',
      { min_volume: 1e9, min_liquidity: 1 },
      'have a volume of at most 14098458.9',
    ],
    [
      'time and minimum volume',
      { ...in2027, min_volume: 1e9 },
      'resolve from 2025-06-30 to 2026-02-28 and have a volume of at most 14098458.9',
    ],
  ])('a browse with a %s beyond all events says what they have', async (_, filters, facts) => {
    const { notice } = (await browse(filters)).meta;
    expect(notice).toBe(`No event matches: stored events with this status (35) ${facts}.`);
  });

  it('a search for a period after all events says between which days they end', async () => {
    const { notice } = (await search({ query: 'fed rate cuts', ...in2027 })).meta;
    expect(notice).toMatch(/^No event matches: .* \(35\) resolve from 2025-06-30 to 2026-02-28\./);
  });

  it('a browse lists the most common assets if no event names the requested one', async () => {
    for (const asset of ['ZZZ', 'NFLX']) {
      expect((await browse({ asset })).meta.notice).toBe(
        `No stored event is about the asset "${asset}"; the most common assets are BTC, FED, AMZN, AAPL, DOGE, ETH, GOOGL, LTC, MSTR, SEC, SOL, USDT.`,
      );
    }
    // An asset may also be named by a tag.
    for (const asset of ['bitcoin', 'stablecoins']) {
      const { meta } = await browse({ asset, q: 'eurovision' });
      expect(meta.notice).toMatch(/^No event matches among the 35/);
    }
  });

  it('a strong verdict does not depend on the events at another venue', async () => {
    const atKalshi = (title: string, sourceId: string) => {
      return { ...event({ title }), source: 'kalshi', sourceId, alias: `kalshi:${sourceId}` };
    };
    const verdict = async (query: string) => (await search({ query })).meta.verdict;
    const decision = event({ id: '1', title: 'Norges Bank decision in December' });
    put(db, [decision, atKalshi('Riksbank decision in June', 'KXRB-1')]);
    expect(await verdict('Norges Bank in December: decision')).toBe('strong');
    expect(await verdict('Riksbank in June: decision')).toBe('strong');
    const siblings = Array.from({ length: 11 }, (_, at) =>
      atKalshi(`Norges Bank decision in December: ${at}.5 %`, `KXNB-${at}`),
    );
    put(db, siblings);
    expect(await verdict('Norges Bank in December: decision')).toBe('strong');
  });
});

describe('an event', () => {
  useFreshShelves();
  const coverage = async (status: string, now: string) => {
    const { data } = await browse({ status }, { now: new Date(now) });
    return data.events[0]?.coverage_status;
  };

  it('is stale after a day while active, otherwise after a week', async () => {
    put(db, [
      event({ id: '1' }),
      event({ id: '2', status: 'closed', coverage_status: 'metadata_only', markets: [] }),
    ]);
    expect(await coverage('active', '2026-11-22T11:50:00Z')).toBe('complete');
    expect(await coverage('active', '2026-11-22T11:50:01Z')).toBe('stale');
    expect(await coverage('closed', '2026-11-28T11:50:00Z')).toBe('metadata_only');
    expect(await coverage('closed', '2026-11-28T11:50:01Z')).toBe('stale');
  });

  it('counts as ended only once all its markets have ended since they were last seen', async () => {
    const [early, late] = ['2026-11-20T12:00:00.000Z', '2026-12-20T12:00:00.000Z'];
    const markets = [market(), market({ market_card_id: 'pmm_501', end_time: late })];
    put(db, [event({ end_time: early, markets })], '2026-11-19T00:00:00.000Z');
    const states = async (now: string) => {
      const { data } = await browse({}, { now: new Date(now) });
      return data.events.flatMap(({ settlement, markets }) => [
        settlement.status,
        ...markets.map((each) => each.settlement?.status),
      ]);
    };
    expect(await states(early.replace('12:', '11:'))).toEqual(['open', undefined, undefined]);
    expect(await states(early)).toEqual(['open', 'ended', undefined]);
    expect(await states(late)).toEqual(['ended', 'ended', 'ended']);
  });

  it('is reported as ended if its end has passed since it was last seen, unless it is closed', async () => {
    const end = '2026-11-20T12:00:00.000Z';
    const notice = async (changes: object, seenAt: string) => {
      db.exec('DELETE FROM market_event');
      put(db, [event({ end_time: end, ...changes })], seenAt);
      return (await read()).meta.notice;
    };
    expect(await notice({}, '2026-11-19T00:00:00.000Z')).toBe(
      'Ended 2026-11-20, after it was last seen on 2026-11-19: these odds are not the outcome.',
    );
    expect(await notice({}, SEEN_AT)).toBeUndefined();
    expect(await notice({ status: 'closed' }, '2026-11-19T00:00:00.000Z')).not.toMatch(/^Ended/);
  });

  it('stored by another version makes a browse fail with a request to restart', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    put(db, [event()]);
    db.exec("UPDATE market_event SET card = json_set(card, '$.coverage_status', 'later')");
    expect(await failure(db, predictionMarketEventBrowse, {})).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('Restart'),
    });
    expect(log.mock.lastCall?.[0]).toContain('coverage_status');
  });
});
