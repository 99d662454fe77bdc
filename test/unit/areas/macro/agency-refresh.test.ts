import type { Database } from 'better-sqlite3';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillMacro } from '../../../../scripts/starter/macro-fill.ts';
import { storedFigures } from '../../../../src/areas/macro/deliveries.ts';
import { compareVintages, type Vintage } from '../../../../src/areas/macro/facts/vintages.ts';
import { storeFill } from '../../../../src/areas/macro/fills.ts';
import { findSeries, listCurrent, listSeries } from '../../../../src/areas/macro/queries.ts';
import { replaceVintages } from '../../../../src/areas/macro/series.ts';
import type { AgencySeries, Feed, Figure } from '../../../../src/areas/macro/sources/feed.ts';
import type { Fill } from '../../../../src/areas/macro/sources/fred-vintages.ts';
import { renewStarterSeries } from '../../../../src/areas/macro/starter.ts';
import { agencySource, visit } from '../../../../src/areas/macro/visit.ts';
import { shiftDay } from '../../../../src/core/time.ts';
import { starterMacro } from '../../../starter.ts';
import { readVintages, valueAsKnownOn, vintage } from './model.ts';
import { copyShelf, makeShelf } from './shelf.ts';
import { signal } from './sources/start-agency.ts';

const starter = await starterMacro();
const BLS = ['CPIAUCSL', 'CPILFESL', 'UNRATE', 'PAYEMS'];
const NOW = new Date('2026-09-18T14:00:00Z');

let filled: Database;
let db: Database;
let said: string[];
let sent: AgencySeries[];

beforeAll(() => {
  filled = makeShelf();
  fillMacro(filled, { ...starter, series: starter.series.filter((s) => BLS.includes(s.seriesId)) });
});
beforeEach(() => {
  db = copyShelf(filled);
  said = [];
  sent = BLS.map((seriesId) => ({ seriesId, figures: storedOf(seriesId) }));
});

function storedOf(seriesId: string, start = '2017-01-01') {
  return listCurrent(db, seriesId, { start, end: '9999-12-31' }).map(({ date, value }) => ({
    date,
    value,
  }));
}

function append(seriesId: string, date: string, value: number | null, released?: string) {
  sent = sent.map((series) =>
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

async function refresh({ now = NOW, fetch = async () => sent } = {}) {
  const feed: Feed = { name: 'bls', agency: 'bls', seriesIds: BLS, fetch };
  const tools = { db, now: () => now, log: (line: string) => said.push(line) };
  return visit(tools, agencySource(feed), signal);
}

const current = (seriesId: string, date: string) =>
  listCurrent(db, seriesId, { start: date, end: date });
const stateOf = (seriesId: string) => ({
  ...findSeries(db, seriesId),
  ...listSeries(db).find((state) => state.seriesId === seriesId),
});

describe('a figure from an agency', () => {
  it('is added with an estimated day, and all stored figures stay unchanged', async () => {
    const before = listCurrent(db, 'CPIAUCSL', { start: '1900-01-01', end: '2026-07-31' });
    append('CPIAUCSL', '2026-08-01', 333.1);
    const outcome = await refresh();
    expect(outcome).toMatchObject({ changed: ['CPIAUCSL'], failed: [], fault: null });
    expect(current('CPIAUCSL', '2026-08-01')).toMatchObject([
      // The announced day; it is certain only from the day on which the figure was seen.
      { value: 333.1, rtStart: '2026-09-11', exact: 0, knownFrom: '2026-09-18' },
    ]);
    expect(listCurrent(db, 'CPIAUCSL', { start: '1900-01-01', end: '2026-07-31' })).toEqual(before);
    expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
      agency: 'bls',
      observationEnd: '2026-08-01',
      taken: NOW.toISOString(),
      stale: 0,
    });
  });

  it('is dropped if it is infinite', async () => {
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
  ])('%s', async (_, released, today, rtStart, exact) => {
    append('CPIAUCSL', '2026-08-01', 333.1, released);
    await refresh({ now: new Date(`${today}T14:00:00Z`) });
    expect(current('CPIAUCSL', '2026-08-01')).toMatchObject([{ rtStart, exact }]);
  });

  it('that revises an old value gets the date of its file, as an estimate', async () => {
    append('PAYEMS', '2026-05-01', 158_700, '2026-09-16');
    await refresh();
    expect(current('PAYEMS', '2026-05-01')[0]).toMatchObject({
      value: 158_700,
      rtStart: '2026-09-16',
      exact: 0,
    });
    expect(valueAsKnownOn(db, 'PAYEMS', '2026-05-01', '2026-09-15')?.value).not.toBe(158_700);
  });

  it('ends the validity of an older value on the day before the change was seen', async () => {
    append('PAYEMS', '2026-07-01', 158_900);
    await refresh();
    expect(current('PAYEMS', '2026-07-01')[0]).toMatchObject({
      value: 158_900,
      rtStart: '2026-09-18',
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
    expect(current('CPIAUCSL', '2026-08-01')).toMatchObject([
      { value: 333.2, rtStart: '2026-09-10', exact: 1 },
    ]);
  });

  it('never replaces a stored figure by a missing value, but a new missing value is kept', async () => {
    append('UNRATE', '2026-07-01', null);
    append('UNRATE', '2026-08-01', null);
    await refresh();
    expect(current('UNRATE', '2026-07-01')[0]?.value).toBe(4.1);
    expect(current('UNRATE', '2026-08-01')[0]?.value).toBeNull();
  });

  it('is dated on a business day, even if it was first seen on a Saturday', async () => {
    append('PAYEMS', '2026-05-01', 158_700);
    await refresh({ now: new Date('2026-09-19T14:00:00Z') });
    expect(current('PAYEMS', '2026-05-01')[0]?.rtStart).toBe('2026-09-18');
  });

  it('is dated by the last release that republished it', async () => {
    append('PAYEMS', '2026-08-01', 158_990);
    append('PAYEMS', '2026-09-01', 159_010);
    await refresh({ now: new Date('2026-10-09T14:00:00Z') });
    // August's second figure came with September's first.
    expect(current('PAYEMS', '2026-08-01')[0]?.rtStart).toBe('2026-10-02');
    expect(current('PAYEMS', '2026-09-01')[0]?.rtStart).toBe('2026-10-02');
  });

  it('changes nothing when it is sent again', async () => {
    append('CPIAUCSL', '2026-08-01', 333.1);
    await refresh();
    const dump = () => JSON.stringify(db.prepare('SELECT * FROM macro_vintage').raw().all());
    const before = dump();
    expect(await refresh()).toMatchObject({ changed: [], failed: [] });
    expect(dump() === before).toBe(true);
  });
});

describe('an agency that fails', () => {
  it('leaves stale only the series on another base and the missing one', async () => {
    append('UNRATE', '2026-08-01', 4.2);
    sent = sent
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
      fault: expect.stringMatching(/different base or unit.*FRED_API_KEY or a newer QuantShelf/),
    });
    expect(findSeries(db, 'UNRATE')).toMatchObject({ stale: 0, agency: 'bls' });
  });
});

