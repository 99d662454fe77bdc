import type { Database } from 'better-sqlite3';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillMacro } from '../../../../scripts/starter/macro-fill.ts';
import type { AgencySeries, Feed } from '../../../../src/areas/macro/agencies/feed.ts';
import { replaceVintages, storeFill } from '../../../../src/areas/macro/ingest.ts';
import { findSeries, listObservations, listSeries } from '../../../../src/areas/macro/queries.ts';
import { renewStarterSeries } from '../../../../src/areas/macro/starter-ingest.ts';
import { compareVintages, type Vintage } from '../../../../src/areas/macro/vintages.ts';
import { agencySource, visit } from '../../../../src/areas/macro/visit.ts';
import { shiftDay } from '../../../../src/core/time.ts';
import { HttpError } from '../../../../src/upstream/failures.ts';
import { starterMacro } from '../../../starter.ts';
import { signal } from './agencies/start-agency.ts';
import { readVintages, valueAsKnownOn, vintage } from './model.ts';
import { copyShelf, makeShelf } from './shelf.ts';

const starter = starterMacro();
const BLS = ['CPIAUCSL', 'CPILFESL', 'UNRATE', 'PAYEMS'];
const NOW = new Date('2026-09-18T14:00:00Z');

let filled: Database;
let db: Database;
let said: string[];
let told: AgencySeries[];

beforeAll(() => {
  filled = makeShelf();
  fillMacro(filled, { ...starter, series: starter.series.filter((s) => BLS.includes(s.seriesId)) });
});
beforeEach(() => {
  db = copyShelf(filled);
  said = [];
  told = BLS.map((seriesId) => ({ seriesId, from: '2017-01-01', figures: heldOf(seriesId) }));
});

function heldOf(seriesId: string) {
  return listObservations(db, seriesId, { start: '2017-01-01', end: '9999-12-31' }).map(
    ({ date, value }) => ({ date, value }),
  );
}

function append(seriesId: string, date: string, value: number | null, released?: string) {
  told = told.map((series) =>
    series.seriesId === seriesId
      ? {
          ...series,
          figures: [
            ...series.figures.filter((figure) => figure.date !== date),
            { date, value, ...(released === undefined ? {} : { released }) },
          ].sort((a, b) => (a.date < b.date ? -1 : 1)),
        }
      : series,
  );
}

async function refresh({ now = NOW, fillsIn = false, fetch = async () => told } = {}) {
  const feed: Feed = { name: 'bls', agency: 'bls', seriesIds: BLS, fetch };
  const tools = { db, now: () => now, log: (line: string) => said.push(line) };
  return visit(tools, agencySource(feed), { signal, fillsIn });
}

const current = (seriesId: string, date: string) =>
  listObservations(db, seriesId, { start: date, end: date });
const stateOf = (seriesId: string) => ({
  ...findSeries(db, seriesId),
  ...listSeries(db).find((state) => state.seriesId === seriesId),
});

