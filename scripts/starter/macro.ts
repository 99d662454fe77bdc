import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  estimatePublication,
  isNear,
  nextRelease,
  type Released,
} from '../../src/areas/macro/releases.ts';
import { isCalendarDay } from '../../src/core/fields.ts';
import { type CatalogueRow, isCopyrighted, parseCatalogue } from './macro-catalogue.ts';
import { parseSeries, type SeriesFile, stepOf } from './macro-text.ts';
import type { Vintage } from './macro-vintages.ts';

/** A current value with the day on which it came out. */
export interface StarterObservation {
  date: string;
  /** null where the source publishes a missing value. */
  value: number | null;
  /** YYYY-MM-DD. */
  published: string;
  /** False where `published` is an estimate: the end of the period plus the usual lag of the release. */
  exact: boolean;
}

export interface StarterSeries {
  seriesId: string;
  /** Day on which the newest figures were taken, YYYY-MM-DD. */
  taken: string;
  /** Oldest first. */
  observations: StarterObservation[];
}

/** Everything that the starter shelf knows about the macro area. */
export interface StarterMacro {
  catalogue: CatalogueRow[];
  /** In catalogue order; not every row of the catalogue has one. */
  series: StarterSeries[];
  /** All values whose day of publication is known, the superseded ones included. */
  vintages: Vintage[];
}

const VINTAGES = 'vintages.csv';
const VINTAGE_HEAD = 'series_id,date,value,published,superseded';

/**
 * Reads `indicators.json` and `starter/macro` under `dir` (the directory `data`). Throws an Error that names file and line on any fault.
 */
export function readStarterMacro(dir: string): StarterMacro {
  const catalogue = parseCatalogue(join(dir, 'indicators.json'));
  const folder = join(dir, 'starter', 'macro');
  const vintages = readVintages(join(folder, VINTAGES));
  /** By date, the vintages of other series that come out in the same release, with the same periods. */
  const siblingsOf = ({ series_id: id, native_frequency: cadence, release }: CatalogueRow) => {
    const ids = catalogue
      .filter((row) => row.series_id !== id && row.native_frequency === cadence)
      .filter((row) => row.release === release)
      .map((row) => row.series_id);
    return byDate(vintages.filter((vintage) => ids.includes(vintage.seriesId)));
  };
  const files = new Set(readdirSync(folder).filter((name) => name !== VINTAGES));
  const series = catalogue.flatMap((row) => {
    if (!files.delete(`${row.series_id}.txt`)) return [];
    const path = join(folder, `${row.series_id}.txt`);
    const file = readSeriesFile(path, row);
    const current = vintages.filter((v) => v.seriesId === file.seriesId && v.superseded === null);
    return [
      {
        seriesId: file.seriesId,
        taken: file.taken,
        observations: datePublications(
          file,
          { seriesId: file.seriesId, frequency: row.frequency },
          { siblings: siblingsOf(row), current },
          path,
        ),
      },
    ];
  });
  const [stray] = files;
  if (stray !== undefined) throw new Error(`${join(folder, stray)}:1: no series of the catalogue`);
  const held = new Set(series.map((s) => s.seriesId));
  const orphan = vintages.find((vintage) => !held.has(vintage.seriesId));
  if (orphan !== undefined)
    throw new Error(`${join(folder, VINTAGES)}:1: ${orphan.seriesId} has no figures`);
  return { catalogue, series, vintages };
}

/** One file of the folder, tied to its catalogue row. */
export function readSeriesFile(path: string, row: CatalogueRow): SeriesFile {
  if (isCopyrighted(row)) throw new Error(`${path}:1: a copyrighted series must not be bundled`);
  const file = parseSeries(readFileSync(path, 'utf8'), path);
  if (file.seriesId !== row.series_id) throw new Error(`${path}:1: holds ${file.seriesId}`);
  if (file.step !== stepOf(row.native_frequency)) {
    throw new Error(`${path}:2: step "${file.step}" does not fit "${row.native_frequency}"`);
  }
  return file;
}