describe('a FRED fill after an agency’s figures', () => {
  const JULY = '2026-07-01';
  const AUGUST = '2026-08-01';
  const rowsOf = (date: string) => readVintages(db, 'UNRATE').filter((row) => row.date === date);
  const description = (units: string) => ({
    ...{ title: 'Unemployment Rate', units, lastUpdated: '2026-08-07T13:00:00.000Z' },
    ...{ observationStart: '1948-01-01', observationEnd: JULY },
  });
  /** A full FRED fill in which every value dates from one day. */
  const whole = (more: Partial<Fill> = {}): Fill => ({
    ...{ seriesId: 'UNRATE', since: null, lastVintage: '2026-09-04', description: null },
    vintages: listCurrent(filled, 'UNRATE', { start: '', end: JULY }).map(({ date, value }) =>
      vintage(date, value, '2026-08-07'),
    ),
    ...more,
  });
  it('takes over once it has the figure that the agency added, and dates it itself', async () => {
    append('UNRATE', AUGUST, 4.2);
    await refresh({ now: new Date('2026-09-05T14:00:00Z') });
    expect(() => storeFill(db, whole())).toThrow("does not have all the agency's figures yet");
    expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'starter', agency: 'bls' });
    const august = vintage(AUGUST, 4.2, '2026-09-04');
    storeFill(db, whole({ vintages: [...whole().vintages, august] }));
    expect(rowsOf(AUGUST)).toEqual([august]);
    expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'fred', agency: null });
  });

  it("takes over once it is as new as the agency's revision, which stays as a vintage", async () => {
    append('UNRATE', JULY, 4.3);
    await refresh({ now: new Date('2026-09-08T20:00:00Z') });
    expect(() => storeFill(db, whole())).toThrow("does not have all the agency's figures yet");
    const update = [
      vintage(JULY, 4.1, '2026-08-07', { rtEnd: '2026-10-01' }),
      vintage(JULY, 4.2, '2026-10-02'),
    ];
    const others = whole().vintages.filter(({ date }) => date !== JULY);
    storeFill(db, whole({ lastVintage: '2026-10-02', vintages: [...others, ...update] }));
    expect(rowsOf(JULY)).toEqual(update);
    expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'fred', agency: null });
  });

  it('has the files of the agencies read anew once the key is gone', () => {
    const version = { etag: '"1"', lastModified: null };
    const files = storedFigures(db, NOW);
    files.keepVersion('http://fed/file', version);
    files.saveVersions();
    expect(files.versionOf('http://fed/file')).toEqual(version);
    storeFill(db, whole());
    expect(files.versionOf('http://fed/file')).toBeUndefined();
  });

  it('keeps vintages that are older than its own', () => {
    const known = vintage(JULY, 4, '2026-08-05', { rtEnd: '2026-08-19' });
    replaceVintages(db, 'UNRATE', rowsOf(JULY), [known, vintage(JULY, 4.1, '2026-08-20')]);
    storeFill(db, whole());
    expect(rowsOf(JULY)).toEqual([
      { ...known, rtEnd: '2026-08-06' },
      vintage(JULY, 4.1, '2026-08-07'),
    ]);
  });

  it('is refused if it lost history, whatever the origin of the stored figures', async () => {
    const half = whole().vintages.slice(0, 400);
    expect(() => storeFill(db, whole({ vintages: half }))).toThrow('dropped many stored dates');
    storeFill(db, whole());
    const later = half.map((each) => ({ ...each, rtStart: '2026-09-04' }));
    expect(() => storeFill(db, whole({ since: '2026-09-04', vintages: later }))).toThrow('dropped');
    expect(current('UNRATE', JULY)).toHaveLength(1);
  });

  it('leaves the series and all its vintages to the agency once the key is gone', async () => {
    storeFill(db, whole());
    append('UNRATE', AUGUST, 4.2);
    await refresh({ now: new Date('2026-09-05T14:00:00Z') });
    expect(findSeries(db, 'UNRATE')).toMatchObject({ agency: 'bls', lastVintage: null });
    expect(rowsOf(JULY)).toEqual([vintage(JULY, 4.1, '2026-08-07')]);
    // Once set again, the key brings the whole series, not an update.
    const gap = whole({ since: '2026-09-04' });
    expect(() => storeFill(db, gap)).toThrow('leaves a gap');
  });

  it.each<[string, (each: Vintage) => Vintage[], Vintage[]]>([
    [
      'begins before the figures stored until then',
      (each) => [each],
      [vintage('1947-12-01', 3.9, '2026-08-07')],
    ],
    [
      'has revised a figure that the agency no longer sends',
      (each) => (each.date === '2016-12-01' ? [{ ...each, value: 9 }] : [each]),
      [],
    ],
    ['has a month that the agency lacks', (each) => [each], [vintage(AUGUST, 4.2, '2026-08-07')]],
  ])('keeps a series but marks it stale without the key if it %s', async (_, change, more) => {
    const vintages = [...whole().vintages.flatMap(change), ...more].sort(compareVintages);
    storeFill(db, whole({ vintages }));
    const before = readVintages(db, 'UNRATE');
    db.exec('UPDATE macro_series SET next_due = NULL');
    expect((await refresh()).failed).toEqual(['UNRATE']);
    expect(readVintages(db, 'UNRATE')).toEqual(before);
    expect(findSeries(db, 'UNRATE')).toMatchObject({
      ...{ origin: 'fred', agency: null, stale: 1 },
      fault: expect.stringContaining('does not send all figures that FRED provided'),
    });
  });

  it('rebases a series, whose older vintages keep their units', () => {
    storeFill(db, whole());
    const rebased = '2026-11-06';
    const units = 'Percent of the labor force';
    const vintages = whole().vintages.flatMap((each) => [
      { ...each, rtStart: '2026-09-04', knownFrom: '2026-09-04', rtEnd: '2026-11-05' },
      vintage(each.date, (each.value ?? 0) * 3, rebased),
    ]);
    storeFill(
      db,
      whole({
        since: '2026-09-04',
        lastVintage: rebased,
        vintages,
        description: description(units),
      }),
    );
    expect(findSeries(db, 'UNRATE')).toMatchObject({ units });
    const july = db
      .prepare("SELECT value, units FROM macro_as_of WHERE series_id = 'UNRATE' AND date = ?")
      .all(JULY);
    expect(july).toEqual([
      { value: 4.1, units: 'Percent' },
      { value: expect.closeTo(12.3), units },
    ]);
  });
});

