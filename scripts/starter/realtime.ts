import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import file from '../../data/starter/macro/recordings.json' with { type: 'json' };
import { INDICATOR_OF, type Indicator } from '../../src/areas/macro/facts/indicators.ts';
import { recordedDays } from '../../src/areas/macro/facts/release-days.ts';
import { lastBusinessDay } from '../../src/areas/macro/facts/releases.ts';
import { isRounding } from '../../src/areas/macro/facts/vintages.ts';
import { shiftDay } from '../../src/core/time.ts';
import { type Block, nextDate, readBlocks, readSeries } from './macro.ts';

/*
 * `npm run vintages DIRECTORY`: writes `data/starter/macro/vintages` from the real-time recordings in DIRECTORY,
 * as listed in `recordings.json`: files `vintage,date,value` of changes. Newer blocks of a file stay.
 */

const MACRO = join('data', 'starter', 'macro');

const recording = z.strictObject({
  file: z.string(),
  kind: z.union([z.enum(['release', 'middle', 'quarter', 'month-end']), z.int()]),
  from: z.string().default(''),
  until: z.string().default('~'),
  units: z.record(z.string(), z.string()).default({}),
  isGrowth: z.boolean().default(false),
});
type Recording = z.output<typeof recording>;
type Kind = Recording['kind'];

/** Months in which federal shutdowns moved releases; a figure then counts as known at the end of its month. */
const SHUTDOWNS = [
  ['1995-11', '1996-03'],
  ['2013-10', '2013-12'],
  ['2018-12', '2019-03'],
  ['2025-10', '2026-02'],
];

/** The values of each vintage, without those withdrawn by then. */
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

/** The series whose growth is computed. */
const LEVELS = rowOf('GDPC1');

function rowOf(seriesId: string): Indicator {
  const row = INDICATOR_OF.get(seriesId);
  if (row === undefined) throw new Error(`${seriesId} is not in the catalogue`);
  return row;
}

/** The figures of a series' copy. */
function readCopy(row: Indicator): Map<string, number> {
  const { figures } = readSeries(join(MACRO, `${row.series_id}.txt`), row);
  return new Map(figures.map(({ date, value }) => [date, value ?? Number.NaN]));
}

/**
 * Growth computed from recorded levels. Their one decimal can move a rate by 0.1, so if the copy has the same two
 * levels with more decimals, its rate is taken.
 */
function growthOf(levels: ReadonlyMap<string, string>, row: Indicator): Map<string, string> {
  const [copied, rates] = [readCopy(LEVELS), readCopy(row)];
  const isCopied = (date: string) =>
    isRounding(Number(levels.get(date)), copied.get(date) ?? Number.NaN, 1);
  const growth = [...levels].flatMap(([date, level]): [string, string][] => {
    const next = nextDate(row, date);
    const after = Number(levels.get(next));
    if (Number.isNaN(after)) return [];
    const computed = Number((((after / Number(level)) ** 4 - 1) * 100).toFixed(1)) + 0;
    const rate = isCopied(date) && isCopied(next) ? rates.get(next) : undefined;
    return [[next, String(rate ?? computed)]];
  });
  return new Map(growth);
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

  add({ kind, units, isGrowth, from, until }: Recording, path: string): void {
    let before: ReadonlyMap<string, string> = new Map();
    for (const [vintage, levels] of readVintages(path)) {
      const values = isGrowth ? growthOf(levels, this.#row) : levels;
      if (vintage >= from && vintage <= until) {
        this.#addVintage(values, { kind, vintage, before, units: units[vintage] });
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
    // A known release day dates everything in the release.
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

/** Sorts by day, "~" before "=", then by date. */
function rankOf({ day, sign, date }: Change): string {
  return `${day} ${sign === '=' ? 1 : 0} ${date}`;
}

/** Maximum number of values in a line. */
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
const recordings = z.record(z.string(), z.array(recording)).parse(file.recordings);
for (const [seriesId, own] of Object.entries(recordings)) {
  const row = rowOf(seriesId);
  const writer = new Writer(row);
  for (const each of own) writer.add(each, join(directory, `${each.file}.csv.gz`));
  const path = join(MACRO, 'vintages', `${seriesId}.txt`);
  const last = writer.blocks.at(-1)?.day ?? '';
  const later = existsSync(path) ? readBlocks(path, row).filter(({ day }) => day > last) : [];
  writeFileSync(path, render(row, [...writer.blocks, ...later]));
}
