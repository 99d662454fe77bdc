import { makeSvg } from './dom.js';
import { dateTicks, valueTicks } from './scales.js';

const HEIGHT = 300;
const ROOM = { top: 14, right: 16, bottom: 28, left: 14 };
/** Width of a digit and of a whole date in the labels, in pixels. */
const DIGIT = 7.2;
const DATE = 72;

/**
 * @typedef {{date: string, value: number | null}} Observation
 * @typedef {{title: string, units: string, frequency: string, observations: Observation[]}} Series
 * @typedef {object} Plot
 * @property {SVGSVGElement} svg
 * @property {(index: number) => void} mark puts the cross-hair on an observation
 * @property {(x: number) => number} nearest the observation at a place, in pixels from the left
 */

/**
 * A line of the series, broken where a value is missing. At least one observation has a value.
 * @param {Series} series
 * @param {number} width in pixels
 * @returns {Plot}
 */
export function drawPlot(series, width) {
  const points = series.observations.map(({ date, value }) => ({ at: Date.parse(date), value }));
  const values = points.flatMap(({ value }) => value ?? []);
  const { ticks, digits } = valueTicks(Math.min(...values), Math.max(...values), 5);
  const labels = ticks.map((value) => formatValue(value, digits));
  const left = ROOM.left + Math.max(...labels.map((label) => label.length)) * DIGIT;
  const [start, end] = paddedRange(points.map(({ at }) => at));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  /** @param {number} at */
  const x = (at) => left + ((at - start) / (end - start)) * (width - left - ROOM.right);
  /** @param {number} value */
  const y = (value) =>
    HEIGHT - ROOM.bottom - ((value - low) / (high - low)) * (HEIGHT - ROOM.top - ROOM.bottom);

  const rule = makeSvg('line', { class: 'rule', y1: ROOM.top, y2: HEIGHT - ROOM.bottom });
  const dot = makeSvg('circle', { class: 'dot', r: 4 });
  const cross = makeSvg('g', { class: 'cross' }, rule, dot);
  const most = Math.max(2, Math.floor((width - left) / DATE));
  const svg = makeSvg(
    'svg',
    {
      class: 'plot',
      role: 'img',
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      'aria-labelledby': 'plot-title plot-summary',
    },
    makeSvg('title', { id: 'plot-title' }, `${series.title}, ${series.units}`),
    makeSvg('desc', { id: 'plot-summary' }, summarise(series)),
    ...ticks.map((value, index) => {
      const line = { x1: left, x2: width - ROOM.right, y1: y(value), y2: y(value) };
      return makeSvg(
        'g',
        { class: 'tick' },
        makeSvg('line', line),
        makeSvg(
          'text',
          { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' },
          labels[index] ?? '',
        ),
      );
    }),
    ...dateTicks(start, end, most).map(({ at, label }) =>
      makeSvg(
        'g',
        { class: 'tick' },
        makeSvg('line', { x1: x(at), x2: x(at), y1: HEIGHT - ROOM.bottom, y2: HEIGHT - 22 }),
        makeSvg('text', { x: x(at), y: HEIGHT - 8, 'text-anchor': anchorAt(x(at), width) }, label),
      ),
    ),
    makeSvg('path', { class: 'line', d: pathOf(points, x, y) }),
    cross,
  );
  return {
    svg,
    mark(index) {
      const point = points[index];
      if (point === undefined) return;
      rule.setAttribute('x1', String(x(point.at)));
      rule.setAttribute('x2', String(x(point.at)));
      dot.setAttribute('cx', String(x(point.at)));
      dot.setAttribute('cy', String(y(point.value ?? low)));
      dot.setAttribute('visibility', point.value === null ? 'hidden' : 'visible');
    },
    nearest: (place) => indexNearest(points, (place - x(start)) / (x(end) - x(start)), start, end),
  };
}

/**
 * How to anchor a label at a place, so that the edge does not cut it off.
 * @param {number} place
 * @param {number} width
 */
function anchorAt(place, width) {
  return place > width - DATE / 2 ? 'end' : 'middle';
}

/**
 * One line for each run of values; a value between two gaps is a line without length, which its
 * round ends make a dot.
 * @param {readonly {at: number, value: number | null}[]} points
 * @param {(at: number) => number} x
 * @param {(value: number) => number} y
 */
function pathOf(points, x, y) {
  let isOpen = false;
  return points
    .map(({ at, value }) => {
      const start = value !== null && !isOpen;
      isOpen = value !== null;
      if (value === null) return '';
      const place = `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      return start ? `M${place}L${place}` : `L${place}`;
    })
    .join('');
}

/** @param {readonly number[]} times @returns {[number, number]} a range with some length */
function paddedRange(times) {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return first === last ? [first - 86_400_000, last + 86_400_000] : [first, last];
}

/**
 * @param {readonly {at: number}[]} points in order
 * @param {number} part of the way from `start` to `end`
 * @param {number} start
 * @param {number} end
 */
function indexNearest(points, part, start, end) {
  const wanted = start + part * (end - start);
  const after = points.findIndex(({ at }) => at >= wanted);
  if (after < 1) return after === 0 ? 0 : points.length - 1;
  const [before, next] = [points[after - 1], points[after]];
  if (before === undefined || next === undefined) return 0;
  return wanted - before.at < next.at - wanted ? after - 1 : after;
}

/**
 * @param {number} value
 * @param {number} [digits] decimals; as many as the value has without it
 */
export function formatValue(value, digits) {
  const decimals =
    digits === undefined
      ? { maximumFractionDigits: 6 }
      : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  // A tick at zero may come out as a negative zero.
  return new Intl.NumberFormat('en-US', decimals).format(value === 0 ? 0 : value);
}

/** @param {string} date YYYY-MM-DD */
export function formatDate(date) {
  const parts = /** @type {const} */ ({ day: 'numeric', month: 'short', year: 'numeric' });
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(Date.parse(date));
}

/**
 * The series in a sentence or two, for users who cannot see the line.
 * @param {Series} series
 */
function summarise({ observations, frequency, units }) {
  const held = observations.flatMap(({ date, value }) => (value === null ? [] : [{ date, value }]));
  const lowest = held.reduce((a, b) => (b.value < a.value ? b : a));
  const highest = held.reduce((a, b) => (b.value > a.value ? b : a));
  const [first, last] = [observations[0], observations.at(-1)];
  const missing = observations.length - held.length;
  /** @param {{date: string, value: number}} at */
  const say = (at) => `${formatValue(at.value)} on ${formatDate(at.date)}`;
  return [
    `${observations.length} observations (${frequency.toLowerCase()}), ${units},`,
    `from ${formatDate(first?.date ?? '')} to ${formatDate(last?.date ?? '')}.`,
    `Lowest ${say(lowest)}, highest ${say(highest)}, latest ${say(held.at(-1) ?? highest)}.`,
    missing === 0 ? '' : `${missing} without a value, shown as gaps.`,
  ]
    .join(' ')
    .trim();
}
