import { extent, nice, tickStep, ticks } from 'd3-array';
import { utcTicks } from 'd3-time';
import { makeSvg } from './dom.ts';
import { formatTicks } from './format.ts';
import type { History } from './tool-reply.ts';

/** Height of a plot, in pixels. */
export const HEIGHT = 280;
/** Margins around the lines, in pixels; an axis adds the width of its labels. */
export const ROOM = { top: 12, bottom: 28, side: 14 };
export const WIDTH_OF_DATE = 80;
const WIDTH_OF_DIGIT = 7.2;

export interface Axis {
  values: readonly number[];
  labels: readonly string[];
  y(value: number): number;
}

export function axisOf(
  seriesList: readonly Pick<History, 'units' | 'observations'>[],
  isLog: boolean,
): Axis {
  const all = seriesList.flatMap(({ observations }) =>
    observations.flatMap(({ value }) => value ?? []),
  );
  const [lowest = 0, highest = 0] = extent(all);
  const margin = lowest === highest ? Math.abs(lowest) * 0.05 || 0.5 : 0;
  const [low, high] = isLog
    ? [lowest - margin, highest]
    : nice(lowest - margin, highest + margin, 5);
  const step = tickStep(low, high, 5);
  const values = isLog ? logTicks(low, high) : ticks(low, high, 5);
  const place = isLog ? Math.log : Number;
  const share = (value: number) => (place(value) - place(low)) / (place(high) - place(low));
  const smallest = isLog ? Math.min(step, ...values) : step;
  return {
    values,
    labels: formatTicks(values, smallest, seriesList[0]?.units ?? ''),
    y: (value) => HEIGHT - ROOM.bottom - share(value) * (HEIGHT - ROOM.top - ROOM.bottom),
  };
}

/** 1, 2 and 5 times each power of ten, or evenly spaced values if fewer than three of these are in range. */
function logTicks(low: number, high: number): number[] {
  const powers = ticks(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)), 20)
    .filter(Number.isInteger)
    .flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power))
    .filter((value) => value >= low && value <= high);
  return powers.length < 3 ? ticks(low, high, 5) : powers;
}

/** The width of a side margin, including the labels of its axis, if any. */
export function roomFor(axis: Axis | undefined): number {
  const letters = (axis?.labels ?? []).map((label) => label.length);
  return ROOM.side + Math.max(0, ...letters) * WIDTH_OF_DIGIT;
}

/** Only the left axis draws grid lines. */
export function drawAxis({ values, labels, y }: Axis, side: number, left: number, right: number) {
  const hasZero = values.some((value) => value < 0);
  return values.map((value, index) => {
    const place = side === 0 ? { x: left - 8, 'text-anchor': 'end' } : { x: right + 8 };
    const name = hasZero && value === 0 ? 'zero' : undefined;
    const grid = makeSvg('line', { class: name, x1: left, x2: right, y1: y(value), y2: y(value) });
    const text = makeSvg('text', { ...place, y: y(value) + 4 }, labels[index] ?? '');
    return makeSvg('g', { class: 'tick' }, side === 0 && grid, text);
  });
}

export function drawDate(x: number, label: string, width: number): SVGElement {
  const line = makeSvg('line', { x1: x, x2: x, y1: HEIGHT - ROOM.bottom, y2: HEIGHT - 22 });
  // Keep the last label from being cut off at the edge.
  const anchor = x > width - WIDTH_OF_DATE / 2 ? 'end' : 'middle';
  const text = makeSvg('text', { x, y: HEIGHT - 8, 'text-anchor': anchor }, label);
  return makeSvg('g', { class: 'tick date' }, line, text);
}

/** At most `most` dates to label below a plot: years, months or days. */
export function datesBelow(start: number, end: number, most: number) {
  const all = utcTicks(new Date(start), new Date(end), most);
  const dates = all.filter((_, index) => index % Math.ceil(all.length / most) === 0);
  const isMonthly = dates.every((date) => date.getUTCDate() === 1);
  const isYearly = isMonthly && dates.every((date) => date.getUTCMonth() === 0);
  const parts: Intl.DateTimeFormatOptions = {
    ...(isMonthly ? { year: 'numeric' } : { day: 'numeric' }),
    ...(isYearly ? {} : { month: 'short' }),
  };
  const format = new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' });
  return dates.map((date) => ({ time: date.getTime(), label: format.format(date) }));
}
