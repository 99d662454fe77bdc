import type { Answer, View } from '../../core/operation.ts';

interface Observation {
  date: string;
  value: number | null;
}

/** Most observations that a text shows. */
const MAX_SHOWN = 200;
/** Characters of the sentence that says what is left out. */
const SENTENCE = 300;

/** What a model reads of a history: all of a short one, and of a long one an even choice. */
export function viewOfHistory<O extends Observation>(
  { data }: Answer<{ series_id: string; observations: O[] }>,
  room: number,
): View {
  const { observations, ...series } = data;
  const left = room - JSON.stringify(series).length - SENTENCE;
  const { shown, step } = thin(observations, left);
  return {
    data: { ...series, observations: shown },
    ...(step === 1
      ? {}
      : {
          told:
            `this text shows ${shown.length} of ${observations.length.toLocaleString('en-US')} observations, one in ${step} ` +
            'with the first, last, lowest and highest: ask for less with a shorter window; ' +
            'structuredContent and REST have all.',
        }),
  };
}

/** The observations that fit, counted back from the newest in even steps. */
function thin<O extends Observation>(
  observations: readonly O[],
  room: number,
): { shown: readonly O[]; step: number } {
  const length = JSON.stringify(observations).length / Math.max(1, observations.length);
  const most = Math.min(MAX_SHOWN, Math.max(10, Math.floor(room / (length + 1))));
  if (observations.length <= most) return { shown: observations, step: 1 };
  // The first, the lowest and the highest may come in addition.
  const step = Math.ceil(observations.length / (most - 3));
  const last = observations.length - 1;
  const { lowest, highest } = extremesOf(observations);
  const shown = observations.filter(
    (each, at) => at === 0 || (last - at) % step === 0 || each === lowest || each === highest,
  );
  return { shown, step };
}

type Reported = Observation & { value: number };

function isReported<O extends Observation>(row: O): row is O & { value: number } {
  return row.value !== null;
}

/** The first observations with the lowest and the highest value. */
function extremesOf<O extends Observation>(rows: readonly O[]) {
  const reported = rows.filter(isReported);
  const [first] = reported;
  if (first === undefined) return {};
  return {
    lowest: reported.reduce((least, row) => (row.value < least.value ? row : least), first),
    highest: reported.reduce((most, row) => (row.value > most.value ? row : most), first),
  };
}

/**
 * The figures that stand for many observations, in one clause: "first 4.21 (2024-11-20), last …,
 * lowest …, highest …, mean …, change in a year …". Empty without any value. The change is from the
 * last observation that is a year older than the newest, where the rows go back so far; of a series in
 * percent, in points. Of a series with values of both signs, such as a spread, it says when the sign
 * last changed.
 */
export function describeFigures(rows: readonly Observation[], units = ''): string {
  const reported = rows.filter(isReported);
  const [first, last] = [reported[0], reported.at(-1)];
  const { lowest, highest } = extremesOf(reported);
  if (!first || !last || !lowest || !highest) return '';
  const mean = reported.reduce((sum, { value }) => sum + value, 0) / reported.length;
  return [
    `first ${show(first)}`,
    `last ${show(last)}`,
    `lowest ${show(lowest)}`,
    `highest ${show(highest)}`,
    `mean ${round(mean)}`,
    ...describeChange(reported, last, units),
    ...describeSign(reported),
  ].join(', ');
}

function describeChange(rows: readonly Reported[], last: Reported, units: string): string[] {
  const [year, ...rest] = last.date.split('-');
  const yearAgo = [Number(year) - 1, ...rest].join('-');
  const before = rows.findLast(({ date }) => date <= yearAgo);
  if (before === undefined) return [];
  const change = last.value - before.value;
  if (/^percent/i.test(units)) return [`change in a year ${round(change)} points`];
  const share = before.value > 0 ? ` (${round((100 * change) / before.value)} %)` : '';
  return [`change in a year ${round(change)}${share}`];
}

function describeSign(rows: readonly Reported[]): string[] {
  const signed = rows.filter(({ value }) => value !== 0);
  const changes = signed.filter(({ value }, at) => value * (signed[at - 1]?.value ?? value) < 0);
  const newest = changes.at(-1);
  if (newest === undefined) return [];
  const sign = newest.value > 0 ? 'positive' : 'negative';
  const earlier = changes.length > 1 ? ` (${changes.length} changes of sign in all)` : '';
  return [`${sign} since ${newest.date}${earlier}`];
}

function show({ value, date }: Reported): string {
  return `${value} (${date})`;
}

/** Six significant digits: what binary fractions add beyond is noise. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}