describe('an index that an agency moves to another base', () => {
  const UNITS = 'Index 2022=100';
  const rebase = (figures: readonly Figure[]) => {
    sent = sent.map((series) =>
      series.seriesId === 'CPILFESL' ? { ...series, units: UNITS, figures } : series,
    );
  };
  /** Stored figures since a date, divided by three. */
  const moved = (start: string) =>
    storedOf('CPILFESL', start).map(({ date, value }) => ({ date, value: value && value / 3 }));

  it('is replaced whole, and earlier vintages stay on the old base', async () => {
    rebase(moved(''));
    expect((await refresh()).changed).toContain('CPILFESL');
    expect(findSeries(db, 'CPILFESL')?.units).toBe(UNITS);
    const june = db
      .prepare("SELECT value, units FROM macro_as_of WHERE series_id = 'CPILFESL' AND date = ?")
      .all('2026-06-01') as { value: number; units: string }[];
    expect(june.map(({ units }) => units)).toEqual(['Index 1982-1984=100', UNITS]);
    expect((june[0]?.value ?? 0) / (june[1]?.value ?? 1)).toBeCloseTo(3);
    // The next delivery continues the new base.
    append('CPILFESL', '2026-08-01', 112);
    expect((await refresh({ now: new Date('2026-09-19T14:00:00Z') })).failed).toEqual([]);
    expect(current('CPILFESL', '2026-08-01')).toMatchObject([{ value: 112 }]);
  });

  it('keeps its new base when an older package is installed', async () => {
    rebase(moved(''));
    await refresh();
    for (const slice of renewStarterSeries(db, filled)) slice();
    expect(findSeries(db, 'CPILFESL')?.units).toBe(UNITS);
    expect(current('CPILFESL', '2026-06-01')[0]?.value).toBeLessThan(150);
  });

  it('stays unchanged while it contains a value that no change of base explains', async () => {
    rebase([...moved(''), { date: '2026-08-01', value: 9_999_999 }]);
    expect(await refresh()).toMatchObject({
      failed: ['CPILFESL'],
      fault: expect.stringContaining('2026-08-01 is implausible'),
    });
    expect(findSeries(db, 'CPILFESL')?.units).toBe('Index 1982-1984=100');
    expect(current('CPILFESL', '2026-08-01')).toEqual([]);
  });

  it('stays unchanged while only part of it has arrived', async () => {
    rebase(moved('2017-01-01'));
    expect(await refresh()).toMatchObject({
      failed: ['CPILFESL'],
      fault: expect.stringContaining('different base or unit'),
    });
    expect(findSeries(db, 'CPILFESL')?.units).toBe('Index 1982-1984=100');
  });
});

