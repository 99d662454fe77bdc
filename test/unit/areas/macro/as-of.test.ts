import { afterAll, describe, expect, it } from 'vitest';
import { exportMacro, type MacroExport } from '../../../../src/areas/macro/export.ts';
import { macroPrompts } from '../../../../src/areas/macro/prompts.ts';
import { macroResources } from '../../../../src/areas/macro/resources.ts';
import type { StoredShelf } from '../../../../src/core/context.ts';
import { Database } from '../../../../src/store/sqlite.ts';
import { shift } from '../../../stand-ins/fred-history.ts';
import { starterStore } from '../../../starter.ts';

const REMEDY =
  'macro_indicator_history fetches them with your own FRED_API_KEY, free at https://fred.stlouisfed.org/docs/api/api_key.html.';
const NEVER_STORED = `No figures are stored for us.volatility.vix, us.mortgage.30y. ${REMEDY}`;
const NOT_BUNDLED = `No figures for us.mortgage.30y are stored, because they are copyrighted by Freddie Mac and therefore not bundled. ${REMEDY}`;

const db = new Database(await starterStore(), { readonly: true });
const now = () => new Date('2026-11-21T12:00:00Z');
const shelf: StoredShelf = { db, now, policy: 'personal' };
afterAll(() => db.close());

function tableOf(indicators: readonly string[], more: Partial<MacroExport> = {}) {
  const table = exportMacro(db, { indicators, ...more });
  return { ...table, rows: [...table.rows] };
}

/** The only known value; undefined if there was none, or more than one. */
function valueAt(id: string, date: string, asOf: string, strict = false) {
  const [row, ...more] = tableOf([id], { asOf, since: date, until: date, strict }).rows;
  return more.length === 0 ? row?.[2] : undefined;
}

it.each([
  // From FRED-MD as of spring 2026; the GDP and core CPI from FRED's responses of 2024 and 2025.
  ['CPIAUCSL', '2016-01-01', '2026-03-20', 237.652],
  ['CPIAUCSL', '2016-07-01', '2026-03-20', 240.101],
  ['CPILFESL', '2024-09-01', '2024-10-10', 320.767],
  ['CPILFESL', '2024-12-01', '2025-01-15', 323.383],
  ['GDP', '1972-07-01', '1996-04-06', 1247.6],
  ['INDPRO', '2000-01-01', '2026-03-20', 91.538],
  ['INDPRO', '2000-12-01', '2026-03-20', 92.3415],
  // The recorded levels, which are unrevised, have one decimal and give 3.7.
  ['A191RL1Q225SBEA', '2015-01-01', '2025-06-01', 3.6],
  ['PAYEMS', '2010-07-01', '2026-03-20', 130_415],
  ['PAYEMS', '2013-02-01', '2026-03-20', 135_546],
  ['UNRATE', '2019-01-01', '2026-03-20', 4],
  ['UNRATE', '2019-03-01', '2026-03-20', 3.8],
  // Around the payrolls release of 9 January 2009, and long after it.
  ['PAYEMS', '2008-11-01', '2009-01-08', 136_167],
  ['PAYEMS', '2008-11-01', '2009-01-09', 136_013],
  ['PAYEMS', '2008-12-01', '2026-01-31', 134_847],
])('the bundled value of %s for %s as of %s is %d', (id, date, day, value) => {
  expect(valueAt(id, date, day)).toBe(value);
});

