import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { formatVintages, readVintages, seriesPath, vintagesPath } from './macro.ts';
import { parseCatalogue } from './macro-catalogue.ts';
import { addDays, type Figure, formatSeries, parseValue, stepOf } from './macro-text.ts';

/*
 * Puts the figures of one series of the catalogue into the starter shelf:
 *
 *   npx tsx scripts/starter/figures.ts PAYEMS FILE --taken 2026-08-21 --source "ALFRED"
 *
 * FILE is a CSV with the columns `date` or `observation_date` and `value` or the series id, or an answer
 * of FRED's `series/observations` in JSON; "." or an empty value is a missing one. With `realtime_start` and
 * `realtime_end` (both inclusive, 9999-12-31 for the current value) every row is a vintage, and all of
 * them replace those of the series in vintages.csv; what was current on the first of their days may be
 * older. Raise data/starter/edition.json afterwards.
 */

interface Row extends Figure {
  /** First and last day on which the value was current. */
  realtime?: readonly [start: string, end: string];
}

const answer = z.object({ observations: z.array(z.record(z.string(), z.string())) });
const NEVER = '9999-12-31';

/** The rows of a file, by date and, of one date, by publication. Throws where a column is missing. */
function parseRows(text: string, seriesId: string): Row[] {
  const cells = text.trimStart().startsWith('{')
    ? answer.parse(JSON.parse(text)).observations
    : parseCsv(text);
  const rows = cells.map((cell, index): Row => {
    const date = cell.date ?? cell.observation_date ?? cell.DATE;
    const value = cell.value ?? cell[seriesId];
    if (date === undefined || value === undefined) {
      throw new Error(`row ${index + 1}: the columns are date and value or ${seriesId}`);
    }
    const { realtime_start: start, realtime_end: end } = cell;
    const realtime =
      start === undefined || end === undefined ? {} : { realtime: [start, end] as const };
    return { date, value: parseValue(value, `row ${index + 1}`), ...realtime };
  });
  const keyOf = ({ date, realtime }: Row) => `${date} ${realtime?.[0] ?? ''}`;
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** These files quote no cell. */
function parseCsv(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.trimEnd().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => {
    const values = line.split(',');
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
  });
}

function vintagesOf(seriesId: string, rows: readonly Row[]): ReturnType<typeof readVintages> {
  return rows.flatMap(({ date, value, realtime }) => {
    if (realtime === undefined) return [];
    const [published, end] = realtime;
    return [
      { seriesId, date, value, published, superseded: end === NEVER ? null : addDays(end, 1) },
    ];
  });
}

/** Writes both files under `dir`, the directory `data`. */
export function putFigures(
  dir: string,
  {
    seriesId,
    taken,
    source,
    text,
  }: { seriesId: string; taken: string; source: string; text: string },
): void {
  const row = parseCatalogue(`${dir}/indicators.json`).find((one) => one.series_id === seriesId);
  if (row === undefined) throw new Error(`${seriesId} is not in the catalogue`);
  const rows = parseRows(text, seriesId);
  const current = rows.filter(({ realtime }) => realtime === undefined || realtime[1] === NEVER);
  const figures = current.map(({ date, value }) => ({ date, value }));
  const vintages = vintagesOf(seriesId, rows);
  const [archive] = vintages.map(({ published }) => published).sort();
  const file = {
    seriesId,
    step: stepOf(row.native_frequency),
    taken,
    ...(archive === undefined ? {} : { archive }),
    remarks: [`from: ${source}`],
    figures,
  };
  writeFileSync(seriesPath(dir, seriesId), formatSeries(file));
  if (vintages.length === 0) return;
  const others = readVintages(dir).filter((vintage) => vintage.seriesId !== seriesId);
  writeFileSync(vintagesPath(dir), formatVintages([...others, ...vintages]));
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { taken: { type: 'string' }, source: { type: 'string' } },
  });
  const [seriesId, file] = positionals;
  const { taken, source } = values;
  if (seriesId === undefined || file === undefined || taken === undefined || source === undefined) {
    throw new Error('usage: figures.ts SERIES FILE --taken DAY --source TEXT');
  }
  putFigures('data', { seriesId, taken, source, text: readFileSync(file, 'utf8') });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
