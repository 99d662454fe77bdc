import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import {
  predictionMarketEventBrowse as BROWSE,
  predictionMarketEventRead as READ,
  predictionMarketEventSearch as SEARCH,
} from '../../../../src/areas/markets/operations.ts';
import type { fullEventCard } from '../../../../src/areas/markets/sources/event-card.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { successOf } from '../calls.ts';
import { db, useFreshShelves } from './fresh-shelf.ts';
import { call, event, market, put } from './shelf.ts';

useFreshShelves();

/** Quotation marks, which JSON escapes, beyond the length at which texts are cut. */
const quotes = '"\\'.repeat(5_000);
const LONGEST = {
  title: `Zinc ${quotes}`,
  description: quotes,
  category: quotes,
  resolution_source: `https://${quotes}`,
  tags: ['economy', quotes],
};

/** A ladder with falling odds and the most trade in its middle. */
const ladder = (id: number, steps: number, more: object = {}) =>
  event({
    id: String(id),
    title: `Zinc ${id}`,
    liquidity: 1e9 - id,
    ...more,
    markets: Array.from({ length: steps }, (_, at) =>
      market({
        market_card_id: `pmm_${id * 10_000 + at}`,
        market_question: `Zinc above ${at}?`,
        prices: [1 - at / steps, at / steps],
        volume: 1_000 - Math.abs(at - steps / 2),
      }),
    ),
  });
const ladders = (count: number, steps: number, more?: object) =>
  Array.from({ length: count }, (_, at) => ladder(at + 1, steps, more));

type Card = z.output<typeof fullEventCard>;

async function reply(operation: Operation, input: object, { isForModel = true } = {}) {
  const text = JSON.stringify(successOf(await call(db, operation, input, { isForModel })));
  const { data, meta } = JSON.parse(text);
  const cards: Card[] = data.events ?? [data];
  return { text, data, cards, shown: cards[0]?.markets.length ?? 0, notice: meta.notice ?? '' };
}
const browse = (isForModel = true) => reply(BROWSE, {}, { isForModel });
const stepsOf = (card: Card | undefined) => card?.markets.map((each) => each.market_question);

it.each<[string, Operation, object, boolean, number]>([
  ['browse', BROWSE, { limit: 100 }, false, 90_000],
  ['browse for a model', BROWSE, { limit: 100 }, true, 19_500],
  ['search', SEARCH, { query: 'zinc', limit: 20 }, false, 90_000],
  ['search for a model', SEARCH, { query: 'zinc', limit: 20 }, true, 19_500],
  ['read', READ, { event_card_id: 'pme_7' }, false, 90_000],
  ['read for a model', READ, { event_card_id: 'pme_7' }, true, 47_000],
])(
  'an event with 1,000 markets and long texts is cut to fit the reply to a %s, which counts the omitted markets',
  async (name, operation, input, isForModel, limit) => {
    put(db, [ladder(7, 1_000, LONGEST), ladder(8, 1)]);
    const { text, cards, shown, notice } = await reply(operation, input, { isForModel });
    expect(text.length).toBeLessThan(limit);
    expect(shown).toBeGreaterThan(10);
    expect(cards[0]?.market_count).toBe(shown);
    expect(notice).toContain(`Omitted for space: ${1_000 - shown} markets (more_markets)`);
    expect(notice.includes('quantshelf://event/pme_7')).toBe(name === 'read for a model');
  },
);

it.each([
  ['of the six leading markets for a model', true, 6],
  ['of all markets for a program', false, 10],
])('a read lists the daily odds %s', async (_, isForModel, count) => {
  const days = [
    { date: '2026-11-20', odds: 0.2 },
    { date: '2026-11-21', odds: 0.4 },
  ];
  for (const { date, odds } of days) {
    const { outcomes } = market({ prices: [odds, 1 - odds] });
    const each = ladder(7, 10);
    const markets = each.markets.map((own) => ({ ...own, outcomes }));
    put(db, [{ ...each, markets }], `${date}T11:50:00.000Z`);
  }
  const input = { event_card_id: 'pme_7' };
  const { cards } = await reply(READ, input, { isForModel });
  const histories = cards[0]?.markets.flatMap(({ history }) => (history ? [history] : []));
  expect(histories).toEqual(new Array(count).fill(days));
});

describe('a list meant for a model', () => {
  it('shows the most likely and the most traded market of each event', async () => {
    put(db, ladders(20, 40));
    const { cards, data, text } = await browse();
    expect(text.length).toBeLessThan(19_500);
    expect(cards.length).toBeGreaterThanOrEqual(10);
    expect(data.nextCursor).toBeDefined();
    for (const { more_markets, ...card } of cards) {
      expect(stepsOf(card)).toEqual(expect.arrayContaining(['Zinc above 0?', 'Zinc above 20?']));
      expect(more_markets).toBe(40 - card.market_count);
    }
  });

  it('adds markets evenly while they fit, in ladder order', async () => {
    put(db, [ladder(1, 40), ladder(2, 3), ladder(3, 40)]);
    const { cards, text } = await browse();
    const [first = 0, second, third = 0] = cards.map(({ markets }) => markets.length);
    expect(second).toBe(3);
    expect(first - third).toBeLessThanOrEqual(1);
    expect(first).toBeGreaterThan(10);
    expect(text.length).toBeGreaterThan(17_000);
    const steps = stepsOf(cards[0])?.map((step) => Number(step.match(/\d+/)));
    expect(steps).toEqual(steps?.toSorted((a, b) => a - b));
  });

  it('prefers open markets to closed ones, and explains the choice in a notice', async () => {
    const closed = Array.from({ length: 60 }, (_, at) =>
      market({ status: 'closed', volume: 1e9, prices: [1, 0], market_card_id: `pmm_${at}` }),
    );
    const open = ladder(1, 2);
    put(db, [{ ...open, markets: [...closed, ...open.markets] }]);
    const { cards, shown, notice } = await browse();
    expect(shown).toBeLessThan(60);
    // Those omitted are neither the least likely nor the least traded.
    expect(notice).toContain(
      'the most likely and most traded are shown, preferably those still trading',
    );
    expect(stepsOf(cards[0])).toEqual(expect.arrayContaining(['Zinc above 0?', 'Zinc above 1?']));
  });

  it('leaves out aliases and URLs if ten events would not fit otherwise', async () => {
    put(db, ladders(10, 2, { title: 'Zinc '.repeat(98), description: 'x'.repeat(180) }));
    const { cards, text } = await browse();
    expect([cards.length, cards[0]?.alias, cards[0]?.url]).toEqual([10, undefined, undefined]);
    expect(text.length).toBeLessThan(19_500);
    expect((await browse(false)).cards[0]?.alias).toBe('pme_1');
  });
});
