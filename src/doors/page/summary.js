// Plots in words, for users who cannot see the lines.

import { formatPeriod, formatValue, nameOf } from './format.js';

/** @param {readonly import('./lines.js').Series[]} seriesList */
export function describePlot(seriesList) {
  return seriesList.map(({ title, units }) => `${nameOf(title)}, ${units}`).join('; ');
}

/**
 * A series in a sentence or two. It has at least one value.
 * @param {import('./lines.js').Series} series
 */
export function summarise({ title, observations, frequency, units }) {
  const held = observations.flatMap(({ date, value }) => (value === null ? [] : [{ date, value }]));
  const lowest = held.reduce((a, b) => (b.value < a.value ? b : a));
  const highest = held.reduce((a, b) => (b.value > a.value ? b : a));
  const [first, last] = [observations[0], observations.at(-1)];
  const missing = observations.length - held.length;
  /** @param {{date: string, value: number}} at */
  const say = (at) => `${formatValue(at.value)} (${formatPeriod(at.date, frequency)})`;
  return [
    `${nameOf(title)}: ${observations.length} observations (${frequency.toLowerCase()}), ${units},`,
    `${formatPeriod(first?.date ?? '', frequency)} to ${formatPeriod(last?.date ?? '', frequency)}.`,
    `Lowest ${say(lowest)}, highest ${say(highest)}, latest ${say(held.at(-1) ?? highest)}.`,
    missing === 0 ? '' : `${missing} without a value, shown as gaps.`,
  ]
    .join(' ')
    .trim();
}
