import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleFigures } from '../../../../scripts/starter/macro-fill.ts';
import { listRange, listRecent, listSeries } from '../../../../src/areas/macro/queries.ts';
import { upsertCatalogue } from '../../../../src/areas/macro/starter-ingest.ts';
import type { Vintage } from '../../../../src/areas/macro/vintages.ts';
import { vintage } from './model.ts';
import { makeShelf } from './shelf.ts';

const SERIES = {
  seriesId: 'TEST',
  indicator: 'us.test',
  category: 'Labor',
  title: 'A series for tests',
  frequency: 'Monthly',
  units: 'Percent',
  seasonalAdjustment: 'SA',
  source: 'Nobody',
  copyrightStatus: 'Public Domain: Citation requested',
};

function shelfWith(vintages: readonly Vintage[]) {
  const db = makeShelf();
  upsertCatalogue(db, [SERIES]);
  const taken = '2026-08-21T00:00:00.000Z';
  bundleFigures(db, { seriesId: 'TEST', vintages, taken, lastUpdated: taken });
  return db;
}

const day = (offset: number) =>
  new Date(Date.UTC(2000, 0, 1) + offset * 86_400_000).toISOString().slice(0, 10);

it('the catalogue may come again, and the figures stay', () => {
  const db = shelfWith([vintage('2026-03-01', 158637, '2026-04-03')]);
  upsertCatalogue(db, [{ ...SERIES, title: 'A better title' }]);
  expect(listSeries(db)).toMatchObject([
    { title: 'A better title', observationStart: '2026-03-01', observationEnd: '2026-03-01' },
  ]);
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
      values.map((value, index) => ({
        ...vintage(day(at), value, day(at + 10 + 7 * index)),
        rtEnd: index === values.length - 1 ? null : day(at + 16 + 7 * index),
      })),
    );
  }

  it('is served as a plain list would be, in both modes', () => {
    fc.assert(
      fc.property(
        histories,
        fc.integer({ min: 1, max: 500 }),
        fc.nat(400),
        fc.nat(400),
        (history, limit, a, b) => {
          const db = shelfWith(vintagesOf(history));
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
