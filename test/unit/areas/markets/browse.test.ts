import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { predictionMarketEventBrowse } from '../../../../src/areas/markets/operations.ts';
import { answer, event, failure, makeShelf, market, put } from './shelf.ts';

let db: Database;
beforeEach(() => {
  db = makeShelf();
});
afterEach(() => db.close());

const browse = (input: object) => answer(db, predictionMarketEventBrowse, input);
const fault = (input: object) => failure(db, predictionMarketEventBrowse, input);
const ids = async (input: object) => (await browse(input)).data.events.map(({ title }) => title);

describe('browse', () => {
  it('filters by status: recently closed means within 30 days of the clock, to the second', async () => {
    const closed = (id: string, closed_time: string) =>
      event({ id, title: closed_time, status: 'closed', closed_time });
    put(db, [
      event({ id: '1', title: 'open' }),
      event({ id: '2', title: 'paused', status: 'inactive' }),
      closed('3', '2026-10-22T12:00:00.000Z'),
      closed('4', '2026-10-22T11:59:59.000Z'),
    ]);
    expect(await ids({ status: 'ACTIVE' })).toEqual(['open']);
    expect(await ids({ status: 'inactive' })).toEqual(['paused']);
    expect(await ids({ status: 'closed' })).toHaveLength(2);
    expect(await ids({ status: 'active_or_recently_closed' })).toEqual([
      'open',
      '2026-10-22T12:00:00.000Z',
    ]);
  });

  it('filters by words: each must occur in title, slug, tags, questions or outcome labels', async () => {
    const outcomes = ['Hawk', 'Dove'].map((label) => ({
      label,
      outcome_token_id: '1',
      current_probability: 0.5,
    }));
    const own = market({ outcomes, market_question: 'Wer wird Präsident der EZB?' });
    put(db, [event({ title: 'Die Straße 100%', slug: 'the-slug', markets: [own] })]);
    for (const q of [
      'straße',
      'prasident',
      'the-SLUG',
      'econ',
      'präsi',
      'DOVE',
      'hawk  ｔｈｅ',
      '100%',
      'ezb?',
    ]) {
      expect(await ids({ q }), q).toHaveLength(1);
    }
    for (const q of ['hawk eagle', 'description', '100_', 'slug the-slug-2', '""', "' OR 1=1 --"]) {
      expect(await ids({ q }), q).toEqual([]);
    }
  });

  it('filters by tag: a finance word or a slug, whole, in any case', async () => {
    put(db, [event({ tags: ['fed-rates', 'politics'] })]);
    for (const tag of ['rates', 'Fed-Rates', 'fed rates', 'POLITICS']) {
      expect(await ids({ tag }), tag).toHaveLength(1);
    }
    for (const tag of ['fed', 'rate', 'crypto']) expect(await ids({ tag }), tag).toEqual([]);
  });

  it('filters by asset: any of its names, or an entity among the tags', async () => {
    put(db, [event({ title: 'Bitcoin above 100k?', tags: ['crypto', 'opensea'] })]);
    for (const asset of ['BTC', 'xbt', 'Bitcoin', '$btc', 'OpenSea']) {
      expect(await ids({ asset }), asset).toHaveLength(1);
    }
    for (const asset of ['ETH', 'bit', 'coin']) expect(await ids({ asset }), asset).toEqual([]);
  });

  it('filters by time of resolution, both ends included; an event without one never matches', async () => {
    put(db, [
      event({ id: '1', title: 'ends', end_time: '2026-12-10T12:00:00.000Z' }),
      event({ id: '2', title: 'endless' }),
      event({
        id: '3',
        title: 'closed before its end',
        status: 'closed',
        closed_time: '2026-11-20T00:00:00.000Z',
        end_time: '2026-12-10T12:00:00.000Z',
      }),
    ]);
    const within = (start_time: string, end_time: string) =>
      ids({ status: 'active_or_recently_closed', start_time, end_time });
    const instant = '2026-12-10T12:00:00+00:00';
    expect(await within(instant, '2026-12-10T12:00:00Z')).toEqual(['ends']);
    expect(await within('2026-12-10', '2026-12-11')).toEqual(['ends']);
    expect(await within('2026-12-10T12:00:01Z', '2027-01-01')).toEqual([]);
    expect(await within('2026-11-01', '2026-12-10')).toEqual(['closed before its end']);
  });
});

describe('the cursor', () => {
  beforeEach(() =>
    put(
      db,
      ['1', '2', '3'].map((id) => event({ id, title: id })),
    ),
  );

  it('a cursor continues under the same filters in any spelling, with any limit', async () => {
    const first = await browse({ limit: 1, q: 'no  yes', tag: 'Economy' });
    const cursor = first.data.nextCursor;
    const rest = await browse({ limit: 50, q: 'YES NO', tag: 'economy', cursor });
    expect(rest.data.events.map(({ title }) => title)).toEqual(['2', '3']);
    expect(rest.data.nextCursor).toBeUndefined();
  });

  it('a cursor is refused under other filters', async () => {
    const { nextCursor: cursor } = (await browse({ limit: 1 })).data;
    for (const other of [
      { status: 'closed' },
      { tag: 'economy' },
      { q: 'yes' },
      { min_volume: 0 },
    ]) {
      const error = await fault({ ...other, cursor });
      expect(error).toMatchObject({ code: 'invalid_request', param: 'cursor' });
      expect(error.message).toContain('start again without cursor');
    }
  });

  it('a broken cursor is refused', async () => {
    const { nextCursor = '' } = (await browse({ limit: 1 })).data;
    const { filters, after } = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
    const forge = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const broken = [
      ...['x', '!!!', nextCursor.slice(0, -4), forge(null), forge({ filters })],
      ...[{ id: '1' }, { sortRank: 9 }, { sortLiquidity: null }, { sortVolume: undefined }].map(
        (change) => forge({ filters, after: { ...after, ...change } }),
      ),
    ];
    for (const cursor of broken) {
      const error = await fault({ cursor });
      expect(error, cursor).toMatchObject({ code: 'invalid_request', param: 'cursor' });
      expect(error.message).toMatch(/Start again without cursor/);
    }
  });
});

describe('an invalid argument is an error that names it', () => {
  beforeEach(() => put(db, [event()]));

  it.each([
    [{ start_time: '2026-01-01' }, 'end_time', /needs "end_time"/],
    [{ end_time: '2026-01-01' }, 'start_time', /needs "start_time"/],
    [{ start_time: '2026-01-02', end_time: '2026-01-01' }, 'start_time', /not be after/],
    [{ start_time: '2026-02-30', end_time: '2026-03-01' }, 'start_time', /ISO 8601/],
    [{ start_time: '2026-01-01T00:00:00+01:00', end_time: '2026-03-01' }, 'start_time', /UTC/],
    [{ q: '𝛔'.repeat(201) }, 'q', /at most 200/],
    [{ min_volume: -1 }, 'min_volume', /at least 0/],
  ])('%j', async (input, param, message) => {
    const error = await fault(input);
    expect(error).toMatchObject({ code: 'invalid_request', param });
    expect(error.message).toMatch(message);
  });

  it('accepts 200 characters outside the basic plane, equal ends, and nulls', async () => {
    expect(await ids({ q: '𝛔'.repeat(200) })).toEqual([]);
    expect(await ids({ start_time: '2026-01-01', end_time: '2026-01-01' })).toEqual([]);
    expect(await ids({ q: null, tag: null, cursor: null })).toHaveLength(1);
  });
});
