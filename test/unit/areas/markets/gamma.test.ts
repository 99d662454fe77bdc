import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { gammaEvent, gammaTime } from '../../../../src/areas/markets/sources/polymarket-event.ts';
import { makeWireMarket } from '../../../stand-ins/polymarket.ts';

const wireMarket = (changes: Record<string, unknown> = {}, id = 8) =>
  makeWireMarket(id, 0.3, { active: true, acceptingOrders: true, ...changes });
const parse = (changes: Record<string, unknown>) =>
  gammaEvent.parse({ id: 7, markets: [], ...changes });
const parseMarket = (changes: Record<string, unknown>) =>
  parse({ markets: [wireMarket(changes)] }).markets[0];

const open = wireMarket({}, 1);
const paused = wireMarket({ acceptingOrders: false }, 2);
const closed = wireMarket({ closed: true, outcomePrices: '["1", "0"]' }, 4);
const archived = wireMarket({ archived: true }, 5);

describe('the reader of Polymarket events', () => {
  it('reads lists and decimals given as strings, and replaces a blank title', () => {
    const tokenIds = ['9'.repeat(78), '1'.repeat(76)];
    const event = parse({
      title: '  ',
      ticker: 'a-ticker',
      tags: [{ slug: 'Economy' }, { slug: 'economy' }, { slug: null }, { label: 'none' }],
      liquidity: '12.5',
      volume: '',
      negRisk: null,
      markets: [
        {
          id: '8',
          outcomes: '["Yes", "No"]',
          outcomePrices: '["0.25", "0.75"]',
          clobTokenIds: JSON.stringify(tokenIds),
          liquidity: '3.5',
          question: 'As strings?',
          groupItemThreshold: '2',
        },
        { id: '9', slug: 'b', outcomes: ['A'], outcomePrices: [0.5], clobTokenIds: '[]' },
      ],
    });
    expect(event).toMatchObject({
      alias: 'pme_7',
      title: 'a-ticker',
      tags: ['economy'],
      liquidity: 12.5,
      mutually_exclusive: false,
      markets: [
        {
          market_card_id: 'pmm_8',
          liquidity: 3.5,
          place: 2,
          outcomes: [
            { label: 'Yes', outcome_token_id: tokenIds[0], current_probability: 0.25 },
            { label: 'No', outcome_token_id: tokenIds[1], current_probability: 0.75 },
          ],
        },
        { market_card_id: 'pmm_9', outcomes: [] },
      ],
    });
  });

  it('refuses anything but an event with a valid id, state, title, slug, tags and markets', () => {
    const ids = [1.5, 0, '007', '1'.repeat(16), 2 ** 60, 'abc'].map((id) => ({ id }));
    // These fields decide the state or the scope of an event.
    const odd = [{ closed: 'true' }, { tags: [{ slug: 5 }] }, { slug: 5 }, { title: {} }];
    const fields = [...ids, ...odd, { markets: null }, { markets: undefined }];
    for (const wire of [null, [], ...fields.map((each) => ({ id: 7, markets: [], ...each }))]) {
      expect(() => gammaEvent.parse(wire), JSON.stringify(wire)).toThrow(z.ZodError);
    }
  });

  it('drops a field of the wrong type, and a market with an invalid state or id', () => {
    const odd = { groupItemTitle: 5, volume: {}, liquidity: [], endDate: 0, outcomes: 1 };
    const markets = [
      { id: 8, question: 'Will it?', closed: true, ...odd },
      { id: 9, question: 'Or not?', closed: 'true' },
      { id: '9'.repeat(20), question: 'Or what?' },
    ];
    const event = parse({ ticker: [], slug: 'a-slug', openInterest: {}, markets });
    expect(event).toMatchObject({ title: 'a-slug', status: 'inactive' });
    expect(event).not.toHaveProperty('open_interest');
    expect(event.markets).toMatchObject([
      { market_card_id: 'pmm_8', status: 'closed', volume: 0, outcomes: [] },
    ]);
  });

  it('keeps one copy of a market, and ignores invisible texts and absurd amounts', () => {
    const markets = ['8', '9', '8'].map((id) => ({ id, question: '\u2060', slug: `will-${id}` }));
    const amounts = { volume: '1e308', liquidity: 1e15, openInterest: '-1e16', volume24hr: -5 };
    const event = parse({
      ...amounts,
      title: '\u200b',
      slug: '\u{20000}'.repeat(100_000),
      description: ' "" ',
      markets,
    });
    expect(event.markets.map((each) => each.market_question)).toEqual(['will-8', 'will-9']);
    expect(event).toMatchObject({ description: null, volume: 0, liquidity: 1e15 });
    expect(event).not.toHaveProperty('open_interest');
    expect(event).not.toHaveProperty('volume_24h');
    expect(event.url.length).toBeLessThan(5_000);
  });

  it.each([
    ['2026-05-01T12:34:56Z', '2026-05-01T12:34:56.000Z'],
    ['2026-05-01 12:34:56.789123+00', '2026-05-01T12:34:56.789Z'],
    ['2026-05-01T12:34:56+05:30', '2026-05-01T07:04:56.000Z'],
    ['2026-05-01', '2026-05-01T00:00:00.000Z'],
    ['2026-05-01 12:34:56 +0000', '2026-05-01T12:34:56.000Z'],
    ['2026-05-01t12:34:56z', '2026-05-01T12:34:56.000Z'],
    ['0001-01-01T00:00:00Z', null],
    ['2026-02-30', null],
    ['soon', null],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('reads the time "%s" as %s', (spelled, time) => {
    expect(gammaTime.parse(spelled)).toBe(time);
  });
});

describe('a Polymarket event', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['one open market among others', 'active', { markets: [closed, paused, open] }],
    ['a past end date', 'active', { endDate: '2025-06-30T12:00:00Z', markets: [open] }],
    ['only paused markets', 'inactive', { markets: [paused] }],
    ['an archived flag and an open market', 'inactive', { archived: true, markets: [open] }],
    ['no markets', 'inactive', { markets: [] }],
    ['closed and paused markets', 'inactive', { markets: [closed, paused] }],
    ['a closed and an unreadable market', 'inactive', { markets: [closed, {}] }],
    ['only closed markets', 'closed', { markets: [closed] }],
    ['a closed flag and an open market', 'closed', { closed: true, markets: [open] }],
    ['closed and archived markets', 'closed', { markets: [closed, archived] }],
  ])('with %s is %s', (_, status, changes) => {
    expect(parse(changes).status).toBe(status);
  });
});

