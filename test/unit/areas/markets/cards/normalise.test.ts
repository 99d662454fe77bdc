import { describe, expect, it } from 'vitest';
import { foldText } from '../../../../../src/areas/markets/event-text.ts';
import { normaliseEvent } from '../../../../../src/areas/markets/normalise.ts';
import { cleanText } from '../../../../../src/core/text.ts';
import { event, market, SEEN_AT } from '../shelf.ts';

const open = market();
const paused = market({ id: '501', acceptingOrders: false });
const unopened = market({ id: '502', active: false });
const closed = market({ id: '503', closed: true, prices: [1, 0] });
const normalise = (changes: Parameters<typeof event>[0]) => normaliseEvent(event(changes), SEEN_AT);

describe('status comes from flags', () => {
  it.each([
    ['one open market among others', { markets: [closed, paused, open] }, 'active'],
    ['an end date in the past', { endTime: '2025-06-30T12:00:00.000Z' }, 'active'],
    [
      'no word about orders (old books)',
      { markets: [market({ acceptingOrders: null })] },
      'active',
    ],
    ['only paused markets', { markets: [paused] }, 'inactive'],
    ['only markets not yet open', { markets: [unopened] }, 'inactive'],
    ['a withdrawn event', { archived: true }, 'inactive'],
    ['no market at all', { markets: [] }, 'inactive'],
    ['closed and paused markets', { markets: [closed, paused] }, 'inactive'],
    ['every market closed', { markets: [closed] }, 'closed'],
    ['a closed event with an open market', { closed: true }, 'closed'],
    ['a closed event without markets', { closed: true, markets: [] }, 'closed'],
    ['a closed and withdrawn event', { closed: true, archived: true }, 'closed'],
    [
      'closed ones beside withdrawn ones',
      { markets: [closed, market({ archived: true })] },
      'closed',
    ],
  ])('%s', (_, changes, status) => {
    expect(normalise(changes).status).toBe(status);
  });

  it('gives markets the same three words', () => {
    const card = normalise({ markets: [closed, unopened, paused, open] });
    expect(card.markets.map(({ id, status }) => [id, status])).toEqual([
      [500, 'active'],
      [501, 'inactive'],
      [502, 'inactive'],
      [503, 'closed'],
    ]);
  });

  it('closes a market that still claims to accept orders', () => {
    expect(normalise({ markets: [{ ...closed, acceptingOrders: true }] }).status).toBe('closed');
  });
});

describe('the time of closing', () => {
  const early = { ...closed, closedTime: '2026-02-01T00:00:00.000Z' };
  const late = { ...closed, id: '504', closedTime: '2026-03-01T00:00:00.000Z' };
  const ended = { closed: true, markets: [closed], endTime: '2026-01-05T00:00:00.000Z' };

  it.each([
    ['is the event’s own', { closed: true, closedTime: '2026-04-01T00:00:00.000Z' }, '2026-04-01'],
    ['else the last of its markets', { closed: true, markets: [early, late] }, '2026-03-01'],
    ['else the end date, once past', ended, '2026-01-05'],
    ['else the first sight of it', { ...ended, endTime: '2027-01-05T00:00:00.000Z' }, '2026-11-21'],
  ])('%s', (_, changes, day) => {
    const card = normalise(changes);
    expect(card.closedTime?.slice(0, 10)).toBe(day);
    expect(card.resolutionTime).toBe(card.closedTime);
  });

  it('stays at the first sight when it is seen again', () => {
    const facts = event({ closed: true });
    expect(normaliseEvent(facts, SEEN_AT, '2026-10-01T00:00:00.000Z').closedTime).toBe(
      '2026-10-01T00:00:00.000Z',
    );
  });

  it('is unknown of an open event, which resolves at its end date', () => {
    const card = normalise({ endTime: '2026-12-31T00:00:00.000Z', closedTime: SEEN_AT });
    expect(card.closedTime).toBeNull();
    expect(card.resolutionTime).toBe('2026-12-31T00:00:00.000Z');
  });
});

describe('markets of a card', () => {
  it('come open first, then by liquidity, then by number', () => {
    const markets = [
      { ...closed, id: '9', liquidity: 900 },
      market({ id: '30', liquidity: 5 }),
      market({ id: '4', liquidity: 5 }),
      market({ id: '8', liquidity: 70 }),
      { ...paused, id: '7', liquidity: 800 },
    ];
    expect(normalise({ markets }).markets.map(({ id }) => id)).toEqual([8, 4, 30, 9, 7]);
  });

  it('leave out withdrawn ones and the empty places of exclusive outcomes', () => {
    const place = market({ id: '7', question: 'Person A?', active: false, volume: null });
    const markets = [open, market({ id: '8', archived: true }), place];
    expect(normalise({ markets, mutuallyExclusive: true }).markets).toHaveLength(1);
    // Elsewhere a market that has not opened yet is a market all the same.
    expect(normalise({ markets, mutuallyExclusive: false }).markets).toHaveLength(2);
  });

  it('give the event its volume and liquidity where it names none', () => {
    const markets = [open, market({ id: '8', volume: 5, liquidity: null })];
    expect(normalise({ markets })).toMatchObject({ volume: 105, liquidity: 10 });
    expect(normalise({ markets, volume: 7, liquidity: 0 })).toMatchObject({
      volume: 7,
      liquidity: 0,
    });
  });
});