it('requests a file again from a server whose clock was ahead, since no later file would seem newer', () => {
  const version = { etag: null, lastModified: 'Wed, 26 Aug 2099 12:30:00 GMT' };
  const stored = storedFigures(db, NOW);
  stored.keepVersion('http://fed/ahead', version);
  stored.keepVersion('http://fed/past', {
    ...version,
    lastModified: 'Wed, 26 Aug 2026 12:30:00 GMT',
  });
  stored.saveVersions();
  expect(stored.versionOf('http://fed/ahead')).toBeUndefined();
  expect(stored.versionOf('http://fed/past')).toBeDefined();
});

describe('an implausible figure', () => {
  const AUGUST = '2026-08-01';

  it('is held back alone, makes its series stale, is requested again before the next release, and is stored once repeated', async () => {
    await refresh();
    append('CPIAUCSL', AUGUST, 999_999);
    append('UNRATE', AUGUST, 4.2);
    db.exec("UPDATE macro_series SET next_due = '2026-10-14T12:30:00.000Z'");
    expect(await refresh()).toMatchObject({ changed: ['UNRATE'], failed: ['CPIAUCSL'] });
    expect(current('CPIAUCSL', AUGUST)).toEqual([]);
    const state = stateOf('CPIAUCSL');
    expect(state).toMatchObject({ stale: 1, fault: expect.stringContaining('held back') });
    expect(state.nextDue).toBeNull();
    expect(state.retryAt && state.retryAt < '2026-09-20').toBe(true);
    append('CPIAUCSL', AUGUST, 999_998);
    expect((await refresh()).failed).toEqual(['CPIAUCSL']);
    expect((await refresh()).changed).toEqual(['CPIAUCSL']);
    expect(stateOf('CPIAUCSL')).toMatchObject({ stale: 0, fault: null });
  });

  it('is forgotten when the next reply corrects it', async () => {
    append('UNRATE', AUGUST, -4.2);
    expect((await refresh()).failed).toEqual(['UNRATE']);
    append('UNRATE', AUGUST, 4.2);
    expect((await refresh()).changed).toEqual(['UNRATE']);
    append('UNRATE', AUGUST, -4.2);
    expect((await refresh()).failed).toEqual(['UNRATE']);
  });

  it('that the store refuses affects only its series', async () => {
    db.exec(`
      CREATE TRIGGER refuse BEFORE INSERT ON macro_vintage WHEN new.series_id = 'UNRATE'
      BEGIN SELECT RAISE(ABORT, 'no'); END`);
    append('UNRATE', AUGUST, 4.2);
    append('CPIAUCSL', AUGUST, 333.1);
    expect(await refresh()).toMatchObject({ changed: ['CPIAUCSL'], failed: ['UNRATE'] });
  });
});

it("a newer package keeps an agency's months and revisions", async () => {
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
