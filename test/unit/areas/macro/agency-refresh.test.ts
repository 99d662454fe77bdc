import type { Database } from 'better-sqlite3';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillMacro } from '../../../../scripts/starter/macro-fill.ts';
import { storedFigures } from '../../../../src/areas/macro/deliveries.ts';
import { compareVintages } from '../../../../src/areas/macro/facts/vintages.ts';
import { storeFill } from '../../../../src/areas/macro/fills.ts';
import { findSeries, listCurrent } from '../../../../src/areas/macro/queries.ts';
import { replaceVintages } from '../../../../src/areas/macro/series.ts';
import { type AgencySeries, byDate, type Feed } from '../../../../src/areas/macro/sources/feed.ts';
import type { Fill } from '../../../../src/areas/macro/sources/fred-vintages.ts';
import { renewStarterSeries } from '../../../../src/areas/macro/starter.ts';
import { agencySource, visit } from '../../../../src/areas/macro/visit.ts';
import { shiftDay } from '../../../../src/core/time.ts';
import { starterMacro } from '../../../starter.ts';
import { archiveOf, fillOf, readVintages, vintage } from './model.ts';
import { copyShelf, makeShelf } from './shelf.ts';
import { signal } from './sources/start-agency.ts';

const starter = await starterMacro();
const BLS = ['CPIAUCSL', 'CPILFESL', 'UNRATE', 'PAYEMS'];
const NOW = new Date('2026-09-18T14:00:00Z');
const JULY = '2026-07-01';
const AUGUST = '2026-08-01';

type Figures = AgencySeries['figures'];

let filled: Database;
let db: Database;
/** What the BLS sends: by default what is stored of the last ten years. */
let sent: AgencySeries[];

beforeAll(() => {
  filled = makeShelf();
  fillMacro(filled, { ...starter, series: starter.series.filter((s) => BLS.includes(s.seriesId)) });
});
beforeEach(() => {
  db = copyShelf(filled);
  sent = BLS.map((seriesId) => ({ seriesId, figures: storedOf(seriesId) }));
});

const storedOf = (seriesId: string, start = '2017-01-01') =>
  listCurrent(db, seriesId, { start }).map(({ date, value }) => ({ date, value }));

/** Changes what the BLS sends of a series. */
function change(seriesId: string, figuresOf: (figures: Figures) => Figures) {
  sent = sent.map((series) =>
    series.seriesId === seriesId ? { ...series, figures: figuresOf(series.figures) } : series,
  );
}

function publish(seriesId: string, date: string, value: number | null, released?: string) {
  const figure = { date, value, ...(released === undefined ? {} : { released }) };
  change(seriesId, (figures) =>
    [...figures.filter((each) => each.date !== date), figure].sort(byDate),
  );
}

function refresh(now = NOW) {
  const feed: Feed = { name: 'bls', agency: 'bls', seriesIds: BLS, fetch: async () => sent };
  return visit({ db, now: () => now, log() {} }, agencySource(feed), signal);
}

const current = (seriesId: string, date: string) =>
  listCurrent(db, seriesId, { start: date, end: date });
const valueKnownOn = (day: string, seriesId: string, date: string) =>
  archiveOf(db, seriesId)(date, day)?.value;