describe('what an agency brings', () => {
  it('is added with an estimate, and everything held stays as it is', async () => {
    const before = listObservations(db, 'CPIAUCSL', { start: '1900-01-01', end: '2026-07-31' });
    append('CPIAUCSL', '2026-08-01', 333.1);
    const outcome = await refresh();
    expect(outcome).toMatchObject({ changed: ['CPIAUCSL'], failed: [], fault: null });
    expect(current('CPIAUCSL', '2026-08-01')).toEqual([
      // As announced.
      { date: '2026-08-01', value: 333.1, published: '2026-09-11', exact: 0 },
    ]);
    // As of a day before we saw it, nobody can rely on it.
    const known =
      "SELECT known_from FROM macro_as_of WHERE series_id='CPIAUCSL' AND date='2026-08-01'";
    expect(db.prepare(known).pluck().all()).toEqual(['2026-09-18']);
    expect(listObservations(db, 'CPIAUCSL', { start: '1900-01-01', end: '2026-07-31' })).toEqual(
      before,
    );
    expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
      agency: 'bls',
      observationEnd: '2026-08-01',
      taken: NOW.toISOString(),
      stale: 0,
    });
  });

  it('is no figure where it is infinite', async () => {
    append('CPIAUCSL', '2026-07-01', Number.POSITIVE_INFINITY);
    append('CPIAUCSL', '2026-08-01', Number.POSITIVE_INFINITY);
    expect(await refresh()).toMatchObject({ changed: [], failed: [] });
    expect(current('CPIAUCSL', '2026-07-01')[0]?.value).toBeLessThan(1_000);
    expect(current('CPIAUCSL', '2026-08-01')).toEqual([]);
  });

  it.each([
    ['takes the day that the agency gives as exact', '2026-09-10', '2026-09-18', '2026-09-10', 1],
    [
      'has the announced one where that is of a later file',
      '2026-11-20',
      '2026-11-22',
      '2026-09-11',
      0,
    ],
  ])('%s', async (_, released, today, published, exact) => {
    append('CPIAUCSL', '2026-08-01', 333.1, released);
    await refresh({ now: new Date(`${today}T14:00:00Z`) });
    expect(current('CPIAUCSL', '2026-08-01')).toMatchObject([{ published, exact }]);
  });

  it('that revises a value long ago has the day of the file as an estimate', async () => {
    append('PAYEMS', '2026-05-01', 158_700, '2026-09-16');
    await refresh();
    expect(current('PAYEMS', '2026-05-01')[0]).toMatchObject({
      value: 158_700,
      published: '2026-09-16',
      exact: 0,
    });
    expect(valueAsKnownOn(db, 'PAYEMS', '2026-05-01', '2026-09-15')?.value).not.toBe(158_700);
  });

  it('ends an older value on the day before the change was seen', async () => {
    append('PAYEMS', '2026-07-01', 158_900);
    await refresh();
    expect(current('PAYEMS', '2026-07-01')[0]).toMatchObject({
      value: 158_900,
      published: '2026-09-18',
      exact: 0,
    });
    expect(valueAsKnownOn(db, 'PAYEMS', '2026-07-01', '2026-09-17')?.value).toBe(158_858);
    append('PAYEMS', '2026-07-01', 158_901);
    await refresh();
    expect(current('PAYEMS', '2026-07-01')).toHaveLength(1);
    expect(current('PAYEMS', '2026-07-01')[0]?.value).toBe(158_901);
  });

  it('corrects a figure on its own day, which stays exact', async () => {
    const now = new Date('2026-09-10T14:00:00Z');
    append('CPIAUCSL', '2026-08-01', 333.1, '2026-09-10');
    await refresh({ now });
    append('CPIAUCSL', '2026-08-01', 333.2, '2026-09-10');
    await refresh({ now });
    expect(current('CPIAUCSL', '2026-08-01')).toEqual([
      { date: '2026-08-01', value: 333.2, published: '2026-09-10', exact: 1 as const },
    ]);
  });

  it('never puts a missing value in the place of a figure, but keeps a new one', async () => {
    append('UNRATE', '2026-07-01', null);
    append('UNRATE', '2026-08-01', null);
    await refresh();
    expect(current('UNRATE', '2026-07-01')[0]?.value).toBe(4.1);
    expect(current('UNRATE', '2026-08-01')[0]?.value).toBeNull();
  });

  it('has null for a month that it leaves out between two others', async () => {
    told = told.map((series) => ({
      ...series,
      figures: series.figures.filter(({ date }) => date !== '2026-08-01'),
    }));
    append('CPILFESL', '2026-09-01', 340.5);
    await refresh({ now: new Date('2026-10-16T14:00:00Z') });
    expect(current('CPILFESL', '2026-07-01')[0]?.value).toBeNull();
    expect(current('CPILFESL', '2026-09-01')[0]?.value).toBe(340.5);
  });

  it('is dated on a business day, even if it was first seen on a Saturday', async () => {
    append('PAYEMS', '2026-05-01', 158_700);
    await refresh({ now: new Date('2026-09-19T14:00:00Z') });
    expect(current('PAYEMS', '2026-05-01')[0]?.published).toBe('2026-09-18');
  });

  it('is dated by the last release that published it again', async () => {
    append('PAYEMS', '2026-08-01', 158_990);
    append('PAYEMS', '2026-09-01', 159_010);
    await refresh({ now: new Date('2026-10-09T14:00:00Z') });
    // The second figure of August came with the first of September.
    expect(current('PAYEMS', '2026-08-01')[0]?.published).toBe('2026-10-02');
    expect(current('PAYEMS', '2026-09-01')[0]?.published).toBe('2026-10-02');
  });

  it('changes nothing the second time', async () => {
    append('CPIAUCSL', '2026-08-01', 333.1);
    await refresh();
    const dump = () => JSON.stringify(db.prepare('SELECT * FROM macro_vintage').raw().all());
    const before = dump();
    expect(await refresh()).toMatchObject({ changed: [], failed: [] });
    expect(dump() === before).toBe(true);
  });

  it('sets the next query by the release of each series', async () => {
    await refresh();
    // Payrolls of August were due two weeks ago, the next prices are due in a while.
    append('CPIAUCSL', '2026-08-01', 333.1);
    await refresh();
    expect(stateOf('CPIAUCSL').nextDue?.slice(0, 10)).toMatch(/^2026-10-1\d$/);
    expect(stateOf('PAYEMS').nextDue).toBe('2026-09-19T02:00:00.000Z');
  });
});

