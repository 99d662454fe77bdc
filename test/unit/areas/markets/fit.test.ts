import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
  predictionMarketEventSearch,
} from '../../../../src/areas/markets/operations.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { PULLS, readPull } from '../../../pulls.ts';
import { db, useFreshShelves } from './fresh-shelf.ts';
import { pullOnce } from './pulls.ts';
import { call, event, makeShelf, market, NOW, put, SHARED } from './shelf.ts';
import { makeSource } from './start-polymarket.ts';

useFreshShelves();

/** Everything of such an event is as long as it may be, and longer. */
function monster(id: number, markets: number) {
  const quotes = '"\\'.repeat(3_000);
  const outcomes = Array.from({ length: 30 }, (_, index) => ({
    label: `${index}${quotes}`,
    outcome_token_id: `${index + 1}`.padStart(78, '9'),
    current_probability: 0.123456789012345,
  }));
  return event({
    ...{ id: String(id), title: `Zinc ${quotes}`, slug: quotes, description: quotes },
    category: quotes,
    resolution_source: quotes,
    tags: ['economy', quotes],
    markets: Array.from({ length: markets }, (_, index) =>
      market({
        ...{
          market_card_id: `pmm_${id * 10_000 + index}`,
          market_question: `Zinc ${index} ${quotes}`,
        },
        group_label: quotes,
        outcomes,
      }),
    ),
  });
}
const plain = (id: number, markets: number) =>
  event({
    id: String(id),
    title: 'Zinc above 4,000?',
    liquidity: 1e9,
    markets: Array.from({ length: markets }, (_, index) =>
      market({
        market_card_id: `pmm_${id * 10_000 + index}`,
        market_question: `Zinc above ${index}?`,
      }),
    ),
  });

const calls: [string, Operation, object][] = [
  ['browse', predictionMarketEventBrowse, { limit: 100 }],
  ['search', predictionMarketEventSearch, { query: 'zinc', limit: 20 }],
  ['read', predictionMarketEventRead, { event_card_id: 'pme_7' }],
];

interface Reply {
  data: { nextCursor?: string } & ({ events: Card[] } | Card);
  meta: { notice?: string };
}
interface Card {
  title: string;
  alias?: string;
  market_count: number;
  more_markets?: number;
  markets: {
    market_question: string;
    volume: number;
    outcomes: { current_probability: number }[];
    history?: { date: string; odds: number }[];
  }[];
}

async function reply(
  operation: Operation,
  input: object,
  {
    shelf = db,
    isForModel = false,
    now = NOW,
  }: { shelf?: Database; isForModel?: boolean; now?: Date } = {},
) {
  const outcome = await call(shelf, operation, input, { isForModel, now });
  if (!outcome.ok) throw new Error(outcome.envelope.error.message);
  const text = JSON.stringify(outcome.envelope);
  const { data, meta }: Reply = JSON.parse(text);
  const cards = 'events' in data ? data.events : [data];
  return { text, data, card: cards[0], cards, notice: meta.notice ?? '' };
}

const limited = calls.flatMap(([name, operation, input]) => [
  { ...{ name, operation, input }, isForModel: false, limit: 90_000 },
  { ...{ name, operation, input }, isForModel: true, limit: name === 'read' ? 47_000 : 19_500 },
]);

/** Two monsters. Storing them takes longer than all reads of them. */
let crowded: Database;
beforeAll(() => {
  crowded = makeShelf();
  put(crowded, [monster(7, 60), monster(8, 60)]);
});
afterAll(() => crowded.close());

describe.each(limited)('$name stays under $limit characters', (row) => {
  const { operation, input, isForModel, limit } = row;
  it('with an event of 1,000 markets, and says how many are not shown', async () => {
    put(db, [plain(7, 1_000), plain(8, 1)]);
    const { text, card, notice } = await reply(operation, input, { isForModel });
    expect(text.length).toBeLessThan(limit);
    const shown = card?.markets?.length ?? 0;
    expect(shown).toBeGreaterThan(30);
    expect(card?.market_count).toBe(shown);
    expect(notice).toContain(`Left out for room: ${1_000 - shown} markets, `);
    const isRoomier = operation.name.endsWith('read') && isForModel;
    expect(notice?.includes('quantshelf://event/pme_7')).toBe(isRoomier);
  });

  it('with events of only the longest texts, unless a single market is longer', async () => {
    const { text, card } = await reply(operation, input, { shelf: crowded, isForModel });
    const shown = card?.markets?.length ?? 0;
    expect(shown).toBeGreaterThan(0);
    if (shown > 1) expect(text.length).toBeLessThan(limit);
  });
});

it('a card whose texts are all quotation marks fits into a list for a model', async () => {
  const quotes = '"'.repeat(8_000);
  const texts = { title: quotes, description: quotes, tags: ['economy', quotes] };
  put(db, [event({ ...texts, markets: [market({ market_question: quotes })] })]);
  const { text } = await reply(predictionMarketEventBrowse, {}, { isForModel: true });
  expect(text.length).toBeLessThan(19_500);
});

it('the page after one that was cut for size begins with the next event', async () => {
  put(
    db,
    [1, 2, 3].map((id) => plain(id, 190)),
  );
  const first = await reply(predictionMarketEventBrowse, {});
  expect(first.cards).toHaveLength(1);
  expect(first.data.nextCursor).toBeDefined();
  const second = await reply(predictionMarketEventBrowse, { cursor: first.data.nextCursor });
  expect(second.cards).toHaveLength(1);
});