describe('a figure from an agency', () => {
  it('is added without changing the stored figures', async () => {
    const before = storedOf('CPIAUCSL', '');
    publish('CPIAUCSL', AUGUST, 333.1);
    expect(await refresh()).toMatchObject({ changed: ['CPIAUCSL'], failed: [], fault: null });
    expect(storedOf('CPIAUCSL', '')).toEqual([...before, { date: AUGUST, value: 333.1 }]);
    expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
      agency: 'bls',
      observationEnd: AUGUST,
      taken: NOW.toISOString(),
      stale: 0,
    });
  });

  // Days of 2026: of the file, of the refresh, and of the publication.
  it.each([
    ['the announced day', 'CPIAUCSL', AUGUST, '', '09-18', '09-11', 0],
    ['the day that the agency states', 'CPIAUCSL', AUGUST, '09-10', '09-18', '09-10', 1],
    ['the announced day if its file is later', 'CPIAUCSL', AUGUST, '11-20', '11-22', '09-11', 0],
    ['the day of its file if it is a revision', 'PAYEMS', JULY, '09-16', '09-18', '09-16', 0],
    ['the day of a visit that finds a revision', 'PAYEMS', JULY, '', '09-18', '09-18', 0],
    ['Friday if it is a revision seen on Saturday', 'PAYEMS', JULY, '', '09-19', '09-18', 0],
  ])('counts as published on %s', async (_, seriesId, date, file, today, day, exact) => {
    const before = current(seriesId, date)[0]?.value;
    publish(seriesId, date, (before ?? 333) + 1, file === '' ? undefined : `2026-${file}`);
    await refresh(new Date(`2026-${today}T14:00:00Z`));
    const rtStart = `2026-${day}`;
    expect(current(seriesId, date)).toMatchObject([{ rtStart, exact }]);
    expect(valueKnownOn(shiftDay(rtStart, -1), seriesId, date)).toBe(before);
  });

  it('that first arrives together with a later month counts as published with that month', async () => {
    const months = [AUGUST, '2026-09-01'];
    for (const month of months) publish('PAYEMS', month, 159_000);
    await refresh(new Date('2026-10-09T14:00:00Z'));
    for (const month of months) {
      expect(current('PAYEMS', month)).toMatchObject([{ rtStart: '2026-10-02' }]);
    }
  });

  it('replaces an earlier figure from the same day, and its day stays exact', async () => {
    for (const value of [333.1, 333.2]) {
      publish('CPIAUCSL', AUGUST, value, '2026-09-10');
      await refresh(new Date('2026-09-10T14:00:00Z'));
    }
    const row = { value: 333.2, rtStart: '2026-09-10', exact: 1 };
    expect(current('CPIAUCSL', AUGUST)).toMatchObject([row]);
  });

  it('is dropped if it is infinite', async () => {
    for (const date of [JULY, AUGUST]) publish('CPIAUCSL', date, Number.POSITIVE_INFINITY);
    expect(await refresh()).toMatchObject({ changed: [], failed: [] });
  });

  it('without a value is stored for a new period, but replaces no stored figure', async () => {
    for (const date of [JULY, AUGUST]) publish('UNRATE', date, null);
    await refresh();
    expect(storedOf('UNRATE', JULY).map(({ value }) => value)).toEqual([4.1, null]);
  });

  it('changes nothing when it is sent again', async () => {
    publish('CPIAUCSL', AUGUST, 333.1);
    await refresh();
    const before = BLS.map((seriesId) => readVintages(db, seriesId));
    expect(await refresh()).toMatchObject({ changed: [], failed: [] });
    expect(BLS.map((seriesId) => readVintages(db, seriesId))).toEqual(before);
  });
});

it('a delivery fails only for the series that it lacks or sends on another base', async () => {
  publish('UNRATE', AUGUST, 4.2);
  change('CPIAUCSL', (figures) =>
    figures.map(({ date, value }) => ({ date, value: value && value / 10 })),
  );
  sent = sent.filter(({ seriesId }) => seriesId !== 'CPILFESL');
  expect(await refresh()).toMatchObject({
    changed: ['UNRATE'],
    failed: ['CPIAUCSL', 'CPILFESL'],
  });
  expect(current('CPIAUCSL', JULY)[0]?.value).toBeGreaterThan(300);
  expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
    stale: 1,
    agency: null,
    fault: expect.stringMatching(
      /different base or unit.*set FRED_API_KEY or install a newer QuantShelf/,
    ),
  });
  expect(findSeries(db, 'UNRATE')).toMatchObject({ stale: 0, agency: 'bls' });
});

