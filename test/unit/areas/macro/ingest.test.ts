import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertVintages, upsertCatalogue } from '../../../../src/areas/macro/ingest.ts';
import { listRange, listRecent, listSeries } from '../../../../src/areas/macro/queries.ts';
import type { Vintage } from '../../../../src/areas/macro/vintages/row-ingest.ts';
import { makeShelf } from './shelf.ts';

const SERIES = {
  seriesId: 'TEST',
  indicator: 'us.test',
  category: 'Labor',
  title: 'A series for tests',
  frequency: 'Monthly',
  nativeFrequency: 'Monthly',
  units: 'Percent',
  seasonalAdjustment: 'SA',
  source: 'Nobody',
  copyrightStatus: 'Public Domain: Citation requested',
};
const ALWAYS = { start: '0000-01-01', end: '9999-12-31' };

function shelfWith(...deliveries: (readonly Vintage[])[]) {
  const db = makeShelf();
  upsertCatalogue(db, [SERIES]);
  for (const vintages of deliveries) deliver(db, vintages);
  return db;
}

function deliver(db: ReturnType<typeof makeShelf>, vintages: readonly Vintage[]): void {
  const taken = '2026-08-21T00:00:00.000Z';
  insertVintages(db, { seriesId: 'TEST', vintages, origin: 'starter', taken, lastUpdated: taken });
}

function vintage(date: string, value: number | null, rtStart: string, exact = true): Vintage {
  return { date, value, rtStart, rtEnd: null, exact };
}

const day = (offset: number) =>
  new Date(Date.UTC(2000, 0, 1) + offset * 86_400_000).toISOString().slice(0, 10);

describe('vintages', () => {
  const first = vintage('2026-03-01', 158637, '2026-04-03');
  const second = vintage('2026-03-01', 158621, '2026-05-08');
  const third = vintage('2026-03-01', 158650, '2026-06-05');

  it.each([
    ['in order', [first, second, third]],
    ['newest first', [third, second, first]],
    ['mixed', [second, third, first]],
  ])('serves the newest value and closes the others: %s', (_, vintages) => {
    const db = shelfWith(vintages);
    expect(listRange(db, 'TEST', ALWAYS)).toEqual([
      { date: '2026-03-01', value: 158650, published: '2026-06-05', exact: 1 },
    ]);
    const kept = db.prepare('SELECT value, rt_start, rt_end FROM macro_vintage ORDER BY rt_start');
    expect(kept.all()).toEqual([
      { value: 158637, rt_start: '2026-04-03', rt_end: '2026-05-07' },
      { value: 158621, rt_start: '2026-05-08', rt_end: '2026-06-04' },
      { value: 158650, rt_start: '2026-06-05', rt_end: null },
    ]);
  });

  it('lets a true day displace an estimate, and never the other way round', () => {
    const guess = vintage('2026-03-01', 158650, '2026-04-05', false);
    for (const deliveries of [
      [[guess], [third]],
      [[third], [guess]],
    ]) {
      expect(listRange(shelfWith(...deliveries), 'TEST', ALWAYS)).toEqual([
        { date: '2026-03-01', value: 158650, published: '2026-06-05', exact: 1 },
      ]);
    }
  });

  it('replaces an estimate by a later one', () => {
    const db = shelfWith(
      [vintage('2026-03-01', 1, '2026-04-05', false)],
      [vintage('2026-03-01', 2, '2026-04-09', false)],
    );
    expect(listRange(db, 'TEST', ALWAYS)).toEqual([
      { date: '2026-03-01', value: 2, published: '2026-04-09', exact: 0 },
    ]);
  });

  it('refuses a series outside the catalogue and keeps nothing of it', () => {
    const db = makeShelf();
    expect(() => deliver(db, [first])).toThrow();
    expect(db.prepare('SELECT count(*) FROM macro_vintage').pluck().get()).toBe(0);
  });

  it('keeps the figures when the catalogue comes again', () => {
    const db = shelfWith([first]);
    upsertCatalogue(db, [{ ...SERIES, title: 'A better title' }]);
    expect(listSeries(db)).toMatchObject([
      { title: 'A better title', observationStart: '2026-03-01', observationEnd: '2026-03-01' },
    ]);
  });
});

describe('any history', () => {
  /** Dates with one to three values each, published on different days. */
  const histories = fc.uniqueArray(
    fc.record({
      at: fc.nat(400),
      values: fc.array(fc.option(fc.integer(), { nil: null }), { minLength: 1, maxLength: 3 }),
    }),
    { selector: (entry) => entry.at, maxLength: 40 },
  );

  function vintagesOf(history: readonly { at: number; values: (number | null)[] }[]): Vintage[] {
    return history.flatMap(({ at, values }) =>
      values.map((value, index) => vintage(day(at), value, day(at + 10 + 7 * index))),
    );
  }

  it('is served as a plain list would be, in both modes, however it arrived', () => {
    fc.assert(
      fc.property(
        histories,
        fc.integer({ min: 1, max: 500 }),
        fc.nat(400),
        fc.nat(400),
        fc.infiniteStream(fc.nat()),
        (history, limit, a, b, shuffle) => {
          const vintages = vintagesOf(history)
            .map((entry) => ({ entry, key: shuffle.next().value ?? 0 }))
            .sort((x, y) => x.key - y.key)
            .map(({ entry }) => entry);
          const db = shelfWith(vintages, vintages);
          const expected = [...history]
            .sort((x, y) => x.at - y.at)
            .map(({ at, values }) => ({
              date: day(at),
              value: values.at(-1) ?? null,
              published: day(at + 10 + 7 * (values.length - 1)),
              exact: 1,
            }));
          const window = { start: day(Math.min(a, b)), end: day(Math.max(a, b)) };
          expect(listRecent(db, 'TEST', limit)).toEqual(expected.slice(-limit));
          expect(listRange(db, 'TEST', window)).toEqual(
            expected.filter(({ date }) => date >= window.start && date <= window.end),
          );
          db.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});