it.each([
  ['of the six leading markets for a model', 10, true, 6],
  ['of all markets for a program', 10, false, 10],
])('a read lists the daily odds %s', async (_, markets, isForModel, count) => {
  for (const [day, chance] of [
    [20, 0.2],
    [21, 0.4],
  ] as const) {
    const each = plain(7, markets);
    for (const { outcomes } of each.markets) {
      for (const outcome of outcomes) outcome.current_probability = chance;
    }
    put(db, [each], `2026-11-${day}T11:50:00.000Z`);
  }
  const { card } = await reply(
    predictionMarketEventRead,
    { event_card_id: 'pme_7' },
    { isForModel },
  );
  const histories = card?.markets.flatMap(({ history }) => (history ? [history] : []));
  const days = [
    { date: '2026-11-20', odds: 0.2 },
    { date: '2026-11-21', odds: 0.4 },
  ];
  expect(histories).toEqual(Array.from({ length: count }, () => days));
});

/** A ladder whose chances fall and whose trade peaks in its middle. */
const ladder = (id: number, steps: number, more: object = {}) =>
  event({
    ...{ id: String(id), title: `Zinc ${id}`, liquidity: 1e9 - id, ...more },
    markets: Array.from({ length: steps }, (_, at) =>
      market({
        market_card_id: `pmm_${id * 1_000 + at}`,
        market_question: `Zinc above ${at}?`,
        prices: [1 - at / steps, at / steps],
        volume: 1_000 - Math.abs(at - steps / 2),
      }),
    ),
  });
const stepsOf = (card: Card | undefined) => card?.markets.map((each) => each.market_question);
const forModel = (input: object = {}) =>
  reply(predictionMarketEventBrowse, input, { isForModel: true });

describe('a list for a model', () => {
  it('shows the most likely and the most traded market of each event, in ladder order', async () => {
    put(
      db,
      Array.from({ length: 20 }, (_, at) => ladder(at + 1, 40)),
    );
    const { cards, data, text } = await forModel();
    expect(text.length).toBeLessThan(19_500);
    expect(cards.length).toBeGreaterThanOrEqual(10);
    expect(data.nextCursor).toBeDefined();
    for (const card of cards) {
      expect(stepsOf(card)).toEqual(expect.arrayContaining(['Zinc above 0?', 'Zinc above 20?']));
      expect([card.market_count, card.more_markets]).toEqual([
        card.markets.length,
        40 - card.markets.length,
      ]);
    }
  });

  it('adds markets evenly while they fit', async () => {
    put(db, [ladder(1, 40), ladder(2, 3), ladder(3, 40)]);
    const { cards, text } = await forModel();
    const [first = 0, second, third = 0] = cards.map(({ markets }) => markets.length);
    expect(second).toBe(3);
    expect(first - third).toBeLessThanOrEqual(1);
    expect(first).toBeGreaterThan(10);
    expect(text.length).toBeGreaterThan(17_000);
    const steps = stepsOf(cards[0]) ?? [];
    expect(steps).toEqual(
      steps.toSorted((a, b) => Number(a.match(/\d+/)) - Number(b.match(/\d+/))),
    );
  });

  it('prefers open markets to those that are settled', async () => {
    const settled = { status: 'closed', volume: 1e9, prices: [1, 0] } as const;
    const open = ladder(1, 2);
    const closed = Array.from({ length: 60 }, (_, at) =>
      market({ ...settled, market_card_id: `pmm_${at}`, market_question: `Past ${at}?` }),
    );
    put(db, [event({ id: '1', title: 'Zinc', markets: [...closed, ...open.markets] })]);
    const { cards } = await forModel();
    expect(cards[0]?.markets.length).toBeLessThan(60);
    expect(stepsOf(cards[0])).toEqual(expect.arrayContaining(['Zinc above 0?', 'Zinc above 1?']));
  });

  it('leaves out alias and address rather than one of ten events', async () => {
    const titled = { title: 'Zinc '.repeat(98), description: 'x'.repeat(180) };
    put(
      db,
      Array.from({ length: 10 }, (_, at) => ladder(at + 1, 2, titled)),
    );
    const { cards, text } = await forModel();
    expect([cards.length, cards[0]?.alias]).toEqual([10, undefined]);
    expect(text.length).toBeLessThan(19_500);
    const whole = await reply(predictionMarketEventBrowse, {});
    expect(whole.cards[0]?.alias).toBe('pme_1');
  });
});

describe.skipIf(SHARED === undefined)('on a shelf synced from a recorded pull', () => {
  const shelf = makeShelf();
  let now: Date;
  beforeAll(async () => {
    const { at, wires } = readPull(SHARED ?? '', PULLS[1]);
    now = at;
    const { venue } = await makeSource(wires);
    await pullOnce({ db: shelf, venue, now: () => at });
  });
  afterAll(() => shelf.close());

  it.each([
    ['browse', predictionMarketEventBrowse, {}, 10],
    ['search', predictionMarketEventSearch, { query: 'what will the Fed decide' }, 5],
  ])(
    'a default %s holds enough events, each with two markets',
    async (_, operation, input, least) => {
      const { cards, text } = await reply(operation, input, { shelf, isForModel: true, now });
      expect(text.length).toBeLessThan(19_500);
      expect(cards.length).toBeGreaterThanOrEqual(least);
      for (const { title, markets, more_markets = 0 } of cards) {
        expect(markets.length, title).toBeGreaterThanOrEqual(
          Math.min(2, markets.length + more_markets),
        );
      }
    },
  );
});
