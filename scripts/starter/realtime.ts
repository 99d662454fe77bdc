import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { INDICATOR_OF, type Indicator } from '../../src/areas/macro/facts/indicators.ts';
import { recordedDays } from '../../src/areas/macro/facts/release-days.ts';
import { lastBusinessDay } from '../../src/areas/macro/facts/releases.ts';
import { shiftDay } from '../../src/core/time.ts';
import { type Block, nextDate, readBlocks } from './macro.ts';

/**
 * `npx tsx scripts/starter/realtime.ts DIRECTORY` writes `data/starter/macro/vintages` from the real-time
 * recordings in DIRECTORY: files `vintage,date,value` of changes. Newer blocks of a file stay. The one called
 * fredmd-CPILFESL is left out: it has prices less food alone (CPIULFSL), since FRED-MD has none less energy.
 */

/** The meaning of a recording's vintages, which determines their days. */
type Kind =
  /** The state after the release of that month. */
  | 'release'
  /** The state in the middle of the quarter, of a series that is revised once a year, with January's figure at the latest. */
  | 'middle'
  /** The state in the middle of the quarter, of a series that every release may revise. */
  | 'quarter'
  /** The state on the last business day of the month. */
  | 'month-end'
  /** The state after the release of that month, which is out by this day of the month. */
  | number;

interface Recording {
  file: string;
  kind: Kind;
  /** First and last vintage used. */
  from?: string;
  until?: string;
  /** Units from a vintage on, if they differ from the catalogue's. */
  units?: Readonly<Record<string, string>>;
  /** Growth at an annual rate, computed within each vintage. */
  isGrowth?: boolean;
}

const chained = (base: number) => `Billions of Chained ${base} Dollars`;
const REAL_OUTPUT = 'rtdsm-real-output-GDPC1-quarterly-vintages';
const NATIONAL_PRODUCT = 'Gross National Product';
const GROWTH = 'Percent Change from Preceding Period';

const RECORDINGS: Readonly<Record<string, readonly Recording[]>> = {
  PAYEMS: [{ file: 'rtdsm-payrolls-PAYEMS', kind: 'release' }],
  CPIAUCSL: [
    { file: 'rtdsm-cpi-CPIAUCSL-quarterly-vintages', kind: 'middle', until: '1998-Q4' },
    { file: 'rtdsm-cpi-CPIAUCSL-monthly-vintages', kind: 'release' },
  ],
  UNRATE: [
    { file: 'rtdsm-unemployment-UNRATE-quarterly-vintages', kind: 'middle', until: '1999-Q3' },
    { file: 'fredmd-UNRATE', kind: 'release' },
    { file: 'rtdsm-unemployment-UNRATE-quarterly-vintages', kind: 'middle', from: '2024-Q2' },
  ],
  INDPRO: [
    {
      ...{ file: 'rtdsm-industrial-production-INDPRO', kind: 18 },
      units: {
        ...{ '1962-11': 'Index 1957-1959=100', '1971-08': 'Index 1967=100' },
        ...{ '1985-07': 'Index 1977=100', '1990-04': 'Index 1987=100' },
        ...{ '1997-02': 'Index 1992=100', '2002-12': 'Index 1997=100' },
        ...{ '2005-11': 'Index 2002=100', '2010-07': 'Index 2007=100' },
        ...{ '2015-08': 'Index 2012=100', '2021-06': 'Index 2017=100' },
      },
    },
  ],
  HOUST: [{ file: 'rtdsm-housing-starts-HOUST', kind: 20 }],
  PERMIT: [{ file: 'fredmd-PERMIT', kind: 'month-end' }],
  M2SL: [{ file: 'fredmd-M2SL', kind: 'month-end' }],
  PCEPI: [
    {
      ...{ file: 'fredmd-PCEPI', kind: 'month-end', until: '2003-11' },
      units: { '2000-08': 'Index 1996=100' },
    },
    // The vintage between has the new base from April 2003 on, and the old one before.
    {
      ...{ file: 'fredmd-PCEPI', kind: 'month-end', from: '2004-01' },
      units: {
        ...{
          '2004-01': 'Index 2000=100',
          '2009-08': 'Index 2005=100',
        },
        ...{
          '2013-08': 'Index 2009=100',
          '2018-07': 'Index 2012=100',
          '2023-09': 'Index 2017=100',
        },
      },
    },
  ],
  GDPC1: [
    {
      ...{ file: REAL_OUTPUT, kind: 'quarter' },
      units: {
        '1965-Q4': `Billions of 1958 Dollars (${NATIONAL_PRODUCT})`,
        '1976-Q1': `Billions of 1972 Dollars (${NATIONAL_PRODUCT})`,
        '1986-Q1': `Billions of 1982 Dollars (${NATIONAL_PRODUCT})`,
        '1992-Q1': 'Billions of 1987 Dollars',
        ...{ '1996-Q1': chained(1992), '1999-Q4': chained(1996), '2004-Q1': chained(2000) },
        ...{ '2009-Q3': chained(2005), '2013-Q3': chained(2009), '2018-Q3': chained(2012) },
        '2023-Q4': chained(2017),
      },
    },
  ],
  A191RL1Q225SBEA: [
    {
      ...{ file: REAL_OUTPUT, kind: 'quarter', isGrowth: true },
      units: { '1965-Q4': `${GROWTH} (${NATIONAL_PRODUCT})`, '1992-Q1': GROWTH },
    },
  ],
};

