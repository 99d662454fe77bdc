import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertPapers } from '../../scripts/starter/insert-papers.ts';
import { migrations } from '../../src/app/store.ts';
import type { Area } from '../../src/core/area.ts';
import { collectNews, newsLines, readPeriod } from '../../src/core/news.ts';
import { news, prompts, resources } from '../../src/operations.ts';
import { migrate } from '../../src/store/migrations.ts';
import { Database as Sqlite } from '../../src/store/sqlite.ts';
import { makeWireEvent } from '../stand-ins/polymarket.ts';
import { startPulls } from './areas/markets/pulls.ts';
import { makeCard } from './areas/papers/shelf.ts';

/** Ten days after the first pull. */
const NOW = new Date('2026-12-01T12:00:00Z');
const HOURS = 240;

let db: Database;
beforeEach(() => {
  db = new Sqlite(':memory:');
  migrate(db, migrations, NOW);
});
afterEach(() => db.close());

const collect = (since: string, scopes?: readonly Area[]) =>
  collectNews(news, { db, now: () => NOW, ...(scopes && { scopes }) }, since);
const newsOf = (area: Area, what: string, since = '7d') => {
  const news = collect(since)[area]?.find((each) => each.what.startsWith(what));
  if (news === undefined) throw new Error(`no news of ${what}`);
  return news;
};

it.each([
  ['7d', '2026-11-24'],
  [' 1D ', '2026-11-30'],
  ['2026-12-01', '2026-12-01'],
  ['1999-01-01', '1999-01-01'],
])('a news period given as "%s" begins on %s', (text, day) => {
  expect(readPeriod(text, NOW)).toEqual(new Date(day));
});

it.each(['', '0d', '-1d', '7', '7w', '99999d', '2026-02-30', '2026-12-02', "1d' OR 1=1"])(
  'a news period given as "%s" is refused',
  (text) => {
    expect(() => readPeriod(text, NOW)).toThrow('such as 7d');
  },
);

it('news lists the newest added papers with their ids, and counts the rest', () => {
  insertPapers(db, [
    makeCard({ sourceId: 'arxiv:2601.00001', asOf: '2026-11-01T00:00:00.000Z' }),
    ...Array.from({ length: 25 }, (_, at) =>
      makeCard({
        sourceId: `arxiv:2611.000${String(at).padStart(2, '0')}`,
        title: `Paper ${at}`,
        published: `2026-11-${String(at + 1).padStart(2, '0')}`,
        asOf: '2026-11-30T00:00:00.000Z',
      }),
    ),
  ]);
  const { total, items } = newsOf('papers', 'papers added');
  expect(total).toBe(25);
  expect(items).toHaveLength(20);
  expect(items[0]).toEqual({ id: 'arxiv:2611.00024', text: 'Paper 24' });
  expect(newsLines(collect('7d'))).toContain('  and 5 more');
  expect(newsOf('papers', 'papers added', '60d').total).toBe(26);
});

describe('news of figures', () => {
  const add = (date: string, start: string, end: string | null, value: number | null, exact = 1) =>
    db
      .prepare(
        "INSERT INTO macro_vintage (series_id, date, rt_start, rt_end, value, exact) VALUES ('UNRATE', @date, @start, @end, @value, @exact)",
      )
      .run({ date, start, end, value, exact });
  beforeEach(() => {
    db.exec(`INSERT INTO macro_series (series_id, position, indicator, category, title, frequency,
        units, seasonal_adjustment, source, copyright_status)
      VALUES ('UNRATE', 1, 'us.unemployment_rate', 'Labor', 'Unemployment', 'Monthly', '%', 'SA', 'BLS', 'public')`);
  });

  const figures = (what: 'new' | 'revised', since?: string) =>
    newsOf('macro', `series with ${what}`, since).items.map(({ id, text }) => `${id} ${text}`);
  const ID = 'us.unemployment_rate';

  it('lists new figures apart from revised ones, which show the old value before the new', () => {
    add('2026-09-01', '2026-10-02', '2026-11-26', 4.3);
    add('2026-09-01', '2026-11-27', null, 4.4);
    add('2026-10-01', '2026-11-27', null, 4.5);
    add('2026-08-01', '2026-09-04', null, 4.2);
    expect(figures('new')).toEqual([`${ID} 2026-10-01: 4.5 (2026-11-27)`]);
    expect(figures('revised')).toEqual([`${ID} 2026-09-01: 4.3 → 4.4 (2026-11-27)`]);
  });

  it('leaves out figures republished unchanged, and marks estimated publication days', () => {
    add('2026-09-01', '2026-10-02', '2026-11-26', 4.3);
    add('2026-09-01', '2026-11-27', null, 4.3);
    expect(figures('revised')).toEqual([]);
    add('2026-10-01', '2026-11-28', null, null, 0);
    expect(figures('new')).toEqual([`${ID} 2026-10-01: no value (about 2026-11-28)`]);
  });

  it('leaves out a revision that may be older than the period, and marks one of unknown day', () => {
    add('2026-09-01', '2026-10-02', '2026-11-20', 4.3);
    add('2026-09-01', '2026-11-28', null, 4.4, 0);
    expect(figures('revised')).toEqual([]);
    const text = `${ID} 2026-09-01: 4.3 → 4.4 (by 2026-11-28)`;
    expect(figures('revised', '2026-11-21')).toEqual([text]);
  });

  it.each<[string, number, string, string]>([
    ['published and then revised, as new too,', 1, '2026-11-26', '2026-11-27'],
    ['revised twice', 0, '2026-10-02', '2026-11-25'],
  ])('lists as revised a figure that was %s within the period', (_, fresh, start, end) => {
    add('2026-09-01', start, end, 4.3);
    add('2026-09-01', '2026-11-28', '2026-11-28', 4.6);
    add('2026-09-01', '2026-11-29', null, 4.4);
    expect(figures('new')).toHaveLength(fresh);
    expect(figures('revised')).toEqual([`${ID} 2026-09-01: 4.3 → 4.4 (2026-11-29)`]);
  });
});