it('a Polymarket event omits archived markets, and placeholders if only one market can win', () => {
  const place = wireMarket({ question: 'Person A?', active: false, volume: null }, 9);
  const markets = [open, archived, place];
  expect(parse({ markets, negRisk: true }).markets).toHaveLength(1);
  // Elsewhere a market that has not opened yet still counts.
  expect(parse({ markets })).toMatchObject({ markets: [{}, {}], volume: 100.5, liquidity: 100.5 });
  expect(parse({ markets, volume: 7, liquidity: 0 })).toMatchObject({ volume: 7, liquidity: 0 });
});

describe('the odds of a Polymarket market', () => {
  it.each<[string, Record<string, unknown>, number[]]>([
    ['are the listed prices', {}, [0.3, 0.7]],
    ['stay between 0 and 1', { outcomePrices: [1.005, -0.005] }, [1, 0]],
    ['leave out an impossible price', { outcomePrices: [1.2, 0.4] }, [0.4]],
    ['are not taken from the order book', { outcomePrices: [], bestBid: 0.4, bestAsk: 0.5 }, []],
    ['are unknown if every price is 0', { outcomePrices: [0, 0] }, []],
    ['are rounded once it closes', { closed: true, outcomePrices: [0.9999996, 0.0000004] }, [1, 0]],
  ])('%s', (_, changes, probabilities) => {
    expect(parseMarket(changes)?.outcomes.map((each) => each.current_probability)).toEqual(
      probabilities,
    );
  });
});

it('an outcome keeps all 78 digits of its token id, and is skipped if that is no number', () => {
  const [first, second] = ['8'.repeat(78), 'not a number'];
  const event = parse({ markets: [wireMarket({ clobTokenIds: [first, second] })] });
  expect(event.markets[0]?.outcomes).toEqual([
    { label: 'Yes', outcome_token_id: first, current_probability: 0.3 },
  ]);
  expect(event.coverage_status).toBe('partial');
});

describe('the coverage of a Polymarket event', () => {
  const bare = wireMarket({ clobTokenIds: [] }, 9);
  const labels = Array.from({ length: 100 }, (_, index) => String(index + 1));
  const wide = wireMarket({
    outcomes: labels,
    clobTokenIds: labels,
    outcomePrices: labels.map(() => 0.01),
  });
  it.each([
    ['complete', 'if all markets have odds', [open, closed]],
    ['partial', 'if a market has no odds', [open, bare]],
    ['partial', 'if a market is unreadable', [open, {}]],
    ['partial', 'if a market has too many outcomes', [wide]],
    ['metadata_only', 'if no market has odds', [bare]],
    ['metadata_only', 'without markets', []],
  ])('is %s %s', (coverage, _, markets) => {
    expect(parse({ markets }).coverage_status).toBe(coverage);
  });
});
