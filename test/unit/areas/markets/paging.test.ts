import fc from 'fast-check';
import { expect, it } from 'vitest';
import { predictionMarketEventBrowse } from '../../../../src/areas/markets/operations.ts';
import type { VenueEvent } from '../../../../src/areas/markets/sources/event-card.ts';
import { event, makeShelf, market, put, replyOf } from './shelf.ts';

/** An event reduced to what filters and order depend on; few values, so that ties are common. */
const samples = fc.record({
  state: fc.constantFrom('active', 'inactive', 'closed'),
  liquidity: fc.constantFrom(0, 1, 2.5, 1e6 + 0.1),
  volume: fc.constantFrom(0, 3, 0.1 + 0.2),
  /** Days from October 2026 on: the end date, or the closing time of a closed event. */
  day: fc.integer({ min: 1, max: 45 }),
  tags: fc.subarray(['crypto', 'bitcoin', 'fed', 'economy'], { minLength: 1 }),
  word: fc.constantFrom('alpha', 'beta', 'alphabeta'),
  /** Enough markets for the reply's size to end the page before its limit does. */
  isLarge: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
});
type Sample = typeof samples extends fc.Arbitrary<infer T> ? T : never;

const dayOf = (day: number) => new Date(Date.UTC(2026, 9, day)).toISOString();
/** 30 days before the clock of the tests, 2026-11-21 at noon. */
const RECENT = '2026-10-22T12:00:00.000Z';

/** Browse arguments with their meaning. */
type Filter = [input: object, admits: (sample: Sample) => boolean];

const statuses: Filter[] = [
  [{}, ({ state }) => state === 'active'],
  [{ status: 'inactive' }, ({ state }) => state === 'inactive'],
  [{ status: 'closed' }, ({ state }) => state === 'closed'],
  [
    { status: 'active_or_recently_closed' },
    ({ state, day }) => state === 'active' || (state === 'closed' && dayOf(day) >= RECENT),
  ],
];
const others: Filter[] = [
  [{ q: 'ALPHA' }, ({ word }) => word !== 'beta'],
  [{ tag: 'crypto' }, ({ tags }) => tags.includes('crypto') || tags.includes('bitcoin')],
  [{ tag: 'bitcoin' }, ({ tags }) => tags.includes('bitcoin')],
  [{ asset: 'xbt' }, ({ tags }) => tags.includes('bitcoin')],
  [{ asset: 'economy' }, ({ tags }) => tags.includes('economy')],
  [{ start_time: dayOf(10), end_time: dayOf(30) }, ({ day }) => day >= 10 && day <= 30],
  [{ min_volume: 0.3 }, ({ volume }) => volume >= 0.3],
  [{ min_liquidity: 1 }, ({ liquidity }) => liquidity >= 1],
];
/** A status with some other filters; if two set the same argument, the last counts. */
const filters = fc
  .tuple(fc.constantFrom(...statuses), fc.subarray(others, { maxLength: 4 }))
  .map(([status, more]): Filter => {
    const named = new Map([status, ...more].map((each) => [Object.keys(each[0]).join(), each]));
    const parts = [...named.values()];
    const input = Object.assign({}, ...parts.map(([own]) => own));
    return [input, (sample) => parts.every(([, admits]) => admits(sample))];
  });

function toEvent({ state, day, word, isLarge, ...rest }: Sample, index: number): VenueEvent {
  const id = String(index + 1);
  const when = state === 'closed' ? { closed_time: dayOf(day) } : { end_time: dayOf(day) };
  const markets = Array.from({ length: isLarge ? 120 : 1 }, (_, place) =>
    market({ market_card_id: `pmm_${id}${place}` }),
  );
  return event({ ...rest, ...when, id, title: id, slug: word, status: state, markets });
}

/** The same order, expressed differently than in the store. */
function inOrder(events: readonly Sample[], [, admits]: Filter): string[] {
  const rank = { active: 0, inactive: 1, closed: 2 };
  return events
    .map((sample, index) => ({ ...sample, id: index + 1 }))
    .filter(admits)
    .sort(
      (a, b) =>
        rank[a.state] - rank[b.state] ||
        (a.state === 'closed' ? b.day - a.day : 0) ||
        b.liquidity - a.liquidity ||
        b.volume - a.volume ||
        a.id - b.id,
    )
    .map(({ id }) => String(id));
}

async function pageThrough(events: readonly Sample[], input: object, nextLimit: () => number) {
  const db = makeShelf();
  // One event outside every filter keeps the shelf from being empty.
  const other = event({ id: '9999', status: 'inactive', volume: 0, tags: ['jobs'] });
  put(db, [...events.map(toEvent), other]);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = { ...input, limit: nextLimit(), ...(cursor !== undefined && { cursor }) };
    const { data, meta } = await replyOf(db, predictionMarketEventBrowse, page);
    expect(JSON.stringify({ data, meta }).length).toBeLessThan(90_000);
    expect(data.count).toBe(data.events.length);
    expect(data.count).toBeLessThanOrEqual(page.limit);
    seen.push(...data.events.map(({ title }) => title).filter((title) => title !== 'An event'));
    cursor = data.nextCursor;
  } while (cursor !== undefined);
  db.close();
  return seen;
}

it('paging returns every matching event exactly once, in order, with any filters and limits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(samples, { maxLength: 25 }),
      filters,
      fc.infiniteStream(fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 100 }))),
      async (events, chosen, limits) => {
        const seen = await pageThrough(events, chosen[0], () => limits.next().value);
        expect(seen).toEqual(inOrder(events, chosen));
      },
    ),
    { numRuns: 70 },
  );
});
