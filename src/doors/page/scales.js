// Ticks of the two axes: round values, and dates at which a year, a month or a day begins.

import { formatPeriod } from './format.js';

const DAY_MS = 86_400_000;
const DAY_STEPS = [1, 2, 7, 14];
/** A year is so much narrower than a whole date: more of them fit. */
const YEARS_FOR_DATES = 1.8;
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240];
/** Months in a period; days are shown where a series has none. @type {Record<string, number>} */
const PERIOD_MONTHS = { Monthly: 1, Quarterly: 3, Annual: 12 };

/**
 * Round values around a range, `most` intervals or a few fewer; the first and the last enclose it.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 * @returns {{ticks: number[], digits: number}} with the decimals that tell them apart
 */
export function valueTicks(low, high, most) {
  const spread = high - low || Math.abs(high) * 0.1 || 1;
  const [from, to] = high === low ? [low - spread / 2, high + spread / 2] : [low, high];
  let step = 10 ** Math.floor(Math.log10(spread / most));
  for (const factor of [2, 2.5, 2]) {
    if (spread / step <= most) break;
    step *= factor;
  }
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const first = Math.floor(from / step + 1e-9);
  const last = Math.ceil(to / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { ticks, digits };
}

/**
 * Beginnings of days, quarters, months or years in a range of times, and none finer than the
 * periods of the series.
 * @param {number} start milliseconds since 1970, UTC
 * @param {number} end
 * @param {number} most how many whole dates fit, at least 2; of years a few more
 * @param {string} [frequency] that of the finest series
 * @returns {{at: number, label: string}[]}
 */
export function dateTicks(start, end, most, frequency = 'Daily') {
  const finest = PERIOD_MONTHS[frequency] ?? 0;
  for (const days of finest === 0 ? DAY_STEPS : []) {
    const step = days * DAY_MS;
    const first = Math.ceil(start / step);
    if (Math.floor(end / step) - first < most) {
      return multiples(first, Math.floor(end / step)).map((n) => tick(n * step, 'Daily'));
    }
  }
  const [from, to] = [Math.ceil(monthOf(start)), Math.floor(monthOf(end))];
  const years = Math.floor(most * YEARS_FOR_DATES);
  const fitting = MONTH_STEPS.find(
    (step) =>
      step >= finest && Math.floor(to / step) - Math.ceil(from / step) < (step < 12 ? most : years),
  );
  const months = fitting ?? Math.ceil((to - from) / years / 240) * 240;
  const period = months >= 12 ? 'Annual' : finest === 3 ? 'Quarterly' : 'Monthly';
  return multiples(Math.ceil(from / months), Math.floor(to / months)).map((n) =>
    tick(Date.UTC(2000, n * months), period),
  );
}

/** @param {readonly number[]} times in order @returns {[number, number]} a range with some length */
export function paddedRange(times) {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return first === last ? [first - DAY_MS, last + DAY_MS] : [first, last];
}

/**
 * The index of the time that is nearest.
 * @param {readonly number[]} times in order
 * @param {number} wanted
 */
export function indexNearest(times, wanted) {
  const after = times.findIndex((at) => at >= wanted);
  if (after < 1) return after === 0 ? 0 : times.length - 1;
  const [before = 0, next = 0] = [times[after - 1], times[after]];
  return wanted - before < next - wanted ? after - 1 : after;
}

/**
 * Months since the year 2000, with the part of the month that has passed.
 * @param {number} time
 */
function monthOf(time) {
  const date = new Date(time);
  return (date.getUTCFullYear() - 2000) * 12 + date.getUTCMonth() + (date.getUTCDate() - 1) / 31;
}

/**
 * @param {number} first
 * @param {number} last
 */
function multiples(first, last) {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/**
 * @param {number} at
 * @param {string} period what the label names; days and months are short, to leave room
 */
function tick(at, period) {
  const date = new Date(at).toISOString().slice(0, 10);
  if (period === 'Annual' || period === 'Quarterly')
    return { at, label: formatPeriod(date, period) };
  /** @type {Intl.DateTimeFormatOptions} */
  const parts =
    period === 'Daily' ? { day: 'numeric', month: 'short' } : { month: 'short', year: 'numeric' };
  return { at, label: new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(at) };
}
