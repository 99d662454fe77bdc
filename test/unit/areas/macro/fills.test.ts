import { describe, expect, it } from 'vitest';
import { bundleFigures } from '../../../../scripts/starter/macro-fill.ts';
import { storeFill } from '../../../../src/areas/macro/fills.ts';
import { listCurrent, listSeries } from '../../../../src/areas/macro/queries.ts';
import { recordCheck, recordFailure } from '../../../../src/areas/macro/series.ts';
import { fetchVintages } from '../../../../src/areas/macro/sources/fred-vintages.ts';
import { makeSeries } from '../../../stand-ins/fred.ts';
import { FredHistory } from '../../../stand-ins/fred-history.ts';
import { fillCatalogue, fillOf, readVintages, shelfOf, vintage } from './model.ts';
import { startSource } from './start-fred.ts';

const TIMES = { taken: '2026-11-21T12:00:00.000Z', nextDue: '2026-12-04T13:30:00.000Z' };
const ALWAYS = { start: '0000-01-01', end: '9999-12-31' };

const bundled = {
  seriesId: 'TEST',
  vintages: [
    vintage('2026-02-01', 158459, '2026-03-06', { exact: 0 }),
    vintage('2026-03-01', 158637, '2026-04-03', { rtEnd: '2026-05-07' }),
    vintage('2026-03-01', 158621, '2026-05-08'),
  ],
  taken: '2026-05-20T00:00:00.000Z',
  lastUpdated: '2026-05-20',
};

describe('bundled figures', () => {
  const history = new FredHistory()
    .publish('2026-03-06', { '2026-01-01': 5, '2026-02-01': 158466 })
    .publish('2026-04-03', { '2026-02-01': 158459, '2026-03-01': 158637 })
    .publish('2026-05-08', { '2026-03-01': 158621 })
    .publish('2026-06-05', { '2026-03-01': 158650 });

  it("are replaced by FRED's figures, title and units", async () => {
    const series = makeSeries({ history, title: 'All Employees' });
    const { source } = await startSource([series]);
    const db = shelfOf('TEST');
    bundleFigures(db, bundled);
    const fill = await fetchVintages(source, 'TEST', null);
    expect(storeFill(db, fill)).toBe(true);
    expect(readVintages(db)).toEqual(fill.vintages);
    expect(listCurrent(db, 'TEST', ALWAYS)).toMatchObject([
      { date: '2026-01-01', value: 5, rtStart: '2026-03-06', exact: 0 },
      { date: '2026-02-01', value: 158459, rtStart: '2026-04-03', exact: 1 },
      { date: '2026-03-01', value: 158650, rtStart: '2026-06-05', exact: 1 },
    ]);
    expect(listSeries(db)).toMatchObject([
      {
        origin: 'fred',
        title: 'All Employees',
        units: 'Percent',
        lastUpdated: '2026-08-20T12:46:36.000Z',
        observationStart: '2026-01-01',
        observationEnd: '2026-03-01',
      },
    ]);
  });

  it('remain if a fill fails halfway', () => {
    const db = shelfOf('TEST');
    bundleFigures(db, bundled);
    const before = readVintages(db);
    const twice = [vintage('2026-03-01', 1, '2026-04-03'), vintage('2026-03-01', 2, '2026-04-03')];
    expect(() => storeFill(db, fillOf({ vintages: twice }))).toThrow();
    expect(readVintages(db)).toEqual(before);
    expect(listSeries(db)).toMatchObject([{ origin: 'starter' }]);
  });
});

describe('a fill', () => {
  it('is refused for an unknown series or after a gap', () => {
    const db = shelfOf('TEST');
    expect(() => storeFill(db, fillOf({ since: '2026-04-03' }))).toThrow(/leaves a gap/);
    expect(() => storeFill(db, fillOf({ seriesId: 'NONE' }))).toThrow(/catalogue/);
    storeFill(db, fillOf({ lastVintage: '2026-05-08' }));
    expect(() => storeFill(db, fillOf({ since: '2026-05-09' }))).toThrow(/leaves a gap/);
  });

  it('changes nothing if it is an update older than the stored figures', () => {
    const db = shelfOf('TEST');
    storeFill(db, fillOf({ lastVintage: '2026-05-08' }));
    const before = [readVintages(db), listSeries(db)];
    const vintages = [vintage('2026-03-01', 7, '2026-04-03')];
    expect(storeFill(db, fillOf({ since: '2026-04-03', vintages }))).toBe(false);
    expect([readVintages(db), listSeries(db)]).toEqual(before);
  });

  it.each([
    ['BAMLH0A0HYM2', '2023', 'is stored, because FRED no longer serves them', 31],
    ['BAMLH0A0HYM2', '2026', 'is refused', 30],
    ['TEST', '2023', 'is refused', 30],
  ])('of %s without the stored dates of %s %s', (seriesId, year, _, count) => {
    const db = shelfOf(seriesId);
    const days = ['2023', '2026'].flatMap((of) =>
      Array.from({ length: 15 }, (_, at) => `${of}-04-${at + 10}`),
    );
    const store = (sent: readonly string[], lastVintage: string) => {
      const vintages = sent.map((day) => vintage(day, 3, day));
      storeFill(db, fillOf({ seriesId, lastVintage, vintages }));
    };
    store(days, '2026-04-30');
    const refill = expect(() =>
      store([...days.filter((day) => !day.startsWith(year)), '2026-04-30'], '2026-05-01'),
    );
    (count === 31 ? refill.not : refill).toThrow('lacks many of the stored dates');
    expect(listCurrent(db, seriesId, ALWAYS)).toHaveLength(count);
  });

  it('from FRED protects its title from a newer catalogue', () => {
    const db = shelfOf('TEST');
    storeFill(db, fillOf({}));
    db.exec("UPDATE macro_series SET title = 'FRED has it so'");
    fillCatalogue(db, ['TEST']);
    expect(listSeries(db)).toMatchObject([{ origin: 'fred', title: 'FRED has it so' }]);
  });

  it('that fails when due makes its series stale until a fill succeeds', () => {
    const db = shelfOf('TEST', 'OTHER');
    const failure = { fault: 'FRED did not answer.', retryAt: '2026-12-04T14:00:00.000Z' };
    recordFailure(db, 'TEST', { ...failure, isDue: false });
    expect(listSeries(db)[0]).toMatchObject({ ...failure, stale: 0 });
    recordFailure(db, 'TEST', { ...failure, isDue: true });
    recordFailure(db, 'TEST', { ...failure, isDue: false });
    expect(listSeries(db)).toMatchObject([{ stale: 1 }, { stale: 0 }]);
    recordCheck(db, 'TEST', TIMES);
    expect(listSeries(db)[0]).toMatchObject({ ...TIMES, stale: 0, fault: null, retryAt: null });
  });
});
