import { isCalendarDay } from '../../src/core/fields.ts';

/** The distance between two neighbouring observations of a series. */
export type Step = 'day' | 'weekday' | 'week' | 'month' | 'quarter' | 'year';

/** One figure; null where the source itself publishes a missing value. */
export interface Figure {
  date: string;
  value: number | null;
}

/** The bundled figures of one series: `data/starter/macro/ID.txt`. */
export interface SeriesFile {
  seriesId: string;
  step: Step;
  /** Day on which the newest figures were taken, YYYY-MM-DD. */
  taken: string;
  /** First day of the archive in vintages.csv: what was current then may be older than its row says. */
  archive?: string;
  /** Day from which figures without a row in vintages.csv are known; that of taking by default. */
  known?: string;
  /** Further lines of the header: where the figures come from. */
  remarks: readonly string[];
  /** Oldest first. */
  figures: Figure[];
}

const DAY_MS = 86_400_000;
const MONTHS: Partial<Record<Step, number>> = { month: 1, quarter: 3, year: 12 };

/** Composed by hand: every figure of the starter shelf comes here, and `toISOString` is slow. */
export function addDays(date: string, days: number): string {
  const moved = new Date(Date.parse(date) + days * DAY_MS);
  const [month, day] = [moved.getUTCMonth() + 1, moved.getUTCDate()];
  return `${moved.getUTCFullYear()}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}

/** The date one step after `date`. */
export function nextDate(step: Step, date: string): string {
  const months = MONTHS[step];
  if (months !== undefined) {
    const moved = new Date(`${date.slice(0, 7)}-01T00:00:00Z`);
    moved.setUTCMonth(moved.getUTCMonth() + months);
    return moved.toISOString().slice(0, 10);
  }
  if (step === 'week') return addDays(date, 7);
  const next = addDays(date, 1);
  return step === 'weekday' && isWeekend(next) ? nextDate(step, next) : next;
}

function isWeekend(date: string): boolean {
  return new Date(date).getUTCDay() % 6 === 0;
}

/** The step of a catalogue row's native frequency, such as "Weekly, Ending Saturday". */
export function stepOf(nativeFrequency: string): Step {
  if (nativeFrequency === 'Daily, 7-Day') return 'day';
  const steps: Record<string, Step> = {
    Daily: 'weekday',
    Weekly: 'week',
    Monthly: 'month',
    Quarterly: 'quarter',
    Annual: 'year',
  };
  const step = steps[nativeFrequency.split(',')[0] ?? ''];
  if (step === undefined) throw new Error(`no step is known for "${nativeFrequency}"`);
  return step;
}

/** The text form: header lines, then a line per stretch; see `parseSeries`. */
export function formatSeries(file: SeriesFile): string {
  const { seriesId, step, taken, archive, known, remarks, figures } = file;
  const days = Object.entries({ taken, archive, known }).filter(([, day]) => day !== undefined);
  const header = [
    `series_id: ${seriesId}`,
    `step: ${step}`,
    ...days.map(([key, day]) => `${key}: ${day}`),
    ...remarks,
  ];
  const lines: string[][] = [];
  let expected = '';
  let stretch = '';
  for (const { date, value } of figures) {
    const key = date.slice(0, step === 'day' || step === 'weekday' ? 7 : 4);
    const shown = value === null ? '.' : String(value);
    const line = lines.at(-1);
    if (line !== undefined && date === expected && key === stretch) line.push(shown);
    else lines.push([date, shown]);
    expected = nextDate(step, date);
    stretch = key;
  }
  const rows = [...header.map((line) => `# ${line}`), ...lines.map((line) => line.join(' '))];
  return `${rows.join('\n')}\n`;
}

/**
 * Reads the text form. Lines `# key: value` head the file. Every other line is a date and the
 * values from that date on, one for each step of the calendar, "." for a missing value.
 * Throws an Error that names file and line.
 */
export function parseSeries(text: string, file: string, step: Step): SeriesFile {
  const lines = text.trimEnd().split('\n');
  const header = lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2));
  const headerOf = (key: string) =>
    header.find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2);
  const [seriesId, taken] = [headerOf('series_id'), headerOf('taken')];
  const [archive, known] = [headerOf('archive'), headerOf('known')];
  const days = [archive, known].flatMap((day) => day ?? []);
  if (seriesId === undefined || taken === undefined || ![taken, ...days].every(isCalendarDay)) {
    throw new Error(`${file}:1: the header needs series_id and taken, and days as YYYY-MM-DD`);
  }
  if (headerOf('step') !== step) throw new Error(`${file}:2: the catalogue has the step ${step}`);
  const figures: Figure[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('#')) continue;
    for (const figure of parseStretch(line, step, `${file}:${index + 1}`)) {
      if (figure.date <= (figures.at(-1)?.date ?? '') || figure.date > taken) {
        throw new Error(`${file}:${index + 1}: ${figure.date} is out of order or after ${taken}`);
      }
      figures.push(figure);
    }
  }
  if (figures.length === 0) throw new Error(`${file}:${lines.length}: no figures`);
  return {
    ...{ seriesId, step, taken, figures },
    ...(archive === undefined ? {} : { archive }),
    ...(known === undefined ? {} : { known }),
    remarks: header.slice(3 + days.length),
  };
}

function parseStretch(line: string, step: Step, where: string): Figure[] {
  const [start = '', ...values] = line.split(' ');
  const isFirst = MONTHS[step] === undefined || start.endsWith('-01');
  if (!isCalendarDay(start) || !isFirst) throw new Error(`${where}: "${start}" is no ${step}`);
  let date = start;
  return values.map((shown, index) => {
    if (index > 0) date = nextDate(step, date);
    return { date, value: parseValue(shown, where) };
  });
}

/** A figure as FRED writes it: "." or nothing for a missing value. */
export function parseValue(shown: string, where: string): number | null {
  if (shown === '.' || shown === '') return null;
  if (!/^-?\d+(\.\d+)?$/.test(shown)) throw new Error(`${where}: "${shown}" is no number`);
  return Number(shown);
}