/** Months in which the federal shutdowns moved releases; what came out in them is safe at their end. */
const SHUTDOWNS = [
  ['1995-11', '1996-03'],
  ['2013-10', '2013-12'],
  ['2018-12', '2019-03'],
  ['2025-10', '2026-02'],
];

/** The values of each vintage, and its withdrawals. */
function readVintages(path: string): Map<string, Map<string, string>> {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n').slice(1);
  const vintages = new Map<string, Map<string, string>>();
  let state = new Map<string, string>();
  let current = '';
  for (const line of lines) {
    const [vintage = '', date = '', value = ''] = line.trim().split(',');
    if (vintage !== current) {
      state = new Map(state);
      vintages.set(vintage, state);
    }
    current = vintage;
    if (value === '') state.delete(date);
    else state.set(date, String(Number(value)));
  }
  return vintages;
}

function growthOf(levels: ReadonlyMap<string, string>, row: Indicator): Map<string, string> {
  const rates = [...levels].flatMap(([date, level]): [string, string][] => {
    const next = nextDate(row, date);
    const after = Number(levels.get(next));
    const rate = ((after / Number(level)) ** 4 - 1) * 100;
    return Number.isNaN(after) ? [] : [[next, String(Number(rate.toFixed(1)) + 0)]];
  });
  return new Map(rates);
}

/** The last day of the month in which a vintage was taken, or the middle of the quarter. */
function endOf(vintage: string, kind: Kind): string {
  const [year, part = ''] = vintage.split('-');
  if (part.startsWith('Q')) return `${year}-${String(Number(part[1]) * 3 - 1).padStart(2, '0')}-15`;
  const end = new Date(Date.UTC(Number(year), Number(part), 0)).toISOString().slice(0, 10);
  if (kind === 'month-end') return lastBusinessDay(end);
  const isMoved = SHUTDOWNS.some(([from = '', to = '']) => from <= vintage && vintage <= to);
  return typeof kind === 'number' && !isMoved ? `${vintage}-${kind}` : end;
}

class Writer {
  readonly blocks: Block[] = [];
  readonly #row: Indicator;
  readonly #state = new Map<string, string>();
  #units: string;
  #seen = '';

  constructor(row: Indicator) {
    this.#row = row;
    this.#units = row.units;
  }

