// Writes data/starter/macro from a directory of recorded copies:
//   npx tsx scripts/starter/extract-macro.ts <shared directory>
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCatalogue } from './macro-catalogue.ts';
import { type Copy, readCopy } from './macro-copies.ts';
import { RECIPES, type Recipe } from './macro-recipe.ts';
import {
  formatSeries,
  isPeriod,
  nextDate,
  type SeriesFile,
  type Span,
  stepOf,
} from './macro-text.ts';
import { extractVintages } from './macro-vintages.ts';

/** Shared dates, oldest first, on which two copies must agree before one may extend the other. */
export const OVERLAP = 12;

/** Writes everything anew; files of series without a recipe are removed. */
export function extractMacro(sharedDir: string, dataDir: string): void {
  const recorded = join(sharedDir, 'data', 'macro');
  const out = join(dataDir, 'starter', 'macro');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const catalogue = parseCatalogue(join(dataDir, 'indicators.json'));
  for (const row of catalogue) {
    const recipe = RECIPES[row.series_id];
    if (recipe === undefined) continue;
    const series = mergeCopies(recorded, row.series_id, stepOf(row.native_frequency), recipe);
    writeFileSync(join(out, `${row.series_id}.txt`), formatSeries(series));
  }
  const vintages = extractVintages(
    recorded,
    catalogue.map((row) => row.series_id),
  );
  const lines = vintages.map((v) =>
    [v.seriesId, v.date, v.value, v.published, v.superseded ?? ''].join(','),
  );
  const text = ['series_id,date,value,published,superseded', ...lines].join('\n');
  writeFileSync(join(out, 'vintages.csv'), `${text}\n`);
}

function mergeCopies(
  dir: string,
  seriesId: string,
  step: SeriesFile['step'],
  recipe: Recipe,
): SeriesFile {
  const merged: Copy = new Map();
  const from: Span[] = [];
  for (const file of recipe.copies) {
    const copy = readCopy(dir, file, seriesId);
    const start = from[0]?.first;
    if (start !== undefined) requireAgreement(seriesId, file, copy, merged);
    const dates = [...copy.keys()].filter((date) => start === undefined || date < start).sort();
    const [first, last] = [dates[0], dates.at(-1)];
    if (first === undefined || last === undefined) throw new Error(`${file} adds nothing`);
    for (const date of dates) merged.set(date, copy.get(date) ?? null);
    from.unshift({ file, first, last });
  }
  const nullsFrom = recipe.nullsFrom ?? null;
  if (nullsFrom !== null) addNulls(merged, readCopy(dir, nullsFrom, seriesId), from);
  addGaps(merged, step);
  const figures = [...merged]
    .map(([date, value]) => ({ date, value }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  const { taken, evidence } = recipe;
  return { seriesId, step, taken, evidence, from, nullsFrom, figures };
}

function addNulls(merged: Copy, copy: Copy, from: readonly Span[]): void {
  const [first, last] = [from[0]?.first ?? '', from.at(-1)?.last ?? ''];
  for (const [date, value] of copy) {
    if (value === null && date > first && date < last && !merged.has(date)) merged.set(date, null);
  }
}

/** A month, quarter or year without a row between two others is missing: null, as FRED has it. */
function addGaps(merged: Copy, step: SeriesFile['step']): void {
  if (!isPeriod(step)) return;
  const dates = [...merged.keys()].sort();
  const last = dates.at(-1) ?? '';
  for (let date = dates[0] ?? last; date < last; date = nextDate(step, date)) {
    if (!merged.has(date)) merged.set(date, null);
  }
}

/** A copy of another base or revision would put a false jump at the join. */
function requireAgreement(seriesId: string, file: string, older: Copy, newer: Copy): void {
  const shared = [...newer.keys()].filter((date) => (older.get(date) ?? null) !== null).sort();
  const oldest = shared.slice(0, OVERLAP);
  const clash = oldest.find((date) => older.get(date) !== newer.get(date));
  if (oldest.length < OVERLAP || clash !== undefined) {
    throw new Error(`${seriesId}: ${file} does not agree on ${clash ?? 'enough dates'}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [shared] = process.argv.slice(2);
  if (shared === undefined) {
    process.stderr.write('usage: extract-macro.ts <shared directory>\n');
    process.exit(2);
  }
  extractMacro(shared, fileURLToPath(new URL('../../data', import.meta.url)));
}