describe('real-time vintages', () => {
  it.each([
    ['PAYEMS', '2008-12-01', '2009-01-09', 135_489],
    ['CPIAUCSL', '2008-08-01', '2008-09-16', 218.88],
    ['UNRATE', '2009-01-01', '2009-02-06', 7.6],
    ['INDPRO', '2008-12-01', '2009-01-18', 103.6],
    ['A191RL1Q225SBEA', '2008-10-01', '2009-01-30', -3.8],
    ['HOUST', '2008-12-01', '2009-01-20', 550],
  ])('contain %s for %s from %s on, with the value %d', (id, date, day, value) => {
    expect(valueAt(id, date, shift(day, -1))).toBeUndefined();
    expect(valueAt(id, date, day)).toBe(value);
  });

  it('keep the units of their time, which are the same for all values of a day', () => {
    for (const [day, units] of [
      ['1985-07-17', 'Index 1967=100'],
      ['1985-07-18', 'Index 1977=100'],
      ['2009-01-18', 'Index 2002=100'],
    ]) {
      const { rows, notice } = tableOf(['INDPRO'], { asOf: day });
      expect(new Set(rows.map((row) => row[6]))).toEqual(new Set([units]));
      expect(notice).toContain(
        `in different units from today's: us.industrial_production (${units})`,
      );
    }
    expect(tableOf(['INDPRO'], { since: '2020-01-01' }).rows[0]?.[6]).toBeNull();
    // A recording of December 2003 has two bases.
    const [march, april] = ['2003-03-01', '2003-04-01'].map((date) =>
      Number(valueAt('PCEPI', date, '2004-01-15')),
    );
    expect((april ?? 0) / (march ?? 0)).toBeCloseTo(1, 2);
  });
});

describe('a table as of a day', () => {
  it.each([
    // 4.0 became 3.9, 326.030 became 326.031, and so on, in a time without vintages.
    ['UNRATE', '2024-05-01', '2026-02-28'],
    ['CPIAUCSL', '2025-12-01', '2026-02-28'],
    ['CPILFESL', '2020-09-01', '2026-05-30'],
    ['CPILFESL', '2020-12-01', '2026-05-30'],
    ['M2SL', '2001-03-01', '2025-06-01'],
  ])('omits the value of %s for %s as of %s, whose revision looks like rounding', (...row) => {
    expect(valueAt(...row)).toBeUndefined();
  });

  it('omits a series that was not yet published', () => {
    const ids = ['DFII10', 'T5YIE', 'T10YIE', 'T5YIFR'];
    const until = '2003-12-31';
    expect(tableOf(ids, { asOf: '2004-01-01' }).rows).toEqual([]);
    expect(tableOf(ids, { asOf: '2004-01-02', until }).rows).toHaveLength(
      tableOf(ids, { until }).rows.length,
    );
  });

  it('includes spreads and breakevens once the Treasury publishes their yields, and H.15 yields a day later', () => {
    const [spreads, yields] = [
      ['T10Y2Y', 'T10Y3M', 'T10YIE'],
      ['DGS10', 'DGS2', 'DGS3MO', 'DFII10'],
    ];
    const since = '2010-06-14';
    const known = (ids: string[], asOf: string) => tableOf(ids, { asOf, since }).rows.length;
    expect(known([...spreads, ...yields], '2010-06-13')).toBe(0);
    expect([known(spreads, since), known(yields, since)]).toEqual([3, 0]);
    expect(known(yields, '2010-06-15')).toBe(4);
  });

  it.each([
    ['GDP', '2024-12-26', 'for some periods of us.gdp.nominal (2024-07-01)', '2024-01-01'],
    ['GDP', '2025-06-01', 'revised values, may be missing for us.gdp.nominal (2024-12-19 to', ''],
    ['PAYEMS', '2026-09-04', 'last refresh are missing for us.nonfarm_payrolls (2026-08-21)', ''],
    ['CPILFESL', '2026-07-20', 'for some periods of us.cpi.core (2025-10-01 to 2026-05-01)', ''],
    ['M2SL', '2025-01-01', 'some periods of us.money_supply.m2 (1959-01-01 to 2024-11-01)', ''],
    ['RSAFS', '2026-05-20', 'some periods of us.retail_sales (1992-01-01 to 2026-03-01)', ''],
    ['GDP', '2026-02-18', 'periods of us.gdp.nominal (2020-01-01 to 2025-07-01)', '2019-10-01'],
    // A copy of 16 March shows the benchmark revision of 11 February, which ended the older levels.
    ['PAYEMS', '2026-03-10', 'us.nonfarm_payrolls (2025-11-01 to 2026-01-01)', '2025-11-01'],
    // Its first print of 20 November is not stored; October was never published.
    ['UNRATE', '2025-11-30', 'periods of us.unemployment_rate (2025-09-01)', '2025-08-01'],
  ])('reports what is missing from %s as of %s: "%s"', (id, asOf, gap, since) => {
    expect(tableOf([id], { asOf, since }).notice).toContain(gap);
  });

  it('reports nothing as missing if nothing is', () => {
    const complete = tableOf(['GDP'], { asOf: '2024-12-25', since: '2023-01-01' });
    expect(complete.notice).toBeUndefined();
    expect(complete.rows.at(-1)?.slice(0, 3)).toEqual(['2024-07-01', 'us.gdp.nominal', 29374.914]);
    // These levels begin in 1959: the vintage withdrew earlier ones.
    expect(tableOf(['GDPC1'], { asOf: '1992-06-01' }).notice).not.toMatch(/are missing|not stored/);
    expect(tableOf(['PAYEMS'], { asOf: '2026-04-10' }).notice).toBeUndefined();
    // No release came out between the bundled copy of 21 August and this day.
    expect(tableOf(['PAYEMS'], { asOf: '2026-09-03' }).notice).toBeUndefined();
  });

  it.each<[string, string, string[], boolean?]>([
    [
      '2020-06-01',
      'No values known on 2020-06-01 are stored for us.retail_sales (stored from 2026-05-14 on), us.financial_conditions.nfci (stored from 2026-07-15 on).',
      ['RSAFS', 'NFCI'],
    ],
    ['2020-01-01', NEVER_STORED, ['VIXCLS', 'MORTGAGE30US']],
    ['2020-01-01', 'No publication day was observed for us.yield_curve.10y_2y.', ['T10Y2Y'], true],
    [
      '2020-04-10',
      'No exact values known on 2020-04-10 are stored for us.yield.10y (stored from 2026-03-23 on), us.industrial_production (stored from 2026-04-16 on).',
      ['DGS10', 'INDPRO'],
      true,
    ],
  ])('has no rows as of %s, but the notice "%s"', (asOf, notice, ids, strict = false) => {
    expect(tableOf(ids, { asOf, strict })).toMatchObject({ rows: [], notice });
  });

  it('with vintages contains no later revision', () => {
    const at = { since: '2026-03-01', until: '2026-03-01' };
    const march = (asOf: string) => tableOf(['PAYEMS'], { ...at, asOf, vintages: true }).rows;
    const row = (value: number, start: string, end: string | null) => [
      ...['2026-03-01', 'us.nonfarm_payrolls', value, start, end, true, null],
    ];
    expect(march('2026-04-02')).toEqual([]);
    expect(march('2026-05-07')).toEqual([row(158637, '2026-04-03', null)]);
    expect(march('2026-05-08')).toEqual([
      row(158637, '2026-04-03', '2026-05-07'),
      row(158621, '2026-05-08', null),
    ]);
  });

  it('with strict dates omits every estimate', () => {
    expect(tableOf(['DGS10', 'INDPRO'], { asOf: '2020-04-10' }).rows).not.toEqual([]);
    expect(valueAt('PAYEMS', '1964-11-01', '1964-12-04', true)).toBeDefined();
    const { columns, rows } = tableOf([], { asOf: '2026-07-20', strict: true });
    expect(columns[5]).toBe('exact');
    expect(rows.length).toBeGreaterThan(200);
    expect(rows.every((row) => row[5] === true)).toBe(true);
  });
});