describe('what fails', () => {
  it('fails alone: a series on another base, and one that is missing', async () => {
    append('UNRATE', '2026-08-01', 4.2);
    told = told
      .filter(({ seriesId }) => seriesId !== 'CPILFESL')
      .map((series) => ({
        ...series,
        figures: series.figures.map(({ date, value }) => ({
          date,
          value: series.seriesId === 'CPIAUCSL' && value !== null ? value / 10 : value,
        })),
      }));
    const outcome = await refresh();
    expect(outcome).toMatchObject({ changed: ['UNRATE'], failed: ['CPIAUCSL', 'CPILFESL'] });
    expect(current('CPIAUCSL', '2026-07-01')[0]?.value).toBeGreaterThan(300);
    expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
      stale: 1,
      agency: null,
      fault: expect.stringMatching(/another base or unit.*FRED_API_KEY or a newer QuantShelf/),
    });
    expect(findSeries(db, 'UNRATE')).toMatchObject({ stale: 0, agency: 'bls' });
  });

  it('is an index of another base, whatever its figures are', async () => {
    append('CPIAUCSL', '2026-08-01', 333.1);
    append('CPILFESL', '2026-08-01', 340.2);
    const [units, other] = [findSeries(db, 'CPIAUCSL')?.units ?? '', 'Index 2022=100'];
    told = told.map((series) => {
      if (series.seriesId === 'CPIAUCSL') return { ...series, units };
      return series.seriesId === 'CPILFESL' ? { ...series, units: other } : series;
    });
    expect(await refresh()).toMatchObject({
      changed: ['CPIAUCSL'],
      failed: ['CPILFESL'],
      fault: expect.stringContaining('another base or unit'),
    });
    expect(current('CPILFESL', '2026-08-01')).toEqual([]);
  });

  it('leaves everything as it is, and is not tried again at once', async () => {
    const error = new HttpError('status', 'api.bls.gov answered with status 503', { status: 503 });
    const outcome = await refresh({ fetch: () => Promise.reject(error) });
    expect(outcome).toMatchObject({ failed: expect.arrayContaining(BLS) });
    expect(findSeries(db, 'UNRATE')).toMatchObject({
      stale: 1,
      fault: 'The BLS answered with status 503.',
    });
    expect(stateOf('UNRATE').retryAt).toBe('2026-09-18T14:15:00.000Z');
  });

  it('keeps what FRED said, and when FRED is to be tried again', async () => {
    const failure = {
      fault: 'FRED answered with status 500.',
      retryAt: '2026-09-18T14:20:00.000Z',
    };
    db.prepare(`
      UPDATE macro_series SET stale = 1, fault = @fault, retry_at = @retryAt
      WHERE series_id = 'UNRATE'`).run(failure);
    await refresh({ fillsIn: true, fetch: () => Promise.reject(new HttpError('timeout', 'x')) });
    expect(stateOf('UNRATE')).toMatchObject({ stale: 1, ...failure });
    expect(stateOf('PAYEMS')).toMatchObject({ stale: 0, retryAt: null });
    await refresh({ fillsIn: true });
    expect(stateOf('UNRATE')).toMatchObject({ stale: 0, fault: null, retryAt: failure.retryAt });
  });
});

