import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  estimatePublication,
  isFinal,
  isNear,
  nextRelease,
  type Released,
} from '../../src/areas/macro/releases.ts';
import { isCalendarDay } from '../../src/core/fields.ts';
import { type CatalogueRow, parseCatalogue } from './macro-catalogue.ts';
import { parseSeries, parseValue, type SeriesFile, stepOf } from './macro-text.ts';

/** A value whose day of publication is known; `superseded` is null while it is current. */
export interface DatedValue {
  seriesId: string;
  date: string;
  value: number | null;
  published: string;
  superseded: string | null;
  /** False where it was current on the first day of the archive, and may be older than `published`. */
  exact: boolean;
}

/** A current value with the day on which it came out. */
export interface StarterObservation {
  date: string;
  /** null where the source publishes a missing value. */
  value: number | null;
  /** YYYY-MM-DD. */
  published: string;
  /** False where `published` is an estimate: the end of the period plus the usual lag of the release. */
  exact: boolean;
  /** First day on which it is certain to have been current. */
  knownFrom: string;
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
  vintages: DatedValue[];
}

/** A row of vintages.csv. */
type Row = Omit<DatedValue, 'exact'>;
const VINTAGE_HEAD = 'series_id,date,value,published,superseded';

/**
 * Reads `indicators.json` and `starter/macro` under `dir` (the directory `data`). Throws an Error that
 * names file and line on any fault.
 */
export function readStarterMacro(dir: string): StarterMacro {
  const catalogue = parseCatalogue(join(dir, 'indicators.json'));
  const files = catalogue.flatMap((row) => {
    const path = seriesPath(dir, row.series_id);
    return existsSync(path) ? [{ row, path, file: readSeriesFile(path, row) }] : [];
  });
  const archives = new Map(files.map(({ file }) => [file.seriesId, file.archive ?? '']));
  const vintages = readVintages(dir).map((vintage): DatedValue => {
    const { seriesId, date, published } = vintage;
    const archive = archives.get(seriesId) ?? '';
    return { ...vintage, exact: published > archive || date >= archive };
  });
  const series = files.map(({ row, path, file }) => {
    const current = vintages.filter((v) => v.seriesId === file.seriesId && v.superseded === null);
    const released = { seriesId: file.seriesId, frequency: row.frequency };
    const siblings = siblingsOf(row, catalogue, vintages);
    const observations = datePublications(file, released, { siblings, current }, path);
    return { seriesId: file.seriesId, taken: file.taken, observations };
  });
  return { catalogue, series, vintages };
}

export function seriesPath(dir: string, seriesId: string): string {
  return join(dir, 'starter', 'macro', `${seriesId}.txt`);
}

function readSeriesFile(path: string, row: CatalogueRow): SeriesFile {
  if (row.copyright_status.startsWith('Copyrighted')) {
    throw new Error(`${path}:1: a copyrighted series must not be bundled`);
  }
  const file = parseSeries(readFileSync(path, 'utf8'), path, stepOf(row.native_frequency));
  if (file.seriesId !== row.series_id) throw new Error(`${path}:1: holds ${file.seriesId}`);
  return file;
}

/** By date, the vintages of other series that come out in the same release, with the same periods. */
function siblingsOf(
  { series_id, native_frequency, release }: CatalogueRow,
  catalogue: readonly CatalogueRow[],
  vintages: readonly DatedValue[],
): Map<string, DatedValue[]> {
  const ids = catalogue
    .filter((row) => row.series_id !== series_id && row.release === release)
    .filter((row) => row.native_frequency === native_frequency)
    .map((row) => row.series_id);
  const dates = new Map<string, DatedValue[]>();
  for (const vintage of vintages.filter((each) => each.exact && ids.includes(each.seriesId))) {
    const others = dates.get(vintage.date);
    if (others === undefined) dates.set(vintage.date, [vintage]);
    else others.push(vintage);
  }
  return dates;
}

/** What was observed of the releases of a series. */
interface Observed {
  /** By date, the vintages of the other series of the release. */
  siblings: ReadonlyMap<string, readonly DatedValue[]>;
  /** The current values of the series itself. */
  current: readonly DatedValue[];
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
  const dated = new Map(current.map((vintage) => [vintage.date, vintage]));
  return file.figures.map(({ date, value }) => {
    const vintage = dated.get(date);
    if (vintage !== undefined) {
      if (vintage.value !== value || vintage.published > file.taken) {
        throw new Error(`${path}:1: ${date} does not fit its row in vintages.csv`);
      }
      const { published, exact } = vintage;
      return { date, value, published, exact, knownFrom: published };
    }
    const estimate = estimatePublication(series, date, file.taken);
    const near = (siblings.get(date) ?? [])
      .map(({ published }) => published)
      .filter((day) => day <= file.taken && isNear(day, estimate, series.frequency));
    const isLasting = isFinal(file.seriesId);
    const told = near.sort().at(isLasting ? 0 : -1);
    const exact = told !== undefined && (isLasting || file.taken < nextRelease(series, date, told));
    const published = told ?? estimate;
    // An estimate says when a figure came out, not that nothing has revised it since.
    const isSure = exact || isLasting;
    const seen = file.known ?? file.taken;
    return {
      date,
      value,
      published,
      exact,
      knownFrom: isSure ? published : later(published, seen),
    };
  });
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

export function vintagesPath(dir: string): string {
  return join(dir, 'starter', 'macro', 'vintages.csv');
}

/** Its rows; whether each is exact, the header of the series says. Throws as `readStarterMacro` does. */
export function readVintages(dir: string): Row[] {
  const path = vintagesPath(dir);
  const [head, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  if (head !== VINTAGE_HEAD) throw new Error(`${path}:1: the head is not ${VINTAGE_HEAD}`);
  let before: Row | undefined;
  return lines.map((line, index) => {
    const where = `${path}:${index + 2}`;
    const vintage = parseVintage(line, where);
    if (before?.seriesId === vintage.seriesId && !follows(before, vintage)) {
      throw new Error(`${where}: "${line}" does not follow the line before`);
    }
    before = vintage;
    return vintage;
  });
}

export function formatVintages(vintages: readonly Row[]): string {
  const lines = vintages.map(({ seriesId, date, value, published, superseded }) =>
    [seriesId, date, value ?? '.', published, superseded ?? ''].join(','),
  );
  return `${[VINTAGE_HEAD, ...lines].join('\n')}\n`;
}

function parseVintage(line: string, where: string): Row {
  const [seriesId = '', date = '', value = '', published = '', superseded = ''] = line.split(',');
  const end = superseded === '' ? null : superseded;
  const days = [date, published, end ?? published];
  if (!days.every(isCalendarDay) || (end !== null && end <= published)) {
    throw new Error(`${where}: "${line}" is no vintage`);
  }
  return { seriesId, date, value: parseValue(value, where), published, superseded: end };
}

/** Dates ascend; a value of the same date begins when the one before it ends. */
function follows(before: Row, vintage: Row): boolean {
  return before.date === vintage.date
    ? before.superseded === vintage.published
    : before.date < vintage.date;
}