describe('probabilities', () => {
  const priced = (changes: Parameters<typeof market>[0]) =>
    normalise({ markets: [market(changes)] }).markets[0]?.outcomes.map((o) => o.probability);

  it.each([
    ['are the listed prices', {}, [0.3, 0.7]],
    ['stay inside 0 and 1', { prices: [1.2, -0.2] }, [1, 0]],
    ['else the middle of the book', { prices: [], bestBid: 0.4, bestAsk: 0.5 }, [0.45, 0.55]],
    ['else the last trade', { prices: [], bestBid: null, lastTradePrice: 0.2 }, [0.2, 0.8]],
    [
      'are not invented from an empty book',
      { prices: [], bestBid: 0, bestAsk: 1, lastTradePrice: 0 },
      [],
    ],
    ['are unknown where every price is 0', { prices: [0, 0], bestBid: 0, lastTradePrice: 0 }, []],
    ['end at 1 and 0', { closed: true, prices: [0.9999996, 0.0000004] }, [1, 0]],
    ['end at one half each', { closed: true, prices: [0.5, 0.5] }, [0.5, 0.5]],
    ['of a closed market never come from its book', { closed: true, prices: [] }, []],
  ])('%s', (_, changes, expected) => {
    expect(priced(changes)).toEqual(expected);
  });

  it('keep token ids of 78 digits whole, and skip an outcome without one', () => {
    const [first, second] = ['8'.repeat(78), 'not a number'];
    const card = normalise({ markets: [market({ tokenIds: [first, second] })] });
    expect(card.markets[0]?.outcomes).toEqual([{ label: 'Yes', tokenId: first, probability: 0.3 }]);
    expect(card.coverage).toBe('partial');
  });

  it('of exclusive markets are not rescaled to a sum of 1', () => {
    const markets = ['1', '2', '3'].map((id) => market({ id, prices: [0.5, 0.5] }));
    const card = normalise({ mutuallyExclusive: true, markets });
    expect(card.markets.map(({ outcomes }) => outcomes[0]?.probability)).toEqual([0.5, 0.5, 0.5]);
  });
});

describe('coverage', () => {
  const bare = market({ id: '7', tokenIds: [] });
  it.each([
    ['complete', [open, closed]],
    ['partial', [open, bare]],
    ['metadata_only', [bare]],
    ['metadata_only', []],
  ])('is %s', (coverage, markets) => {
    expect(normalise({ markets }).coverage).toBe(coverage);
  });

  it('is partial where a market could not be read, which may be open', () => {
    expect(normalise({ markets: [open], lacksMarkets: true }).coverage).toBe('partial');
    expect(normalise({ markets: [closed] }).status).toBe('closed');
    expect(normalise({ markets: [closed], lacksMarkets: true }).status).toBe('inactive');
  });
});

describe('other people’s words', () => {
  it('lose what does not show', () => {
    expect(cleanText('\u202ea\u200bb\u0007\r\n\tc\u2028d ')).toBe('ab\n c\nd');
    expect(normalise({ title: 'Two\n lines\ufeff' }).title).toBe('Two lines');
    const card = normalise({
      tags: ['crypto\u202e', '\u200b'],
      slug: 'a\u202eb',
      category: 'Cry\u200bpto',
      markets: [market({ outcomes: ['Yes\u0007', '\u200b'] })],
    });
    expect(card).toMatchObject({ slug: 'ab', category: 'Crypto' });
    expect(card.allTags).toEqual(['crypto']);
    expect(card.markets[0]?.outcomes.map(({ label }) => label)).toEqual(['Yes']);
  });

  it('are compared without case, width or ligatures', () => {
    expect(foldText('ＢＴＣ Straße ΟΔΟΣ ﬁx')).toBe(foldText('btc STRASSE οδοσ FIX'));
  });

  it('are kept up to 8,000 characters of description', () => {
    expect(normalise({ description: 'x'.repeat(9_000) }).description).toHaveLength(8_000);
  });

  it('are cut to sane lengths, by whole characters', () => {
    const long = '😀'.repeat(20_000);
    const card = normalise({
      ...{ title: long, slug: long, category: long, resolutionSource: long },
      markets: [market({ question: long, groupLabel: long, outcomes: [long, 'No'] })],
    });
    const [only] = card.markets;
    const texts = [
      ...[card.title, card.slug, card.category, card.resolutionSource],
      ...[only?.question, only?.groupLabel, only?.outcomes[0]?.label],
    ];
    expect(texts.map((text) => [...(text ?? '')].length)).toEqual([
      ...[500, 300, 200, 1_000],
      ...[500, 200, 200],
    ]);
    expect(texts.join('')).toMatch(/^(?:😀)+$/u);
  });

  it('are kept of 1,000 markets and 30 outcomes; the card is then partial', () => {
    const markets = Array.from({ length: 1_200 }, (_, index) =>
      market({ id: String(index + 1), liquidity: index, volume: 1 }),
    );
    const card = normalise({ markets });
    expect(card).toMatchObject({ coverage: 'partial', volume: 1_200 });
    expect(card.markets.map(({ id }) => id)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => 1_200 - index),
    );
    const wide = Array.from({ length: 100 }, (_, index) => String(index + 1));
    const of = market({ outcomes: wide, tokenIds: wide, prices: wide.map(() => 0.01) });
    expect(normalise({ markets: [of] })).toMatchObject({
      coverage: 'partial',
      markets: [{ outcomes: { length: 30 } }],
    });
  });
});
