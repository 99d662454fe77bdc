import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded copy of a series: date to value, null for a value that the copy shows as missing. */
export type Copy = Map<string, number | null>;

/** One row of the daily pulls: a value and the pull days on which it was first and last seen. */
export interface Sighting {
  date: string;
  value: number;
  firstSeen: string;
  lastSeen: string;
}

export const PULLS = 'vintages-by-pull-date.csv';

/** The cells of one CSV line; a quoted cell may hold commas and doubled quotes. */
export function csvCells(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
  }
  return cells;
}

export function csvLines(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '');
}

/**
 * One series of one recorded file. `dir` holds the recorded macro files, `file` is relative to it.
 * Throws where a date stands twice, or a cell is neither a number nor a mark of a missing value. Who reads
 * many series gives the daily pulls, which are long.
 */
export function readCopy(
  dir: string,
  file: string,
  seriesId: string,
  sightings?: ReadonlyMap<string, readonly Sighting[]>,
): Copy {
  if (file === PULLS) return lastPulled((sightings ?? readSightings(dir)).get(seriesId) ?? []);
  return file.startsWith('fred-md/')
    ? readColumn(join(dir, file), seriesId)
    : readTwoColumns(join(dir, file));
}

function readTwoColumns(path: string): Copy {
  const copy: Copy = new Map();
  for (const line of csvLines(path).slice(1)) {
    const [date = '', shown = ''] = csvCells(line);
    if (copy.has(date)) throw new Error(`${path}: ${date} stands twice`);
    copy.set(date, parseValue(shown, path));
  }
  return copy;
}

/** FRED-MD: a column per series, dates as month/day/year, an empty cell where nothing is held. */
function readColumn(path: string, seriesId: string): Copy {
  const lines = csvLines(path);
  const column = csvCells(lines[0] ?? '').indexOf(seriesId);
  if (column === -1) throw new Error(`${path}: no column ${seriesId}`);
  const copy: Copy = new Map();
  for (const line of lines.slice(1)) {
    const cells = csvCells(line);
    const [, month, dayOfMonth, year] = /^(\d+)\/(\d+)\/(\d{4})$/.exec(cells[0] ?? '') ?? [];
    const value = parseValue(cells[column] ?? '', path);
    if (year === undefined || value === null) continue;
    copy.set(`${year}-${month?.padStart(2, '0')}-${dayOfMonth?.padStart(2, '0')}`, value);
  }
  return copy;
}

function parseValue(shown: string, path: string): number | null {
  const text = shown.trim();
  if (text === '' || text === '.' || text === 'NA') return null;
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new Error(`${path}: "${text}" is no number`);
  return Number(text);
}

/** The daily pulls, by series, each in the order of the file (date, then first sight). */
export function readSightings(dir: string): Map<string, Sighting[]> {
  const bySeries = new Map<string, Sighting[]>();
  for (const line of csvLines(join(dir, PULLS)).slice(1)) {
    const [seriesId = '', date = '', value = '', firstSeen = '', lastSeen = ''] = csvCells(line);
    const rows = bySeries.get(seriesId) ?? [];
    rows.push({ date, value: Number(value), firstSeen, lastSeen });
    bySeries.set(seriesId, rows);
  }
  return bySeries;
}

/** The value of each date that was current at the last pull which showed that date. */
function lastPulled(rows: readonly Sighting[]): Copy {
  const newest = new Map<string, Sighting>();
  for (const row of rows) {
    const known = newest.get(row.date);
    if (known === undefined || row.lastSeen > known.lastSeen) newest.set(row.date, row);
  }
  return new Map([...newest.values()].map((row) => [row.date, row.value]));
}