describe('a FRED fill of a series that an agency also publishes', () => {
  const rowsOf = (date: string) => readVintages(db, 'UNRATE').filter((row) => row.date === date);
  /** A full fill in which every value dates from one day. */
  const whole = (more: Partial<Fill> = {}): Fill => {
    const vintages = listCurrent(filled, 'UNRATE', { start: '', end: JULY }).map(
      ({ date, value }) => vintage(date, value, '2026-08-07'),
    );
    return fillOf({ seriesId: 'UNRATE', lastVintage: '2026-09-04', vintages, ...more });
  };

  it.each([
    ["the agency's new figure", AUGUST, '2026-09-05', [vintage(AUGUST, 4.2, '2026-09-04')]],
    [
      "a figure as new as the agency's revision",
      JULY,
      '2026-09-08',
      [vintage(JULY, 4.1, '2026-08-07', { rtEnd: '2026-10-01' }), vintage(JULY, 4.2, '2026-10-02')],
    ],
  ])(
    'takes the series over with its own vintages, but only once it has %s',
    async (_, date, day, update) => {
      publish('UNRATE', date, 4.3);
      await refresh(new Date(`${day}T20:00:00Z`));
      expect(() => storeFill(db, whole())).toThrow("does not have all the agency's figures yet");
      expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'starter', agency: 'bls' });
      const others = whole().vintages.filter((each) => each.date !== date);
      const { rtStart: lastVintage = '' } = update.at(-1) ?? {};
      storeFill(db, whole({ lastVintage, vintages: [...others, ...update] }));
      expect(rowsOf(date)).toEqual(update);
      expect(findSeries(db, 'UNRATE')).toMatchObject({ origin: 'fred', agency: null });
    },
  );

  it("keeps vintages older than FRED's", () => {
    const older = vintage(JULY, 4, '2026-08-05', { rtEnd: '2026-08-19' });
    replaceVintages(db, 'UNRATE', rowsOf(JULY), [older, vintage(JULY, 4.1, '2026-08-20')]);
    storeFill(db, whole());
    expect(rowsOf(JULY)).toEqual([
      { ...older, rtEnd: '2026-08-06' },
      vintage(JULY, 4.1, '2026-08-07'),
    ]);
  });

  it('lets the agency take the series over with all vintages once the key is removed', async () => {
    storeFill(db, whole());
    publish('UNRATE', AUGUST, 4.2);
    await refresh(new Date('2026-09-05T14:00:00Z'));
    expect(findSeries(db, 'UNRATE')).toMatchObject({ agency: 'bls', lastVintage: null });
    expect(rowsOf(JULY)).toEqual([vintage(JULY, 4.1, '2026-08-07')]);
    // Once set again, the key brings the whole series, not an update.
    expect(() => storeFill(db, whole({ since: '2026-09-04' }))).toThrow('leaves a gap');
  });

  it.each([
    ['has a figure from before the bundled ones', '1947-12-01'],
    ['has revised a figure that the agency no longer sends', '2016-12-01'],
  ])('is kept, but becomes stale, if the key is removed and FRED %s', async (_, date) => {
    const others = whole().vintages.filter((each) => each.date !== date);
    const vintages = [...others, vintage(date, 9, '2026-08-07')].sort(compareVintages);
    storeFill(db, whole({ vintages }));
    const before = readVintages(db, 'UNRATE');
    db.exec('UPDATE macro_series SET next_due = NULL');
    expect((await refresh()).failed).toEqual(['UNRATE']);
    expect(readVintages(db, 'UNRATE')).toEqual(before);
    expect(findSeries(db, 'UNRATE')).toMatchObject({
      origin: 'fred',
      agency: null,
      stale: 1,
      fault: expect.stringContaining('does not send all the figures that FRED provided'),
    });
  });

  it('rebases the series, but leaves older vintages in their old units', () => {
    storeFill(db, whole());
    const units = 'Percent of the labor force';
    const vintages = whole().vintages.flatMap((each) => [
      { ...each, rtStart: '2026-09-04', knownFrom: '2026-09-04', rtEnd: '2026-11-05' },
      vintage(each.date, (each.value ?? 0) * 3, '2026-11-06'),
    ]);
    const description = {
      title: 'Unemployment Rate',
      units,
      lastUpdated: '2026-08-07T13:00:00.000Z',
      observationStart: '1948-01-01',
      observationEnd: JULY,
    };
    storeFill(db, whole({ since: '2026-09-04', lastVintage: '2026-11-06', vintages, description }));
    expect(findSeries(db, 'UNRATE')).toMatchObject({ units });
    expect(basesOf('UNRATE', JULY)).toEqual([
      { value: 4.1, units: 'Percent' },
      { value: expect.closeTo(12.3), units },
    ]);
  });
});

/** All values of a date, in the units of their time. */
const basesOf = (seriesId: string, date: string) =>
  db
    .prepare('SELECT value, units FROM macro_as_of WHERE series_id = ? AND date = ?')
    .all(seriesId, date);

describe('an index that an agency rebases', () => {
  const [OLD, NEW] = ['Index 1982-1984=100', 'Index 2022=100'];
  const rebase = (figures: Figures) => {
    sent = sent.map((series) =>
      series.seriesId === 'CPILFESL' ? { ...series, units: NEW, figures } : series,
    );
  };
  /** Stored figures since a date, divided by three. */
  const moved = (start: string) =>
    storedOf('CPILFESL', start).map(({ date, value }) => ({ date, value: value && value / 3 }));

  it('is replaced as a whole, but its earlier vintages stay on the old base', async () => {
    const june = current('CPILFESL', '2026-06-01')[0]?.value ?? 0;
    rebase(moved(''));
    expect((await refresh()).changed).toContain('CPILFESL');
    expect(findSeries(db, 'CPILFESL')?.units).toBe(NEW);
    expect(basesOf('CPILFESL', '2026-06-01')).toEqual([
      { value: june, units: OLD },
      { value: expect.closeTo(june / 3), units: NEW },
    ]);
    // The next delivery continues the new base.
    publish('CPILFESL', AUGUST, 112);
    expect((await refresh(new Date('2026-09-19T14:00:00Z'))).failed).toEqual([]);
    expect(current('CPILFESL', AUGUST)).toMatchObject([{ value: 112 }]);
  });

  it('keeps its new base when a package with the old one is installed', async () => {
    rebase(moved(''));
    await refresh();
    for (const slice of renewStarterSeries(db, filled)) slice();
    expect(findSeries(db, 'CPILFESL')?.units).toBe(NEW);
    expect(current('CPILFESL', '2026-06-01')[0]?.value).toBeLessThan(150);
  });

  it.each<[string, () => Figures, string]>([
    [
      'has a value that no change of base explains',
      () => [...moved(''), { date: AUGUST, value: 9_999_999 }],
      '2026-08-01 is implausible',
    ],
    ['has only part of the history', () => moved('2017-01-01'), 'different base or unit'],
  ])('stays unchanged if the response %s', async (_, figuresOf, fault) => {
    rebase(figuresOf());
    expect(await refresh()).toMatchObject({
      failed: ['CPILFESL'],
      fault: expect.stringContaining(fault),
    });
    expect(findSeries(db, 'CPILFESL')?.units).toBe(OLD);
    expect(current('CPILFESL', AUGUST)).toEqual([]);
  });
});