describe('an export', () => {
  it('contains current values by default, once for each series, and refuses an unknown name', () => {
    const { rows } = tableOf(['unrate', 'us.unemployment_rate'], { since: '2026-06-01' });
    expect(rows.map(([date, indicator, value]) => [date, indicator, value])).toEqual([
      ['2026-06-01', 'us.unemployment_rate', 4.2],
      ['2026-07-01', 'us.unemployment_rate', 4.1],
    ]);
    expect(() => tableOf(['UNRATE', 'us.unemployment_rte'])).toThrow(
      /^No series in the catalogue is called "us\.unemployment_rte"\. Did you mean/,
    );
  });

  it('for series without figures has no rows, and its notice says how to get them', () => {
    const [rows, notice] = [[], NEVER_STORED];
    expect(tableOf(['VIXCLS', 'MORTGAGE30US'])).toMatchObject({ rows, notice });
    expect(tableOf(['VIXCLS', 'MORTGAGE30US'], { isOffline: true }).notice).toBe(
      notice.replace(REMEDY, `QUANTSHELF_OFFLINE is set; without it, ${REMEDY}`),
    );
    expect(tableOf(['us.mortgage.30y'])).toMatchObject({ rows, notice: NOT_BUNDLED });
  });

  it('can have a column for each series, in the requested order, but not with vintages', () => {
    expect(tableOf(['UNRATE', 'DGS10'], { wide: true }).columns.slice(1)).toEqual([
      ...['us.unemployment_rate', 'us.yield.10y'],
    ]);
    const { columns, rows } = tableOf(['DGS10', 'UNRATE'], { wide: true, since: '2026-06-30' });
    expect(columns).toEqual(['date', 'us.yield.10y', 'us.unemployment_rate']);
    expect(rows.slice(0, 2)).toEqual([
      ['2026-06-30', expect.any(Number), null],
      ['2026-07-01', expect.any(Number), 4.1],
    ]);
    expect(() => tableOf(['DGS10'], { wide: true, vintages: true })).toThrow('wide');
  });
});

