import { beforeEach, describe, expect, it } from 'vitest';
import { predictionMarketEventBrowse } from '../../../../src/areas/markets/operations.ts';
import { browse, db, putTitled, search, useFreshShelves } from './fresh-shelf.ts';
import { event, failure, market, put } from './shelf.ts';

useFreshShelves();

const fault = (input: object) => failure(db, predictionMarketEventBrowse, input);
const ids = async (input: object) => (await browse(input)).data.events.map(({ title }) => title);

describe('browse', () => {
  it('filters by words of the title, slug, questions or outcome labels, all of which must occur', async () => {
    const outcomes = [{ label: 'Hawk', outcome_token_id: '1', current_probability: 0.5 }];
    const own = market({ outcomes, market_question: 'Wer wird Präsident der EZB?' });
    put(db, [event({ title: 'Die Straße 100%', slug: 'the-slug', markets: [own] })]);
    const words = ['straße', 'the-SLUG', 'prasident', 'präsi', 'hawk  ｔｈｅ', '100%', 'ezb?'];
    for (const q of words) expect(await ids({ q }), q).toHaveLength(1);
    for (const q of ['hawk eagle', 'description', '100_', 'slug the-slug-2', '""', "' OR 1=1 --"]) {
      expect(await ids({ q }), q).toEqual([]);
    }
  });

  it.each([
    ['tag', ['crypto', 'Fed-Rates', 'fed rates', 'RATES'], ['fed', 'rate', 'coin']],
    [
      'asset',
      ['BTC', 'xbt', 'Bitcoin', '$btc', 'federal  Reserve', 'OpenSea'],
      ['ETH', 'bit', 'coin'],
    ],
  ])('filters by %s, matching a whole name or tag in any case', async (filter, words, others) => {
    const tags = ['crypto', 'fed-rates', 'opensea'];
    put(db, [event({ title: 'Bitcoin above 100k?', tags })]);
    for (const word of words) expect(await ids({ [filter]: word }), word).toHaveLength(1);
    for (const word of others) expect(await ids({ [filter]: word }), word).toEqual([]);
  });

  it('filters by resolution time, both ends included, and never matches an event without one', async () => {
    putTitled(['ends'], { end_time: '2026-12-10T12:00:00.000Z' });
    put(db, [event({ title: 'endless' })]);
    const within = (start_time: string, end_time: string) => ids({ start_time, end_time });
    const instant = '2026-12-10T12:00:00+00:00';
    expect(await within(instant, '2026-12-10T12:00:00Z')).toEqual(['ends']);
    expect(await within('2026-12-10', '2026-12-11')).toEqual(['ends']);
    expect(await within('2026-12-10T12:00:01Z', '2027-01-01')).toEqual([]);
  });
});

it('browse and search fail on an empty shelf', async () => {
  await expect(browse()).rejects.toThrow('contains no prediction markets');
  await expect(search({ query: 'fed' })).rejects.toThrow('contains no prediction markets');
});

describe('the cursor of a browse', () => {
  beforeEach(() => putTitled(['1', '2', '3']));

  it('continues under the same filters in any spelling, with any limit', async () => {
    const first = await browse({ limit: 1, q: 'no  yes', tag: 'Economy' });
    const cursor = first.data.nextCursor;
    const rest = await browse({ limit: 50, q: 'YES NO', tag: 'economy', cursor });
    expect(rest.data.events.map(({ title }) => title)).toEqual(['2', '3']);
    expect(rest.data.nextCursor).toBeUndefined();
  });

  it('is refused if it is broken or the filters differ', async () => {
    const { nextCursor = '' } = (await browse({ limit: 1 })).data;
    const { filters, after } = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
    const forge = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const odd = [{ id: '1' }, { sortRank: 9 }, { sortLiquidity: null }, { sortVolume: undefined }];
    const forged = odd.map((change) => forge({ filters, after: { ...after, ...change } }));
    const broken = [
      'x',
      '!!!',
      nextCursor.slice(0, -4),
      forge(null),
      forge({ filters }),
      ...forged,
    ];
    const others = [{ status: 'closed' }, { q: 'yes' }, { min_volume: 0 }];
    for (const input of [
      ...others.map((filter) => ({ cursor: nextCursor, ...filter })),
      ...broken.map((cursor) => ({ cursor })),
    ]) {
      expect(await fault(input), JSON.stringify(input)).toMatchObject({
        code: 'invalid_request',
        param: 'cursor',
        message: expect.stringMatching(/start again without a cursor/i),
      });
    }
  });
});

it.each([
  [{ start_time: '2026-01-01' }, 'end_time', /needs "end_time"/],
  [{ end_time: '2026-01-01' }, 'start_time', /needs "start_time"/],
  [{ start_time: '2026-01-02', end_time: '2026-01-01' }, 'start_time', /not be after/],
])('a browse refuses %j and blames the argument %s', async (input, param, message) => {
  const error = { code: 'invalid_request', param, message: expect.stringMatching(message) };
  expect(await fault(input)).toMatchObject(error);
});