describe('news of markets', () => {
  it('shows how far odds moved within the period, after many pulls', async () => {
    const prices = (hour: number) => [hour < 100 ? 0.2 + (hour % 5) / 100 : 0.35];
    const { standIn, pull } = await startPulls(db, [
      makeWireEvent({ prices: prices(0) }),
      makeWireEvent({ id: 101, prices: [0.5] }),
    ]);
    for (let hour = 0; hour <= HOURS; hour += 3) {
      standIn.events = [
        makeWireEvent({ prices: prices(hour) }),
        makeWireEvent({ id: 101, prices: [0.5 + (hour % 7) / 100] }),
      ];
      await pull(hour, hour === 0 ? {} : { served: [1, 2] });
    }
    const { total, items } = newsOf('markets', 'markets whose odds');
    expect(total).toBe(1);
    expect(items[0]?.id).toBe('pme_100');
    expect(items[0]?.text).toMatch(/2[0-4] % → 35 %$/);
    // Nothing is known from before the first pull; the text says since when.
    expect(newsOf('markets', 'markets whose odds', '30d').items[0]?.text).toMatch(
      /→ 35 %, since 2026-11-2\d$/,
    );
    expect(newsOf('markets', 'markets whose odds', '1d').total).toBe(0);
  });

  it('covers only the 1,000 most traded events if more moved, and mentions this limit', async () => {
    const { standIn, pull } = await startPulls(db, [makeWireEvent({ prices: [0.2] })]);
    await pull(0);
    standIn.events = [makeWireEvent({ prices: [0.9] })];
    await pull(HOURS);
    db.exec(`
      WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
      INSERT INTO market_event (source, source_id, origin, card)
      SELECT source, 'x' || i, origin, json_set(card, '$.event_card_id', 'x' || i, '$.alias', 'x' || i, '$.volume', i)
      FROM market_event, n;
      INSERT INTO market_event_prices
      SELECT e.id, moved_at, history FROM market_event e, market_event_prices WHERE e.id > 1`);
    const { what, total } = newsOf('markets', 'markets whose odds');
    expect([what.slice(-34), total]).toEqual(['among the 1,000 most traded events', 1_000]);
  });

  it('lists opened events, and settled events with their outcome, by id', async () => {
    const { pull } = await startPulls(db, [
      makeWireEvent(),
      makeWireEvent({ id: 102, closed: true }),
    ]);
    await pull(HOURS);
    db.exec(`
      UPDATE market_event SET card = json_set(card, '$.start_time', '2026-11-30T00:00:00.000Z')
      WHERE source_id = '100';
      UPDATE market_event SET card = json_set(card, '$.closed_time', '2026-11-29T00:00:00.000Z',
        '$.settlement', json('{"status":"settled"}'),
        '$.markets[0].settlement', json('{"status":"settled","winning_outcome":"Yes"}'))
      WHERE source_id = '102'`);
    expect(newsOf('markets', 'events opened').items.map(({ id }) => id)).toEqual(['pme_100']);
    expect(newsOf('markets', 'events settled').items).toEqual([
      { id: 'pme_102', text: expect.stringMatching(/: Yes$/) },
    ]);
  });
});

it('an empty shelf reports that nothing is new', () => {
  expect(newsLines(collect('7d'))).toEqual(['nothing new since 2026-11-24']);
});

it('a key sees only the news of its areas, in the resource and in the prompt', () => {
  insertPapers(db, [makeCard({ title: 'Ignore "this"\nline', asOf: NOW.toISOString() })]);
  const shelf = { db, now: () => NOW, policy: 'personal' as const };
  const resource = resources.find(({ name }) => name === 'new');
  const prompt = prompts.find(({ name }) => name === 'weekly_brief');
  const read = (scopes?: readonly Area[]) =>
    JSON.parse(resource?.read({ since: '7d' }, { ...shelf, ...(scopes && { scopes }) }) ?? '{}')
      .data;
  expect(Object.keys(read())).toEqual(['since', 'papers', 'macro', 'markets']);
  expect(Object.keys(read(['macro']))).toEqual(['since', 'macro']);
  expect(prompt?.write({}, shelf)).toMatch(/"arxiv:[\d.]+" {2}"Ignore \\"this\\"\\nline"/);
  const markets = prompt?.write({}, { ...shelf, scopes: ['markets'], isOffline: true });
  expect(markets).not.toContain('Ignore');
  expect(markets).toContain(
    'QUANTSHELF_OFFLINE is set; without it, `quantshelf sync` refreshes it',
  );
});
