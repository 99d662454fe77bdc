import * as z from 'zod';
import { isCalendarDay } from '../../src/core/fields.ts';

/** The distance between two neighbouring observations of a series. */
export const STEPS = ['day', 'weekday', 'week', 'month', 'quarter', 'year'] as const;
export type Step = (typeof STEPS)[number];

/** One figure; null where the source itself publishes a missing value. */
export interface Figure {
  date: string;
  value: number | null;
}

/** A recorded copy and the dates, both inclusive, whose figures were taken from it. */
export interface Span {
  file: string;
  first: string;
  last: string;
}

export interface SeriesFile {
  seriesId: string;
  step: Step;
  /** Day on which the newest figures were taken, YYYY-MM-DD. */
  taken: string;
  /** How that day is known. */
  evidence: string;
  /** Oldest first; together they cover every figure that is not a null of `nullsFrom`. */
  from: Span[];
  /** The copy that knows missing values which the others leave out. */
  nullsFrom: string | null;
  figures: Figure[];
}

const DAY_MS = 86_400_000;

/** Composed by hand: every figure of the starter shelf comes here, and `toISOString` is slow. */
export function addDays(date: string, days: number): string {
  const moved = new Date(Date.parse(date) + days * DAY_MS);
  const [month, day] = [moved.getUTCMonth() + 1, moved.getUTCDate()];
  return `${moved.getUTCFullYear()}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}

/** 0 is Sunday. */
export function weekdayOf(date: string): number {
  return new Date(date).getUTCDay();
}

export function isWeekend(date: string): boolean {
  return weekdayOf(date) % 6 === 0;
}

function addMonths(date: string, months: number): string {
  const moved = new Date(`${date.slice(0, 7)}-01T00:00:00Z`);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  return moved.toISOString().slice(0, 10);
}

const MONTHS: Partial<Record<Step, number>> = { month: 1, quarter: 3, year: 12 };

/** Whether an observation covers a month or more, each of which has one. */
export function isPeriod(step: Step): boolean {
  return MONTHS[step] !== undefined;
}

/** The date one step after `date`. */
export function nextDate(step: Step, date: string): string {
  const months = MONTHS[step];
  if (months !== undefined) return addMonths(date, months);
  if (step === 'week') return addDays(date, 7);
  const next = addDays(date, 1);
  return step === 'weekday' && isWeekend(next) ? nextDate(step, next) : next;
}

/** The last day of the period that FRED dates with `date`; daily and weekly dates are that day. */
export function periodEnd(step: Step, date: string): string {
  const months = MONTHS[step];
  return months === undefined ? date : addDays(addMonths(date, months), -1);
}

/** True where a series of this step may have an observation. */
export function fitsStep(step: Step, date: string): boolean {
  if (step === 'weekday') return !isWeekend(date);
  if (step === 'month') return date.endsWith('-01');
  if (step === 'quarter') return /-(01|04|07|10)-01$/.test(date);
  return step !== 'year' || date.endsWith('-01-01');
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
export function formatSeries(series: SeriesFile): string {
  const header = [
    `# series_id: ${series.seriesId}`,
    `# step: ${series.step}`,
    `# taken: ${series.taken}`,
    `# evidence: ${series.evidence}`,
    ...series.from.map((span) => `# from: ${span.first}..${span.last} ${span.file}`),
    ...(series.nullsFrom === null ? [] : [`# nulls from: ${series.nullsFrom}`]),
  ];
  const lines: string[][] = [];
  let expected = '';
  let stretch = '';
  for (const { date, value } of series.figures) {
    const key = date.slice(0, series.step === 'day' || series.step === 'weekday' ? 7 : 4);
    const shown = value === null ? '.' : String(value);
    const line = lines.at(-1);
    if (line !== undefined && date === expected && key === stretch) line.push(shown);
    else lines.push([date, shown]);
    expected = nextDate(series.step, date);
    stretch = key;
  }
  return `${[...header, ...lines.map((line) => line.join(' '))].join('\n')}\n`;
}

const day = z.string().refine(isCalendarDay, { error: 'no calendar day' });

const headerSchema = z.strictObject({
  series_id: z.tuple([z.string().regex(/^[A-Z0-9]+$/)]),
  step: z.tuple([z.enum(STEPS)]),
  taken: z.tuple([day]),
  evidence: z.tuple([z.string().min(1)]),
  from: z.array(z.string().regex(/^\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2} \S+$/)).min(1),
  'nulls from': z.tuple([z.string().min(1)]).optional(),
});

/**
 * Reads the text form. Lines `# key: value` head the file. Every other line is a date and the
 * values from that date on, one for each step of the calendar, "." for a missing value.
 * Throws an Error that names file and line.
 */
export function parseSeries(text: string, file: string): SeriesFile {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error(`${file}:${lines.length + 1}: no newline at the end`);
  const length = lines.findIndex((line) => !line.startsWith('#'));
  const head = parseHeader(lines.slice(0, length === -1 ? lines.length : length), file);
  const figures: Figure[] = [];
  for (const [index, line] of lines.entries()) {
    if (index < length || length === -1) continue;
    for (const figure of parseStretch(line, head.step, `${file}:${index + 1}`)) {
      const before = figures.at(-1)?.date ?? '';
      if (figure.date <= before) {
        throw new Error(`${file}:${index + 1}: ${figure.date} does not come after ${before}`);
      }
      if (figure.date > head.taken) {
        throw new Error(`${file}:${index + 1}: ${figure.date} lies after the day of taking`);
      }
      figures.push(figure);
    }
  }
  if (figures.length === 0) throw new Error(`${file}:${lines.length}: no figures`);
  return { ...head, figures };
}

function parseHeader(lines: readonly string[], file: string): Omit<SeriesFile, 'figures'> {
  const raw: Record<string, string[]> = {};
  for (const [index, line] of lines.entries()) {
    const [, key, value] = /^# ([a-z_ ]+): (.+)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) {
      throw new Error(`${file}:${index + 1}: a header line must be "# key: value"`);
    }
    raw[key] = [...(raw[key] ?? []), value];
  }
  const result = headerSchema.safeParse(raw);
  if (!result.success) throw new Error(`${file}:1: header: ${z.prettifyError(result.error)}`);
  const header = result.data;
  return {
    seriesId: header.series_id[0],
    step: header.step[0],
    taken: header.taken[0],
    evidence: header.evidence[0],
    from: header.from.map((line) => ({
      file: line.slice(23),
      first: line.slice(0, 10),
      last: line.slice(12, 22),
    })),
    nullsFrom: header['nulls from']?.[0] ?? null,
  };
}

function parseStretch(line: string, step: Step, where: string): Figure[] {
  const [start = '', ...values] = line.split(' ');
  if (!isCalendarDay(start)) throw new Error(`${where}: "${start}" is no calendar day`);
  if (!fitsStep(step, start)) throw new Error(`${where}: ${start} is no ${step} of the calendar`);
  if (values.length === 0) throw new Error(`${where}: no values`);
  let date = start;
  return values.map((shown, index) => {
    if (index > 0) date = nextDate(step, date);
    if (shown !== '.' && !/^-?\d+(\.\d+)?$/.test(shown)) {
      throw new Error(`${where}: "${shown}" is no number`);
    }
    return { date, value: shown === '.' ? null : Number(shown) };
  });
}
