import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftPeriods } from '../../src/areas/macro/facts/calendar.ts';
import { INDICATORS, type Indicator } from '../../src/areas/macro/facts/indicators.ts';
import type { Vintage } from '../../src/areas/macro/facts/vintages.ts';
import { isCalendarDay } from '../../src/core/fields.ts';
import { shiftDay } from '../../src/core/time.ts';
import { chainVintages } from './macro-vintages.ts';

export interface StarterSeries {
  seriesId: string;
  /** Day on which the newest figures were retrieved, YYYY-MM-DD. */
  taken: string;
  /** Every recorded value, by date, oldest first. */
  vintages: Vintage[];
}

/** Everything on the starter shelf in the macro area. */
export interface StarterMacro {
  catalogue: readonly Indicator[];
  /** In catalogue order; not every catalogue row has one. */
  series: StarterSeries[];
}

/** A value; null where the source publishes a missing one, undefined where it was withdrawn. */
export interface StarterFigure {
  date: string;
  value: number | null | undefined;
}

/** `starter/macro/ID.txt`: lines `# key: value`, then figures. */
export interface SeriesFile {
  taken: string;
  /** Day from which figures that are in no block of vintages count as known. */
  known: string;
  figures: StarterFigure[];
}

/** A block of `starter/macro/vintages/ID.txt`; its first line has a sign, a day and, if they change, the units. */
export interface Block {
  /** "=": came out on that day; "~": had come out by then; "?": seen then, after releases that were not recorded. */
  sign: '=' | '~' | '?';
  day: string;
  units: string;
  figures: StarterFigure[];
}

/** Reads `starter/macro` under `dir` (the directory `data`). Throws an Error that names file and line on any fault. */
export function readStarterMacro(dir: string): StarterMacro {
  const macro = join(dir, 'starter', 'macro');
  const series = INDICATORS.flatMap((row) => {
    const path = join(macro, `${row.series_id}.txt`);
    if (!existsSync(path)) return [];
    const file = readSeries(path, row);
    const blocks = readBlocks(join(macro, 'vintages', `${row.series_id}.txt`), row);
    const vintages = chainVintages(row, file, blocks);
    return [{ seriesId: row.series_id, taken: file.taken, vintages }];
  });
  return { catalogue: INDICATORS, series };
}

export function readSeries(path: string, row: Indicator): SeriesFile {
  if (row.copyright_status.startsWith('Copyrighted')) {
    throw new Error(`${path}: a copyrighted series must not be bundled`);
  }
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const header = new Map(
    lines.map((line) => /^# (\w+): (.+)/.exec(line)).map((match) => [match?.[1], match?.[2]]),
  );
  const taken = header.get('taken') ?? '';
  if (!isCalendarDay(taken))
    throw new Error(`${path}: the header lacks the day on which the figures were taken`);
  const figures: StarterFigure[] = [];
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('#')) readFigures(line, row, figures, `${path}:${index + 1}`);
  }
  if ((figures.at(-1)?.date ?? '') > taken) throw new Error(`${path}: figures after ${taken}`);
  return { taken, figures, known: header.get('known') ?? taken };
}

/** The blocks in day order; none if there is no file. */
export function readBlocks(path: string, row: Indicator): Block[] {
  if (!existsSync(path)) return [];
  const blocks: Block[] = [];
  for (const [index, line] of readFileSync(path, 'utf8').trimEnd().split('\n').entries()) {
    if (line.startsWith('#')) continue;
    const where = `${path}:${index + 1}`;
    const last = blocks.at(-1);
    const [, sign, day = '', units] = /^([=~?]) (\S+)(?: (.+))?$/.exec(line) ?? [];
    if (sign === '=' || sign === '~' || sign === '?') {
      if (!isCalendarDay(day) || day < (last?.day ?? '')) {
        throw new Error(`${where}: ${day} is not a day, or is out of order`);
      }
      blocks.push({ sign, day, units: units ?? last?.units ?? row.units, figures: [] });
    } else if (last === undefined) throw new Error(`${where}: no day before "${line}"`);
    else readFigures(line, row, last.figures, where);
  }
  return blocks;
}

/**
 * Reads a line: a date and its value, or the values from that date on, one for each step of the
 * calendar; "." is a missing value, "-" one that was withdrawn.
 */
function readFigures(line: string, row: Indicator, figures: StarterFigure[], where: string): void {
  let [date = '', ...values] = line.split(/[ ,]/);
  for (const shown of values) {
    if (!isCalendarDay(date) || date <= (figures.at(-1)?.date ?? '')) {
      throw new Error(`${where}: ${date} is not a day, or is out of order`);
    }
    figures.push({ date, value: parseValue(shown, where) });
    date = nextDate(row, date);
  }
}

/** The next date of a series in these files. */
export function nextDate(row: Indicator, date: string): string {
  if (row.frequency === 'Weekly') return shiftDay(date, 7);
  const next = shiftPeriods(row.frequency, date, 1) ?? shiftDay(date, 1);
  const isWeekend = new Date(next).getUTCDay() % 6 === 0;
  return row.frequency === 'Daily' && row.native_frequency !== 'Daily, 7-Day' && isWeekend
    ? nextDate(row, next)
    : next;
}

function parseValue(shown: string, where: string): number | null | undefined {
  if (shown === '-') return undefined;
  if (shown === '.') return null;
  if (!/^-?\d+(\.\d+)?$/.test(shown)) throw new Error(`${where}: "${shown}" is not a number`);
  return Number(shown);
}
