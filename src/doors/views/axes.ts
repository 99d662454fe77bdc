import { extent, nice, tickStep, ticks } from 'd3-array';
import { type TimeInterval, utcDay, utcMonth, utcTickInterval, utcYear } from 'd3-time';
import type { History } from './answer.ts';
import { makeSvg } from './dom.ts';
import { formatPeriod, formatValue } from './format.ts';

export const HEIGHT = 280;
export const ROOM = { top: 12, bottom: 28, side: 14 };
/** Width of a digit and of a whole date, in pixels. */
const DIGIT = 7.2;
export const DATE = 80;
export const DAY_MS = 86_400_000;

/** Periods of the series, finest first; below a plot stand no dates between them. */
const FINEST: readonly (readonly [
  frequency: string,
  interval: TimeInterval | null,
  days: number,
])[] = [
  ['Daily', utcDay, 1],
  ['Weekly', utcDay, 1],
  ['Monthly', utcMonth, 28],
  ['Quarterly', utcMonth.every(3), 90],
  ['Annual', utcYear, 365],
];

/** A series as it is drawn; at most two share a plot. */
export type Series = Pick<History, 'title' | 'units' | 'frequency' | 'observations'>;

export interface Axis {
  values: readonly number[];
  labels: readonly string[];
  y(value: number): number;
}

export function axisOf(seriesList: readonly Series[]): Axis {
  const all = seriesList.flatMap(({ observations }) =>
    observations.flatMap(({ value }) => value ?? []),
  );
  const [lowest = 0, highest = 0] = extent(all);
  const margin = lowest === highest ? Math.abs(lowest) * 0.05 || 0.5 : 0;
  const [low, high] = nice(lowest - margin, highest + margin, 5);
  const digits = Math.max(0, -Math.floor(Math.log10(tickStep(low, high, 5)) + 1e-9));
  const values = ticks(low, high, 5);
  return {
    values,
    labels: values.map((value) => formatValue(value, Math.min(12, digits))),
    y: (value) =>
      HEIGHT - ROOM.bottom - ((value - low) / (high - low)) * (HEIGHT - ROOM.top - ROOM.bottom),
  };
}

/** The width of the labels of an axis, or of the margin where there is none. */
export function roomFor(axis: Axis | undefined): number {
  const letters = (axis?.labels ?? []).map((label) => label.length);
  return ROOM.side + Math.max(0, ...letters) * DIGIT;
}

/** Grid lines belong to the left axis; the right one has its labels alone. */
export function drawAxis({ values, labels, y }: Axis, side: number, left: number, right: number) {
  return values.map((value, index) => {
    const isZero = value === 0 && index > 0 && index < values.length - 1;
    const place = side === 0 ? { x: left - 8, 'text-anchor': 'end' } : { x: right + 8 };
    const grid = makeSvg('line', { x1: left, x2: right, y1: y(value), y2: y(value) });
    const text = makeSvg('text', { ...place, y: y(value) + 4 }, labels[index] ?? '');
    const kind = isZero && side === 0 ? 'tick zero' : 'tick';
    return makeSvg('g', { class: kind }, ...(side === 0 ? [grid] : []), text);
  });
}

export function drawDate(x: number, label: string, width: number): SVGElement {
  const line = makeSvg('line', { x1: x, x2: x, y1: HEIGHT - ROOM.bottom, y2: HEIGHT - 22 });
  // The edge would cut it off.
  const anchor = x > width - DATE / 2 ? 'end' : 'middle';
  const text = makeSvg('text', { x, y: HEIGHT - 8, 'text-anchor': anchor }, label);
  return makeSvg('g', { class: 'tick date' }, line, text);
}

/** Dates below a plot: beginnings of years, months or days, none finer than the finest series. */
export function datesBelow(
  start: number,
  end: number,
  most: number,
  seriesList: readonly Pick<Series, 'frequency'>[],
): { time: number; label: string }[] {
  const [frequency, finest, days] = FINEST.find(([name]) =>
    seriesList.some((series) => series.frequency === name),
  ) ?? ['Daily', utcDay, 1];
  const [from, to] = [new Date(start), new Date(end + 1)];
  const fitting = utcTickInterval(from, to, most)?.range(from, to) ?? [];
  const [one = from, two = to] = fitting;
  const isFiner = (two.getTime() - one.getTime()) / DAY_MS < days;
  const candidates = isFiner || fitting.length === 0 ? (finest?.range(from, to) ?? []) : fitting;
  const shown = candidates.filter((_, index) => index % Math.ceil(candidates.length / most) === 0);
  const isYearly = shown.every((date) => date.getUTCMonth() === 0 && date.getUTCDate() === 1);
  const isMonthly = shown.every((date) => date.getUTCDate() === 1);
  const period =
    isYearly && shown.length > 1
      ? 'Annual'
      : isMonthly && frequency !== 'Quarterly'
        ? 'Monthly'
        : frequency;
  return shown.map((date) => ({ time: date.getTime(), label: shorten(date, period) }));
}

function shorten(date: Date, period: string): string {
  if (period === 'Annual' || period === 'Quarterly') {
    return formatPeriod(date.toISOString().slice(0, 10), period);
  }
  const parts =
    period === 'Monthly' ? ({ year: 'numeric' } as const) : ({ day: 'numeric' } as const);
  return date.toLocaleDateString('en-GB', { month: 'short', ...parts, timeZone: 'UTC' });
}