describe('the views of the store', () => {
  const columnsOf = (view: string) =>
    db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(view).join();

  it('keep their published columns', () => {
    const latest = 'indicator,series_id,date,value,known_from,exact,units';
    expect(columnsOf('macro_latest')).toBe(latest);
    expect(columnsOf('macro_as_of')).toBe(latest.replace('exact', 'known_to,exact'));
  });

  it('include macro_as_of, which agrees with an export as of a day', () => {
    const rows = db
      .prepare<object, unknown[]>(`
        SELECT date, value FROM macro_as_of WHERE series_id = 'GDP'
          AND known_from <= @day AND (known_to IS NULL OR known_to >= @day) ORDER BY date`)
      .raw()
      .all({ day: '2009-08-03' });
    expect(rows.at(-1)).toEqual(['2009-04-01', 14149.8]);
    expect(rows).toEqual(
      tableOf(['GDP'], { asOf: '2009-08-03' }).rows.map(([date, , value]) => [date, value]),
    );
  });
});

describe('the resource of a past day', () => {
  const resource = macroResources.find(({ name }) => name === 'indicator_as_of');
  const read = (indicator: string, date: string) =>
    JSON.parse(resource?.read({ indicator, date }, shelf) ?? '');

  it('contains the last 200 observations known that day, newest first', () => {
    const { data, meta } = read('gdp', '2008-12-24');
    expect(data).toMatchObject({ indicator: 'us.gdp.nominal', as_of: '2008-12-24' });
    expect(data.observations).toHaveLength(200);
    expect(data.observations[0]).toEqual({
      date: '2008-07-01',
      value: 14412.8,
      known_from: '2008-12-23',
      exact: true,
    });
    expect(meta.notice).toBeUndefined();
  });

  it('is empty if nothing is stored for that day, and its notice says why', () => {
    const { data, meta } = read('us.retail_sales', '2020-05-08');
    expect(data.observations).toEqual([]);
    expect(meta.notice).toContain('us.retail_sales (stored from 2026-05-14 on)');
    expect(read('VIXCLS', '2020-05-08').meta.notice).toMatch(
      /^No figures for us.volatility.vix are stored, because they are copyrighted by Cboe.*FRED_API_KEY/,
    );
  });

  it('accepts only a known indicator and a real day that has begun', () => {
    expect(() => read('UNRATE', '2026-02-30')).toThrow('must be a real calendar day, YYYY-MM-DD');
    expect(() => read('UNRATE', '2026-11-22')).toThrow('future');
    expect(() => read('nothing', '2026-02-20')).toThrow('No series in the catalogue');
  });

  it('is compared with the current values by a prompt, which rejects a future day', () => {
    const prompt = macroPrompts.find(({ name }) => name === 'macro_then_and_now');
    const text = prompt?.write({ indicator: 'payems', date: '2026-04-10' }, shelf);
    expect(text).toContain('quantshelf://macro/us.nonfarm_payrolls/as-of/2026-04-10');
    expect(text).toContain('macro_indicator_history');
    const tomorrow = () => prompt?.write({ indicator: 'payems', date: '2026-11-22' }, shelf);
    expect(tomorrow).toThrow('future');
  });
});