describe('an agency beside FRED', () => {
  const fill = (more: object) => ({
    seriesId: 'UNRATE',
    since: null,
    lastVintage: '2026-09-04',
    description: null,
    vintages: heldOf('UNRATE').map(({ date, value }) => ({
      ...vintage(date, value, '2026-08-07'),
    })),
    ...more,
  });

  const JULY = '2026-07-01';
  const july = () => readVintages(db, 'UNRATE').filter(({ date }) => date === JULY);
  /** FRED's answer since its last vintage, with these values of July, each from a day on. */
  const since = (from: string, lastVintage: string, ...values: [value: number, day: string][]) => {
    const ends = values.slice(1).map(([, day]) => shiftDay(day, -1));
    return fill({
      ...{ since: from, lastVintage },
      vintages: [
        ...heldOf('UNRATE')
          .filter(({ date }) => date < JULY)
          .map(({ date, value }) => vintage(date, value, from)),
        ...values.map(([value, day], at) => vintage(JULY, value, day, { rtEnd: ends[at] ?? null })),
      ],
    });
  };

  it('is dated no later than the day on which it was seen', async () => {
    storeFill(db, fill({}));
    append('UNRATE', '2026-08-01', 4.2);
    await refresh({ now: new Date('2026-09-04T20:00:00Z') });
    const dated = { published: '2026-09-04', exact: 0 };
    expect(current('UNRATE', '2026-08-01')).toMatchObject([{ value: 4.2, ...dated }]);
  });

  it('keeps its revision of an older date until FRED has a later word on it', async () => {
    const whole = fill({ lastVintage: '2026-09-15' });
    storeFill(db, fill({}));
    append('UNRATE', JULY, 4.3);
    await refresh({ now: new Date('2026-09-08T20:00:00Z') });
    const revised = [
      vintage(JULY, 4.1, '2026-08-07', { rtEnd: '2026-09-07' }),
      vintage(JULY, 4.3, '2026-09-08', { exact: 0 }),
    ];
    expect(july()).toEqual(revised);
    // FRED goes on without it, by parts and as a whole.
    storeFill(db, since('2026-09-04', '2026-09-04', [4.1, '2026-09-04']));
    storeFill(db, since('2026-09-04', '2026-09-15', [4.1, '2026-09-04']));
    expect(july()).toEqual(revised);
    storeFill(db, whole);
    expect(july()).toEqual(revised);
    expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'fred', agency: 'bls' });
    storeFill(db, since('2026-09-15', '2026-10-02', [4.1, '2026-09-15'], [4.2, '2026-10-02']));
    expect(july()).toEqual([
      vintage(JULY, 4.1, '2026-08-07', { rtEnd: '2026-10-01' }),
      vintage(JULY, 4.2, '2026-10-02'),
    ]);
    expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'fred', agency: null });
  });

  it('keeps a revision that is newer than FRED’s word, and what was seen before it', async () => {
    storeFill(db, fill({}));
    append('UNRATE', JULY, 4.2);
    await refresh({ now: new Date('2026-09-08T20:00:00Z') });
    append('UNRATE', JULY, 4.3);
    await refresh({ now: new Date('2026-09-10T20:00:00Z') });
    const merged = [
      vintage(JULY, 4.1, '2026-08-07', { rtEnd: '2026-09-07' }),
      vintage(JULY, 4.2, '2026-09-08', { exact: 0, rtEnd: '2026-09-08' }),
      vintage(JULY, 4.2, '2026-09-09', { rtEnd: '2026-09-09' }),
      vintage(JULY, 4.3, '2026-09-10', { exact: 0 }),
    ];
    storeFill(db, since('2026-09-04', '2026-09-09', [4.1, '2026-09-04'], [4.2, '2026-09-09']));
    expect(july()).toEqual(merged);
    storeFill(db, since('2026-09-09', '2026-09-09', [4.2, '2026-09-09']));
    expect(july()).toEqual(merged);
  });

  it('leaves FRED’s own value its day where a change is seen on that day', async () => {
    const others = fill({}).vintages.filter(({ date }) => date !== JULY);
    const own = [
      vintage(JULY, 4, '2026-08-07', { rtEnd: '2026-09-03' }),
      vintage(JULY, 4.1, '2026-09-04'),
    ];
    storeFill(db, fill({ vintages: [...others, ...own].sort(compareVintages) }));
    for (const value of [4.2, 4.3]) {
      append('UNRATE', JULY, value);
      await refresh({ now: new Date('2026-09-04T20:00:00Z') });
    }
    expect(july()).toEqual([
      own[0],
      vintage(JULY, 4.1, '2026-09-04', { rtEnd: '2026-09-04' }),
      vintage(JULY, 4.3, '2026-09-05', { exact: 0 }),
    ]);
  });

  describe('that is ahead of it', () => {
    const AUGUST = '2026-08-01';
    const description = (units: string) => ({
      ...{ title: 'Unemployment Rate', units, lastUpdated: '2026-08-07T13:00:00.000Z' },
      ...{ observationStart: '1948-01-01', observationEnd: '2026-07-01' },
    });

    /** FRED's dates; those of an update begin with the first day that it covers. */
    let vintages: Vintage[];
    let clipped: Vintage[];

    beforeEach(async () => {
      vintages = fill({}).vintages.filter(({ date }) => date < AUGUST);
      clipped = vintages.map((each) => ({ ...each, rtStart: '2026-09-04' }));
      append('UNRATE', AUGUST, 4.2);
      await refresh({ now: new Date('2026-09-05T14:00:00Z') });
    });

    it.each(['the first fill', 'an update', 'a second whole fill'])(
      'keeps its newest figure and its name through %s',
      (step) => {
        const whole = fill({ vintages, description: description('Percent') });
        storeFill(db, whole);
        if (step === 'an update') {
          const update = { since: '2026-09-04', vintages: clipped, lastVintage: '2026-09-10' };
          storeFill(db, fill(update));
        } else if (step !== 'the first fill') storeFill(db, whole);
        expect(current('UNRATE', AUGUST)).toMatchObject([{ value: 4.2 }]);
        expect(findSeries(db, 'UNRATE')).toMatchObject({
          ...{ origin: 'fred', agency: 'bls', taken: '2026-09-05T14:00:00.000Z' },
          observationEnd: AUGUST,
        });
      },
    );

    it('gives way to FRED’s own days once FRED has the figure', () => {
      storeFill(db, fill({ vintages }));
      const own = vintage(AUGUST, 4.2, '2026-09-11');
      const since = fill({
        since: '2026-09-04',
        vintages: [...clipped, own],
        lastVintage: '2026-09-11',
      });
      storeFill(db, since);
      expect(readVintages(db, 'UNRATE').filter(({ date }) => date === AUGUST)).toEqual([own]);
      expect(findSeries(db, 'UNRATE')).toMatchObject({ agency: null });
    });

    it('does not hide history that FRED lost, and is none itself', () => {
      storeFill(db, fill({ vintages }));
      for (const [since, rows] of [
        [null, vintages],
        ['2026-09-04', clipped],
      ] as const) {
        const half = fill({ since, vintages: rows.slice(0, rows.length / 2) });
        expect(() => storeFill(db, half)).toThrow('dropped many dates');
      }
      expect(current('UNRATE', '2026-07-01')).toHaveLength(1);
      // Two dates at FRED, and a year of the agency's after them.
      const few = clipped.slice(-2);
      db.prepare("DELETE FROM macro_vintage WHERE series_id = 'UNRATE' AND date < ?").run(
        few[0]?.date,
      );
      const later = ['2026', '2027'].flatMap((year) =>
        ['09', '10', '11', '12'].map((month) =>
          vintage(`${year}-${month}-01`, 4.2, `2026-${month}-01`),
        ),
      );
      replaceVintages(db, 'UNRATE', [], later);
      storeFill(db, fill({ since: '2026-09-04', vintages: few }));
      expect(findSeries(db, 'UNRATE')?.observationEnd).toBe('2027-12-01');
    });

    it('goes where FRED has another unit', () => {
      storeFill(db, fill({ vintages, description: description('Ratio') }));
      expect(current('UNRATE', AUGUST)).toEqual([]);
      expect(findSeries(db, 'UNRATE')).toMatchObject({ agency: null, units: 'Ratio' });
    });
  });

  it('stays ahead of FRED although FRED once gave a date of the far future', async () => {
    storeFill(db, fill({}));
    db.exec("UPDATE macro_series SET fred_end = '9998-01-01' WHERE series_id = 'UNRATE'");
    const vintages = fill({}).vintages.map((each) => ({ ...each, rtStart: '2026-09-04' }));
    const later = fill({ since: '2026-09-04', vintages });
    storeFill(db, later);
    append('UNRATE', '2026-08-01', 4.2);
    await refresh();
    // It may also have been stored after the agency was ahead.
    replaceVintages(db, 'UNRATE', [], [vintage('9998-01-01', 9, '2026-09-04')]);
    db.exec("UPDATE macro_series SET fred_end = '9998-01-01' WHERE series_id = 'UNRATE'");
    storeFill(db, later);
    expect(current('UNRATE', '2026-08-01')).toMatchObject([{ value: 4.2 }]);
    expect(findSeries(db, 'UNRATE')).toMatchObject({
      ...{ agency: 'bls', fredEnd: '2026-07-01', observationEnd: '2026-08-01' },
    });
  });

  it('is named only for what it has brought', async () => {
    storeFill(db, fill({}));
    await refresh({ now: new Date('2026-09-05T14:00:00Z') });
    expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'fred', agency: null });
    expect(findSeries(db, 'PAYEMS')).toMatchObject({ origin: 'starter', agency: 'bls' });
  });
});

it('a newer package keeps the months and revisions that an agency has brought', async () => {
  append('CPIAUCSL', '2026-08-01', 333.1);
  append('CPIAUCSL', '2026-06-01', 332.6);
  await refresh();
  const packed = makeShelf();
  fillMacro(packed, {
    ...starter,
    series: starter.series.filter((s) => s.seriesId === 'CPIAUCSL'),
  });
  for (const slice of renewStarterSeries(db, packed)) slice();
  expect(current('CPIAUCSL', '2026-08-01')[0]?.value).toBe(333.1);
  expect(current('CPIAUCSL', '2026-06-01')[0]?.value).toBe(332.6);
  const [older, newer] = readVintages(db, 'CPIAUCSL').filter(({ date }) => date === '2026-06-01');
  expect(older).toMatchObject({ value: 332.568, knownFrom: '2026-07-14' });
  expect(newer).toMatchObject({ value: 332.6, rtEnd: null, knownFrom: newer?.rtStart });
  expect(older?.rtEnd).toBe(shiftDay(newer?.rtStart ?? '', -1));
  expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
    agency: 'bls',
    observationEnd: '2026-08-01',
    taken: NOW.toISOString(),
  });
  expect(stateOf('CPIAUCSL').nextDue).toBeNull();
});