  add({ kind, units, isGrowth, from = '', until = '~' }: Recording, path: string): void {
    let before: ReadonlyMap<string, string> = new Map();
    for (const [vintage, levels] of readVintages(path)) {
      const values = isGrowth ? growthOf(levels, this.#row) : levels;
      if (vintage >= from && vintage <= until) {
        this.#addVintage(values, { kind, vintage, before, units: units?.[vintage] });
      }
      before = values;
    }
  }

  #addVintage(
    values: ReadonlyMap<string, string>,
    { kind, vintage, before, units = this.#units }: VintageFacts,
  ): void {
    const isRebased = units !== this.#units;
    const seen = endOf(vintage, kind);
    const days = this.#releasesBy(seen);
    // If the day of a release is known, it dates everything in it.
    const safe = kind === 'release' ? (days.at(-1)?.day ?? seen) : seen;
    const fresh = [...values.keys()].filter((date) => !this.#state.has(date));
    const newest = [...values.keys()].sort().at(-1) ?? '';
    const withdrawn = [...before.keys()].filter(
      (date) => !values.has(date) && this.#state.has(date),
    );
    const all = withdrawn.map((date) => ({ day: safe, sign: '~', date, value: '-' }));
    for (const [date, value] of values) {
      if (!isRebased && this.#state.get(date) === value) continue;
      const released = days.find(({ periods }) => periods.includes(date))?.day;
      const isFirst = fresh.includes(date) && released !== undefined && this.#state.size > 0;
      const isUnrevised = kind === 'middle' && !vintage.endsWith('Q1') && isFirst;
      const isDated = kind === 'release' ? days.length === 1 : isUnrevised;
      const isNewest = date === newest && released !== undefined && !isRebased;
      const isExact =
        this.#state.size === 0 ? isNewest && kind === 'release' : isDated || (isNewest && isFirst);
      const day = isExact ? (released ?? safe) : safe;
      all.push({ day, sign: isExact ? '=' : '~', date, value });
    }
    this.#units = units;
    this.#seen = seen;
    for (const { date, value } of all) {
      if (value === '-') this.#state.delete(date);
      else this.#state.set(date, value);
    }
    for (const each of all.sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))) {
      this.#push(each, units);
    }
  }

  /** The release days since the last vintage, known for a few releases, with the periods they published. */
  #releasesBy(until: string): { day: string; periods: string[] }[] {
    const { release, frequency } = this.#row;
    const days = new Map<string, string[]>();
    let period = `${Number(until.slice(0, 4)) - 1}-01-01`;
    for (; period <= until; period = nextDate(this.#row, period)) {
      const recorded = recordedDays(release, frequency, period);
      const [day = ''] = recorded?.days ?? [];
      const since = this.#seen === '' ? `${until.slice(0, 7)}-01` : shiftDay(this.#seen, 1);
      if (recorded?.status !== 'seen' || day < since || day > until) continue;
      days.set(day, [...(days.get(day) ?? []), period]);
    }
    return [...days]
      .map(([day, periods]) => ({ day, periods }))
      .sort((a, b) => (a.day < b.day ? -1 : 1));
  }

  #push({ day, sign, date, value }: Change, units: string): void {
    const last = this.blocks.at(-1);
    const figure = { date, value: value === '-' ? undefined : Number(value) };
    if (last?.day === day && last.sign === sign) last.figures.push(figure);
    else this.blocks.push({ sign: sign === '=' ? '=' : '~', day, units, figures: [figure] });
  }
}

interface VintageFacts {
  kind: Kind;
  vintage: string;
  /** Values of the recording's previous vintage. */
  before: ReadonlyMap<string, string>;
  units: string | undefined;
}

interface Change {
  day: string;
  sign: string;
  date: string;
  value: string;
}

/** By day, "~" before "=", then by date. */
function rankOf({ day, sign, date }: Change): string {
  return `${day} ${sign === '=' ? 1 : 0} ${date}`;
}

/** Values in a line of a file. */
const PER_LINE = 12;

function render(row: Indicator, blocks: readonly Block[]): string {
  const lines = [
    `# series_id: ${row.series_id}`,
    '# "=": came out on that day; "~": had come out by then; "?": seen then, after releases that were not recorded',
  ];
  let shown = row.units;
  for (const { sign, day, units, figures } of blocks) {
    lines.push(units === shown ? `${sign} ${day}` : `${sign} ${day} ${units}`);
    shown = units;
    let due = '';
    let room = 0;
    for (const { date, value } of figures) {
      const cell = value === undefined ? '-' : value === null ? '.' : String(value);
      if (date === due && room > 0) lines[lines.length - 1] += ` ${cell}`;
      else lines.push(`${date} ${cell}`);
      room = date === due && room > 0 ? room - 1 : PER_LINE - 1;
      due = nextDate(row, date);
    }
  }
  return `${lines.join('\n')}\n`;
}

const [directory = ''] = process.argv.slice(2);
for (const [seriesId, recordings] of Object.entries(RECORDINGS)) {
  const row = INDICATOR_OF.get(seriesId);
  if (row === undefined) throw new Error(`${seriesId} is not in the catalogue`);
  const writer = new Writer(row);
  for (const each of recordings) writer.add(each, join(directory, `${each.file}.csv.gz`));
  const path = join('data', 'starter', 'macro', 'vintages', `${seriesId}.txt`);
  const last = writer.blocks.at(-1)?.day ?? '';
  const later = existsSync(path) ? readBlocks(path, row).filter(({ day }) => day > last) : [];
  writeFileSync(path, render(row, [...writer.blocks, ...later]));
}
