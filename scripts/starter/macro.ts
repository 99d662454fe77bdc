import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftPeriods } from '../../src/areas/macro/agencies/calendar.ts';
import { INDICATORS, type Indicator } from '../../src/areas/macro/agencies/indicators.ts';
import { estimatePublication, isFinal } from '../../src/areas/macro/releases.ts';
import { isCalendarDay } from '../../src/core/fields.ts';
import { shiftDay } from '../../src/core/time.ts';

/** A value whose day of publication is known; `superseded` is null while it is current. */
export interface DatedValue {
  seriesId: string;
  date: string;
  /** null where the source publishes a missing value. */
  value: number | null;
  published: string;
  superseded: string | null;
  /** False where it was current on the first day of the archive, and may be older than `published`. */
  exact: boolean;
}

/** A current value with the day on which it came out. */
export interface StarterObservation {
  date: string;
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
  catalogue: readonly Indicator[];
  /** In catalogue order; not every row of the catalogue has one. */
  series: StarterSeries[];
  /** All values whose day of publication is known, the superseded ones included. */
  vintages: DatedValue[];
}

/** `starter/macro/ID.txt`: lines `# key: value`, then figures; see `parseSeries`. */
interface SeriesFile {
  taken: string;
  /** First day of the archive in vintages.csv: what was current then may be older than its row says. */
  archive: string;
  /** Day from which figures without a row in vintages.csv are known. */
  known: string;
  figures: { date: string; value: number | null }[];
}

const VINTAGE_HEAD = 'series_id,date,value,published,superseded';

/** Reads `starter/macro` under `dir` (the directory `data`). Throws an Error that names file and line on any fault. */
export function readStarterMacro(dir: string): StarterMacro {
  const files = INDICATORS.flatMap((row) => {
    const path = join(dir, 'starter', 'macro', `${row.series_id}.txt`);
    return existsSync(path) ? [{ row, path, file: readSeries(path, row) }] : [];
  });
  const archives = new Map(files.map(({ row, file }) => [row.series_id, file.archive]));
  const vintages = readVintages(join(dir, 'starter', 'macro', 'vintages.csv'), archives);
  const series = files.map(({ row, path, file }) => {
    const current = vintages.filter((v) => v.seriesId === row.series_id && v.superseded === null);
    const observations = datePublications(file, row, current, path);
    return { seriesId: row.series_id, taken: file.taken, observations };
  });
  return { catalogue: INDICATORS, series, vintages };
}

/** The known day of publication, or the estimate: a business day, and never later than the day of taking. */
function datePublications(
  { taken, known, figures }: SeriesFile,
  { series_id: seriesId, frequency }: Indicator,
  current: readonly DatedValue[],
  path: string,
): StarterObservation[] {
  const dated = new Map(current.map((vintage) => [vintage.date, vintage]));
  return figures.map(({ date, value }) => {
    const vintage = dated.get(date);
    if (vintage === undefined) {
      const published = estimatePublication({ seriesId, frequency }, date, taken);
      // An estimate says when a figure came out, not that nothing has revised it since.
      const knownFrom = isFinal(seriesId) || published > known ? published : known;
      return { date, value, published, exact: false, knownFrom };
    }
    const { published, exact } = vintage;
    if (vintage.value !== value || published > taken) {
      throw new Error(`${path}: ${date} does not fit its row in vintages.csv`);
    }
    return { date, value, published, exact, knownFrom: published };
  });
}

/**
 * The lines of a file are a date and its value, or the values from that date on, one for each step of
 * the calendar; "." is a missing value.
 */
function readSeries(path: string, row: Indicator): SeriesFile {
  if (row.copyright_status.startsWith('Copyrighted')) {
    throw new Error(`${path}: a copyrighted series must not be bundled`);
  }
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const header = new Map(
    lines.map((line) => /^# (\w+): (.+)/.exec(line)).map((match) => [match?.[1], match?.[2]]),
  );
  const taken = header.get('taken') ?? '';
  if (!isCalendarDay(taken)) throw new Error(`${path}: the header lacks the day of taking`);
  const figures: SeriesFile['figures'] = [];
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('#')) continue;
    const where = `${path}:${index + 1}`;
    let [date = '', ...values] = line.split(/[ ,]/);
    for (const shown of values) {
      if (!isCalendarDay(date) || date <= (figures.at(-1)?.date ?? '') || date > taken) {
        throw new Error(`${where}: ${date} is no day, out of order or after ${taken}`);
      }
      figures.push({ date, value: parseValue(shown, where) });
      date = nextDate(row, date);
    }
  }
  return {
    ...{ taken, figures },
    archive: header.get('archive') ?? '',
    known: header.get('known') ?? taken,
  };
}

function nextDate(row: Indicator, date: string): string {
  if (row.frequency === 'Weekly') return shiftDay(date, 7);
  const next = shiftPeriods(row.frequency, date, 1) ?? shiftDay(date, 1);
  const isWeekend = new Date(next).getUTCDay() % 6 === 0;
  return row.native_frequency === 'Daily' && isWeekend ? nextDate(row, next) : next;
}

function readVintages(path: string, archives: ReadonlyMap<string, string>): DatedValue[] {
  const [head, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  if (head !== VINTAGE_HEAD) throw new Error(`${path}:1: the head is not ${VINTAGE_HEAD}`);
  let before: DatedValue | undefined;
  return lines.map((line, index) => {
    const where = `${path}:${index + 2}`;
    const [seriesId = '', date = '', shown = '', published = '', end = ''] = line.split(',');
    const superseded = end === '' ? null : end;
    const archive = archives.get(seriesId) ?? '';
    const exact = published > archive || date >= archive;
    const vintage = {
      ...{ seriesId, date, value: parseValue(shown, where), published, superseded, exact },
    };
    const days = [date, published, superseded ?? published];
    const isOrdered = superseded === null || published < superseded;
    if (!days.every(isCalendarDay) || !isOrdered || !follows(before, vintage)) {
      throw new Error(`${where}: "${line}" is no vintage, or does not follow the line before`);
    }
    before = vintage;
    return vintage;
  });
}

/** Dates of a series ascend; a value of the same date begins when the one before it ends. */
function follows(before: DatedValue | undefined, vintage: DatedValue): boolean {
  if (before?.seriesId !== vintage.seriesId) return true;
  return before.date === vintage.date
    ? before.superseded === vintage.published
    : before.date < vintage.date;
}

/** A figure as FRED writes it: "." or nothing for a missing value. */
function parseValue(shown: string, where: string): number | null {
  if (shown === '.' || shown === '') return null;
  if (!/^-?\d+(\.\d+)?$/.test(shown)) throw new Error(`${where}: "${shown}" is no number`);
  return Number(shown);
}