function byDate(vintages: readonly Vintage[]): Map<string, Vintage[]> {
  const dates = new Map<string, Vintage[]>();
  for (const vintage of vintages) {
    dates.set(vintage.date, [...(dates.get(vintage.date) ?? []), vintage]);
  }
  return dates;
}

/** What was observed of the releases of a series. */
interface Observed {
  /** By date, the vintages of the other series of the release. */
  siblings: ReadonlyMap<string, readonly Vintage[]>;
  /** The current values of the series itself. */
  current: readonly Vintage[];
}

/**
 * A known day of publication of this series or of its release, or the estimate: a business day, and
 * never later than the day of taking.
 */
function datePublications(
  file: SeriesFile,
  series: Released,
  { siblings, current }: Observed,
  path: string,
): StarterObservation[] {
  const known = new Map(current.map((vintage) => [vintage.date, vintage]));
  const observations = file.figures.map(({ date, value }) => {
    const vintage = known.get(date);
    known.delete(date);
    if (vintage !== undefined) {
      if (vintage.value !== value || vintage.published > file.taken) {
        throw new Error(`${path}:1: ${date} does not fit its row in ${VINTAGES}`);
      }
      return { date, value, published: vintage.published, exact: true };
    }
    const estimate = estimatePublication(series, date, file.taken);
    const near = (siblings.get(date) ?? [])
      .map(({ published }) => published)
      .filter((day) => day <= file.taken && isNear(day, estimate, series.frequency));
    const told = near.sort().at(-1);
    if (told === undefined) return { date, value, published: estimate, exact: false };
    const isUnchanged = file.taken < nextRelease(series, date, told);
    return { date, value, published: told, exact: isUnchanged };
  });
  const [unheld] = known.keys();
  if (unheld !== undefined) throw new Error(`${path}:1: ${VINTAGES} has ${unheld}, this has not`);
  return observations;
}

/** The vintages of `starter/macro` under `dir`. Throws as `readStarterMacro` does. */
export function readStarterVintages(dir: string): Vintage[] {
  return readVintages(join(dir, 'starter', 'macro', VINTAGES));
}

function readVintages(path: string): Vintage[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  if (lines.shift() !== VINTAGE_HEAD) throw new Error(`${path}:1: the head is not ${VINTAGE_HEAD}`);
  if (lines.pop() !== '') throw new Error(`${path}:${lines.length + 2}: no newline at the end`);
  const vintages: Vintage[] = [];
  for (const [index, line] of lines.entries()) {
    const vintage = parseVintage(line);
    const fault = vintage === undefined ? 'is no vintage' : faultAfter(vintages.at(-1), vintage);
    if (vintage === undefined || fault !== undefined) {
      throw new Error(`${path}:${index + 2}: "${line}" ${fault}`);
    }
    vintages.push(vintage);
  }
  return vintages;
}

function parseVintage(line: string): Vintage | undefined {
  const [seriesId, date, value, published, superseded, ...rest] = line.split(',');
  if (seriesId === undefined || superseded === undefined || rest.length > 0) return undefined;
  if (date === undefined || !isCalendarDay(date)) return undefined;
  if (published === undefined || !isCalendarDay(published)) return undefined;
  if (value === undefined || !/^-?\d+(\.\d+)?$/.test(value)) return undefined;
  if (superseded !== '' && !isCalendarDay(superseded)) return undefined;
  const end = superseded === '' ? null : superseded;
  return { seriesId, date, value: Number(value), published, superseded: end };
}

/** What is wrong with a vintage that follows another, or undefined. */
function faultAfter(before: Vintage | undefined, vintage: Vintage): string | undefined {
  if (vintage.superseded !== null && vintage.superseded <= vintage.published) {
    return 'ends before it begins';
  }
  if (before === undefined || before.seriesId !== vintage.seriesId) return undefined;
  if (before.date === vintage.date) {
    return before.superseded === vintage.published ? undefined : 'does not follow the line before';
  }
  return before.date < vintage.date ? undefined : 'is out of order';
}
