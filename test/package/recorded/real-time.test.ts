import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Database as Store } from 'better-sqlite3';
import { group } from 'd3-array';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { iterateKnown, type KnownRow } from '../../../src/areas/macro/as-of.ts';
import { shiftDay } from '../../../src/core/time.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { describeShared } from '../../shared.ts';
import { starterStore } from '../../starter.ts';

// Compares the values that the bundled shelf gives for a day with recordings from that day.

let db: Store;

beforeAll(async () => {
  db = new Database(await starterStore(), { readonly: true });
});

afterAll(() => {
  db.close();
});

function knownOn(id: string, asOf: string): Map<string, KnownRow> {
  const rows = iterateKnown(db, id, { asOf, vintages: false, strict: false });
  return new Map([...rows].map((row) => [row.date, row]));
}

function readCsv(path: string): string[][] {
  const bytes = readFileSync(path);
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  const lines = text.toString().trim().split('\n').slice(1);
  return lines.map((line) => line.trim().split(','));
}

/** Maximum number of days: checking all days of a long series takes minutes. */
const MOST = process.env.LONG_TESTS === '1' ? 10_000 : 120;

/** A recorded value, and the first day on which it may have been published. */
interface Recorded {
  date: string;
  value: number | undefined;
  day: string;
}

/** Days on which a recording changes, the day before each and the day `later` days after: about `MOST`. */
function daysAround(changes: readonly Recorded[], later: number): string[] {
  const starts = [...new Set(changes.map(({ day }) => day))].sort().slice(1);
  const step = Math.ceil((3 * starts.length) / MOST);
  const days = starts
    .filter((_, at) => at % step === 0)
    .flatMap((day) => [shiftDay(day, -1), day, shiftDay(day, later)]);
  return [...new Set(days)].filter((day) => day <= (starts.at(-1) ?? '')).sort();
}

/**
 * Queries the shelf as of each of `days`. Expects no value before a recording has it; returns the share of
 * the recording's values of the last two years that the shelf withholds.
 */
function replay(id: string, recorded: readonly Recorded[], days: readonly string[], margin = 1e-9) {
  const sorted = [...recorded].sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
  const values = new Map<string, Set<number>>();
  const newest = new Map<string, number | undefined>();
  const counts = { ahead: 0, known: 0, withheld: 0 };
  const examples: unknown[] = [];
  let at = 0;
  for (const day of days) {
    for (; (sorted[at]?.day ?? '9') <= day; at += 1) {
      const { date = '', value } = sorted[at] ?? {};
      newest.set(date, value);
      if (value !== undefined) values.set(date, (values.get(date) ?? new Set()).add(value));
    }
    const rows = knownOn(id, day);
    const isNear = (a: number, b: number) => Math.abs(a - b) <= margin;
    for (const { date, value } of rows.values()) {
      if (value === null || [...(values.get(date) ?? [])].some((each) => isNear(each, value))) {
        continue;
      }
      counts.ahead += 1;
      examples.push([id, day, date, value]);
    }
    for (const [date, value] of newest) {
      if (value === undefined || date < shiftDay(day, -730)) continue;
      counts.known += 1;
      const told = rows.get(date)?.value;
      if (typeof told !== 'number' || !isNear(told, value)) counts.withheld += 1;
    }
  }
  const share = ((100 * counts.withheld) / Math.max(1, counts.known)).toFixed(1);
  process.stdout.write(`${id}: ${days.length} days, ${counts.ahead} ahead, ${share} % withheld\n`);
  expect(examples.slice(0, 5)).toEqual([]);
  return counts.withheld / Math.max(1, counts.known);
}

/** The changes in a recording, each with the first day on which it may have been published. */
function changesOf(path: string, earliest: (vintage: string) => string): Recorded[] {
  return readCsv(path).map(([vintage = '', date = '', value = '']) => ({
    date,
    day: earliest(vintage),
    value: value === '' ? undefined : Number(value),
  }));
}

/** The day after the middle of the quarter before a vintage's. */
function quarterBefore(vintage: string): string {
  const [year, quarter] = vintage.split('-Q').map(Number);
  const month = new Date(Date.UTC(year ?? 0, 3 * (quarter ?? 1) - 5, 16));
  return month.toISOString().slice(0, 10);
}

