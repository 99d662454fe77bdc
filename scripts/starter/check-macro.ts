// Checks the bundled macro figures against the recorded copies:
//   npx tsx scripts/starter/check-macro.ts <shared directory>
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OVERLAP } from './extract-macro.ts';
import { readSeriesFile, readStarterMacro, readStarterVintages } from './macro.ts';
import {
  type CatalogueRow,
  compareWithSpec,
  isCopyrighted,
  parseCatalogue,
} from './macro-catalogue.ts';
import { type Copy, PULLS, readCopy, readSightings, type Sighting } from './macro-copies.ts';
import { type Figure, isPeriod, type SeriesFile } from './macro-text.ts';

/**
 * What is wrong with the bundled figures, one sentence each; empty when all is well.
 * `dataDir` is the directory `data` of the tree, `sharedDir` holds the recorded copies.
 */
export function checkStarterMacro(dataDir: string, sharedDir: string): string[] {
  const recorded = join(sharedDir, 'data', 'macro');
  const catalogue = parseCatalogue(join(dataDir, 'indicators.json'));
  const faults = compareWithSpec(catalogue, join(sharedDir, 'spec', 'indicators.csv'));
  const folder = join(dataDir, 'starter', 'macro');
  const sightings = readSightings(recorded);
  const readOne: ReadOne = (file, seriesId) => readCopy(recorded, file, seriesId, sightings);
  for (const row of catalogue) {
    const path = join(folder, `${row.series_id}.txt`);
    if (!existsSync(path)) continue;
    if (isCopyrighted(row)) faults.push(`${row.series_id} is copyrighted and must not be bundled`);
    else faults.push(...checkSeries(readSeriesFile(path, row), readOne));
  }
  faults.push(...checkVintages(dataDir, sightings), ...checkLeftOut(dataDir, recorded));
  return faults;
}

/** Reads one series of a recorded file. */
type ReadOne = (file: string, seriesId: string) => Copy;

function checkSeries(series: SeriesFile, readOne: ReadOne): string[] {
  const copies = series.from.map((span) => readOne(span.file, series.seriesId));
  const nulls = series.nullsFrom === null ? undefined : readOne(series.nullsFrom, series.seriesId);
  const held = new Map(series.figures.map((figure) => [figure.date, figure.value]));
  const faults = series.figures.flatMap((figure) => {
    const at = series.from.findIndex((s) => s.first <= figure.date && figure.date <= s.last);
    const isGap = isPeriod(series.step) && figure.value === null && !copies[at]?.has(figure.date);
    return isGap || isRecorded(figure, copies[at], nulls)
      ? []
      : [`${series.seriesId} ${figure.date}: ${figure.value} stands in no recorded copy`];
  });
  for (const [index, { file, first, last }] of series.from.entries()) {
    const copy: Copy = copies[index] ?? new Map();
    const lost = [...copy.keys()].find((date) => date >= first && date <= last && !held.has(date));
    if (lost !== undefined) faults.push(`${series.seriesId} ${lost}: left out, but in ${file}`);
    const newer = copies[index + 1];
    if (newer !== undefined) faults.push(...checkJoin(series.seriesId, copy, newer));
  }
  return faults;
}

function isRecorded(figure: Figure, copy: Copy | undefined, nulls: Copy | undefined): boolean {
  if (copy?.has(figure.date)) return copy.get(figure.date) === figure.value;
  return figure.value === null && nulls?.get(figure.date) === null;
}

/** Where two copies meet they must tell the same story, or the join would show a false jump. */
function checkJoin(seriesId: string, older: Copy, newer: Copy): string[] {
  const shared = [...newer]
    .filter(([date, value]) => value !== null && (older.get(date) ?? null) !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, OVERLAP);
  if (shared.length < OVERLAP) return [`${seriesId}: its copies overlap on too few dates`];
  return shared
    .filter(([date, value]) => older.get(date) !== value)
    .map(([date]) => `${seriesId} ${date}: the copies differ at their join`);
}

/** Each vintage was seen in the daily pulls, from that day on and until that day. */
function checkVintages(
  dataDir: string,
  sightings: ReadonlyMap<string, readonly Sighting[]>,
): string[] {
  return readStarterVintages(dataDir).flatMap((vintage) => {
    const rows = (sightings.get(vintage.seriesId) ?? []).filter((r) => r.date === vintage.date);
    const seen = rows.find((r) => r.firstSeen === vintage.published && r.value === vintage.value);
    const end = rows
      .map((r) => r.firstSeen)
      .sort()
      .find((day) => day > vintage.published);
    const isTrue = seen !== undefined && (end ?? null) === vintage.superseded;
    const { seriesId, date, published } = vintage;
    return isTrue ? [] : [`${seriesId} ${date}: the vintage of ${published} is not in ${PULLS}`];
  });
}

/** A series with a recorded copy of its own must be bundled unless it is copyrighted. */
function checkLeftOut(dataDir: string, recorded: string): string[] {
  const ids = new Set(readdirSync(join(recorded, 'series')).map((name) => name.split('.')[0]));
  const lacks = (row: CatalogueRow) =>
    !existsSync(join(dataDir, 'starter', 'macro', `${row.series_id}.txt`));
  return parseCatalogue(join(dataDir, 'indicators.json'))
    .filter((row) => !isCopyrighted(row) && ids.has(row.series_id) && lacks(row))
    .map((row) => `${row.series_id} has a recorded copy and is not bundled`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [shared] = process.argv.slice(2);
  if (shared === undefined) {
    process.stderr.write('usage: check-macro.ts <shared directory>\n');
    process.exit(2);
  }
  const dataDir = fileURLToPath(new URL('../../data', import.meta.url));
  const faults = checkStarterMacro(dataDir, shared);
  const { series } = readStarterMacro(dataDir);
  for (const { seriesId, observations, taken } of series) {
    const span = `${observations[0]?.date}..${observations.at(-1)?.date}`;
    process.stdout.write(`${seriesId.padEnd(16)} ${span} ${observations.length} taken ${taken}\n`);
  }
  process.stdout.write(faults.length === 0 ? 'no faults\n' : `${faults.join('\n')}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
