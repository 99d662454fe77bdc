import type { Database } from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
  predictionMarketEventSearch,
} from '../../../../src/areas/markets/operations.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { present } from '../../../../src/core/view.ts';
import { call, event, makeShelf, market, put } from './shelf.ts';

let db: Database;
beforeEach(() => {
  db = makeShelf();
});
afterEach(() => db.close());

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
    ...{ category: quotes, resolution_source: quotes, tags: ['economy', quotes] },
    markets: Array.from({ length: markets }, (_, index) =>
      market({
        ...{
          market_card_id: `pmm_${id * 10_000 + index}`,
          market_question: `Zinc ${index} ${quotes}`,
        },
        ...{ group_label: quotes, outcomes },
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
  data: { events?: Card[]; nextCursor?: string } & Partial<Card>;
  meta: { notice?: string };
}
interface Card {
  market_count: number;
  markets: unknown[];
}

async function reply(
  operation: Operation,
  input: object,
  { shelf = db, isForModel = false }: { shelf?: Database; isForModel?: boolean } = {},
) {
  const outcome = await call(shelf, operation, input, { isForModel });
  if (!outcome.ok) throw new Error(outcome.envelope.error.message);
  const whole = JSON.stringify(outcome.envelope);
  const { data, meta }: Reply = JSON.parse(whole);
  const text = isForModel ? present(operation, outcome.envelope).text : whole;
  const cards = data.events ?? [data];
  return { text, data, card: cards[0], cards, notice: meta.notice ?? '' };
}

const limited = calls.flatMap(([name, operation, input]) => [
  { ...{ name, operation, input }, isForModel: false, limit: 90_000 },
  { ...{ name, operation, input }, isForModel: true, limit: operation.pageLength ?? 19_500 },
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
    expect(shown).toBeGreaterThan(40);
    expect(card?.market_count).toBe(shown);
    expect(notice).toContain(`${1_000 - shown} markets of th`);
    const isRoomier = operation.name.endsWith('read') && isForModel;
    expect(notice?.includes('quantshelf://event/pme_7')).toBe(isRoomier);
  });

  it('with events of nothing but the longest texts, unless one market alone is longer', async () => {
    const { text, card } = await reply(operation, input, { shelf: crowded, isForModel });
    const shown = card?.markets?.length ?? 0;
    expect(shown).toBeGreaterThan(0);
    if (shown > 1) expect(text.length).toBeLessThan(limit);
  });

  it('and hides nothing of an event that fits', async () => {
    put(db, [plain(7, 30)]);
    const { card, notice } = await reply(operation, input, { isForModel });
    expect([card?.market_count, card?.markets?.length]).toEqual([30, 30]);
    expect(notice).not.toContain('omitted');
  });
});

it('a page that the size ends goes on with the next event', async () => {
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