describe('an unchanged agency file', () => {
  const keep = (lastModified: string | null) => {
    const files = storedFigures(db, NOW);
    files.keepVersion('http://fed/file', { etag: '"1"', lastModified });
    files.saveVersions();
    return () => files.versionOf('http://fed/file');
  };

  it("is downloaded again if its server's clock was fast, because no later file would seem newer", () => {
    expect(keep('Wed, 26 Aug 2026 12:30:00 GMT')()).toBeDefined();
    expect(keep('Wed, 26 Aug 2099 12:30:00 GMT')()).toBeUndefined();
  });

  it('is downloaded again after a fill from FRED, in case the key is removed later', () => {
    const version = keep(null);
    expect(version()).toEqual({ etag: '"1"', lastModified: null });
    storeFill(
      db,
      fillOf({ seriesId: 'UNRATE', vintages: listCurrent(db, 'UNRATE', { start: '' }) }),
    );
    expect(version()).toBeUndefined();
  });
});

describe('a figure', () => {
  it('that is implausible is held back alone, and its series becomes stale and is retried the next day', async () => {
    await refresh();
    publish('CPIAUCSL', AUGUST, 999_999);
    publish('UNRATE', AUGUST, 4.2);
    db.exec("UPDATE macro_series SET next_due = '2026-10-14T12:30:00.000Z'");
    expect(await refresh()).toMatchObject({ changed: ['UNRATE'], failed: ['CPIAUCSL'] });
    expect(current('CPIAUCSL', AUGUST)).toEqual([]);
    expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
      stale: 1,
      nextDue: null,
      retryAt: expect.stringMatching(/^2026-09-19/),
    });
  });

  it('that is implausible is forgotten if the next response corrects it, and stored if the next response repeats it', async () => {
    for (const [value, result] of [
      [-4.2, { failed: ['UNRATE'] }],
      [4.2, { changed: ['UNRATE'] }],
      [-4.2, { failed: ['UNRATE'] }],
      [-4.2, { changed: ['UNRATE'] }],
    ] as const) {
      publish('UNRATE', AUGUST, value);
      expect(await refresh()).toMatchObject(result);
    }
  });

  it('that the store refuses fails only its own series', async () => {
    db.exec(`
      CREATE TRIGGER refuse BEFORE INSERT ON macro_vintage WHEN new.series_id = 'UNRATE'
      BEGIN SELECT RAISE(ABORT, 'no'); END`);
    publish('UNRATE', AUGUST, 4.2);
    publish('CPIAUCSL', AUGUST, 333.1);
    expect(await refresh()).toMatchObject({ changed: ['CPIAUCSL'], failed: ['UNRATE'] });
  });
});

it("installing a package keeps an agency's newer months and revisions", async () => {
  publish('CPIAUCSL', AUGUST, 333.1);
  publish('CPIAUCSL', '2026-06-01', 332.6);
  await refresh();
  for (const slice of renewStarterSeries(db, filled)) slice();
  expect(current('CPIAUCSL', AUGUST)).toMatchObject([{ value: 333.1 }]);
  const [older, newer] = readVintages(db, 'CPIAUCSL').filter(({ date }) => date === '2026-06-01');
  expect(older).toMatchObject({ value: 332.568, knownFrom: '2026-07-14' });
  expect(newer).toMatchObject({ value: 332.6, rtEnd: null, knownFrom: newer?.rtStart });
  expect(older?.rtEnd).toBe(shiftDay(newer?.rtStart ?? '', -1));
  expect(findSeries(db, 'CPIAUCSL')).toMatchObject({
    agency: 'bls',
    observationEnd: AUGUST,
    taken: NOW.toISOString(),
    nextDue: null,
  });
});