describeShared('with recorded vintages', 'data/macro/realtime', (recordings) => {
  const days = new Map<string, string>();
  for (const [release = '', , day = ''] of readCsv(join(recordings, 'release-days.csv'))) {
    const key = `${release} ${day.slice(0, 7)}`;
    if (day > (days.get(key) ?? '')) days.set(key, day);
  }
  const official = (release: string) => (vintage: string) =>
    days.get(`${release} ${vintage}`) ?? `${vintage}-28`;
  const from = (day: number) => (vintage: string) => `${vintage}-${String(day).padStart(2, '0')}`;

  it.each([
    ['PAYEMS', 'rtdsm-payrolls-PAYEMS', official('employment_situation'), 0.01],
    ['CPIAUCSL', 'rtdsm-cpi-CPIAUCSL-monthly-vintages', official('cpi'), 0.01],
    ['UNRATE', 'fredmd-UNRATE', official('employment_situation'), 0.05],
    ['INDPRO', 'rtdsm-industrial-production-INDPRO', from(12), 0.5],
    ['HOUST', 'rtdsm-housing-starts-HOUST', from(12), 0.2],
    ['PERMIT', 'fredmd-PERMIT', from(1), 0.3],
    ['M2SL', 'fredmd-M2SL', from(1), 0.6],
    ['PCEPI', 'fredmd-PCEPI', from(1), 0.4],
    ['GDPC1', 'rtdsm-real-output-GDPC1-quarterly-vintages', quarterBefore, 0.9],
    // These two end where the monthly recordings begin.
    ['CPIAUCSL', 'rtdsm-cpi-CPIAUCSL-quarterly-vintages', quarterBefore, 0.3, '1998-10-31'],
    ['UNRATE', 'rtdsm-unemployment-UNRATE-quarterly-vintages', quarterBefore, 0.3, '1999-07-31'],
  ] as const)(
    'the vintages of %s in %s contain every served value by the day for which it is served',
    (...row) => {
      const [id, file, earliest, most, until = '9999'] = row;
      const changes = changesOf(join(recordings, `${file}.csv.gz`), earliest);
      const days = daysAround(changes, 9).filter((day) => day <= until);
      // The shelf has unemployment figures from before the recording begins, and may serve them at any time.
      const older = { until: '1958-12-31', vintages: true, strict: false };
      const known = file === 'fredmd-UNRATE' ? [...iterateKnown(db, id, older)] : [];
      const extra = known.map(({ date, value }) => ({ date, value: value ?? undefined, day: '0' }));
      expect(replay(id, [...extra, ...changes], days)).toBeLessThan(most);
    },
  );

  it('the GDP growth rates served match those computed from recorded levels, to the precision of the levels', () => {
    const file = 'rtdsm-real-output-GDPC1-quarterly-vintages.csv.gz';
    const levels = new Map<string, number>();
    const told = new Map<string, number | undefined>();
    const changes: Recorded[] = [];
    const byVintage = group(readCsv(join(recordings, file)), ([vintage = '']) => vintage);
    for (const [vintage, rows] of byVintage) {
      for (const [, date = '', value = ''] of rows) {
        if (value === '') levels.delete(date);
        else levels.set(date, Number(value));
      }
      for (const date of levels.keys()) {
        const month = new Date(date);
        month.setUTCMonth(month.getUTCMonth() - 3);
        const before = levels.get(month.toISOString().slice(0, 10));
        if (before === undefined) continue;
        const value = (((levels.get(date) ?? 0) / before) ** 4 - 1) * 100;
        if (told.get(date) === value) continue;
        told.set(date, value);
        changes.push({ date, value, day: quarterBefore(vintage) });
      }
    }
    const days = daysAround(changes, 45).filter((day) => day <= '2026-02-15');
    // Half the last decimal of a rate, plus the effect of rounding two levels of about 2,000.
    expect(replay('A191RL1Q225SBEA', changes, days, 0.07)).toBeLessThan(0.9);
  });

  it('the oil and gas prices served for 20 recorded evenings are never newer than the recorded ones, and equal at least 18 of them', () => {
    const evenings = readCsv(join(recordings, 'frozen-oil-gas.csv'));
    const told = evenings.map(([id = '', day = '', shown = '']) => {
      const last = [...knownOn(id, day).values()].findLast(({ value }) => value !== null);
      const all = [...iterateKnown(db, id, { until: day, vintages: false, strict: false })];
      const then = all.findLast(
        ({ value }) => value !== null && Math.abs(value - Number(shown)) < 1e-9,
      );
      const isEqual = Math.abs((last?.value ?? 0) - Number(shown)) < 1e-9;
      return { id, day, isEqual, last: last?.date ?? '', expected: then?.date ?? '' };
    });
    expect(told).toHaveLength(20);
    expect(told.filter(({ last, expected }) => last > expected)).toEqual([]);
    expect(told.filter(({ isEqual }) => isEqual).length).toBeGreaterThanOrEqual(18);
  });
});

describeShared('the daily pulls', 'data/macro/vintages-by-pull-date.csv', (path) => {
  const rows = readCsv(path).map(([id = '', date = '', value = '', day = '']) => ({
    // Before 22 March, only the first day was pulled.
    id,
    date,
    day: day === '2026-03-22' ? '2026-03-16' : day,
    value: Number(value),
  }));

  it.each(['CPIAUCSL', 'FEDFUNDS', 'INDPRO', 'PAYEMS', 'PCEPILFE', 'UNRATE'])(
    'contain every served value of %s by the day for which it is served',
    (id) => {
      const changes = rows.filter((row) => row.id === id);
      expect(replay(id, changes, daysAround(changes, 1))).toBeLessThan(0.02);
    },
  );
});

describeShared('all vintages of GDP', 'data/macro/fred-api', (recorded) => {
  it('are served from their own day on, and not before', () => {
    const file = '036_fred_series_observations_200.json';
    const { observations } = JSON.parse(readFileSync(join(recorded, file), 'utf8'));
    const changes = observations.map((row: Record<string, string>) => ({
      date: row.date,
      day: row.realtime_start,
      value: row.value === '.' ? undefined : Number(row.value),
    }));
    expect(new Set(changes.map(({ day }: Recorded) => day)).size).toBe(395);
    expect(replay('GDP', changes, daysAround(changes, 30))).toBe(0);
  });
});
