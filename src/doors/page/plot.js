import { makeSvg } from './dom.js';
import { drawEnds } from './ends.js';
import { formatValue } from './format.js';
import { makeLegend } from './legend.js';
import { drawingOf } from './lines.js';
import { dateTicks, indexNearest, paddedRange, valueTicks } from './scales.js';
import { describePlot, summarise } from './summary.js';

const HEIGHT = 300;
const ROOM = { top: 30, right: 16, bottom: 28, side: 14, number: 10 };
/** Width of a digit, of a letter of an axis title and of a whole date, in pixels. */
const DIGIT = 7.2;
const LETTER = 6.4;
const DATE = 76;
/** Tells the plots of one document apart. */
let count = 0;

/**
 * @typedef {import('./lines.js').Series} Series
 * @typedef {import('./lines.js').Scale} Scale
 * @typedef {object} Axis
 * @property {string} title
 * @property {number[]} ticks
 * @property {string[]} labels
 * @property {(value: number) => number} y
 *
 * @typedef {object} Plot
 * @property {SVGSVGElement} svg
 * @property {HTMLElement} legend a key to the lines, with their values at the cross-hair
 * @property {string[]} dates every date of any series, in order; an index below is one of these
 * @property {{left: number, right: number}} inset of the lines, in pixels
 * @property {string} note where values are not drawn as published, a sentence that says so
 * @property {(index: number) => void} mark puts the cross-hair on a date
 * @property {(index: number) => string} say the values at a date in words
 * @property {(x: number) => number} nearest the date at a place, in pixels from the left
 */

/**
 * One line for each series, broken where a value is missing. Each has at least one value.
 * @param {readonly Series[]} seriesList one to five
 * @param {number} width in pixels
 * @param {Scale} [scale] a wish: more than two units never fit as published
 * @returns {Plot}
 */
export function drawPlot(seriesList, width, scale = 'published') {
  const drawing = drawingOf(seriesList, scale);
  const { lines } = drawing;
  const dates = [...new Set(lines.flatMap(({ points }) => points.map(({ date }) => date)))].sort();
  const times = dates.map((date) => Date.parse(date));
  const axes = drawing.axes.map((title, side) => axisOf(drawing, title, side));
  const left = roomFor(axes[0]) ?? ROOM.side;
  const right = (roomFor(axes[1]) ?? ROOM.right) + (lines.length > 1 ? ROOM.number : 0);
  const [start, end] = paddedRange(times);
  /** @param {number} at */
  const x = (at) => left + ((at - start) / (end - start)) * (width - left - right);

  /** @param {number} line @returns {(value: number) => number} */
  const yOf = (line) => axes[lines[line]?.axis ?? 0]?.y ?? (() => 0);

  const legend = makeLegend(drawing);
  const rule = makeSvg('line', { class: 'rule', y1: ROOM.top, y2: HEIGHT - ROOM.bottom });
  const dots = lines.map((_, at) => makeSvg('circle', { class: `dot series-${at + 1}`, r: 4 }));
  count += 1;
  const summary = `plot-${count}-summary`;
  const most = Math.max(2, Math.floor((width - left - right) / DATE));
  const svg = makeSvg(
    'svg',
    {
      class: 'plot',
      role: 'img',
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      'aria-label': describePlot(seriesList),
      'aria-describedby': summary,
    },
    makeSvg('desc', { id: summary }, seriesList.map(summarise).join(' ')),
    ...axes.flatMap((axis, side) => drawAxis(axis, side, left, width - right, lines.length > 1)),
    ...titlesOf(axes, width),
    ...dateTicks(start, end, most, legend.frequency).map(({ at, label }) =>
      drawDate(x(at), label, width),
    ),
    // The first series stands out: it is drawn last.
    ...lines
      .map(({ points }, at) =>
        makeSvg('path', { class: `line series-${at + 1}`, d: pathOf(points, x, yOf(at)) }),
      )
      .reverse(),
    ...drawEnds(
      lines.map(({ points }, at) => {
        const last = points.findLast(({ shown }) => shown !== null);
        return { x: x(last?.at ?? end), y: yOf(at)(last?.shown ?? 0) };
      }),
    ),
    makeSvg('g', { class: 'cross' }, rule, ...dots),
  );
  return {
    svg,
    legend: legend.element,
    dates,
    inset: { left, right },
    note: drawing.note,
    mark(index) {
      const at = x(times[index] ?? start);
      rule.setAttribute('x1', String(at));
      rule.setAttribute('x2', String(at));
      for (const [line, point] of legend.show(dates[index] ?? '').entries()) {
        const shown = point?.shown ?? null;
        dots[line]?.setAttribute('visibility', shown === null ? 'hidden' : 'visible');
        if (point === undefined || shown === null) continue;
        dots[line]?.setAttribute('cx', String(x(point.at)));
        dots[line]?.setAttribute('cy', String(yOf(line)(shown)));
      }
    },
    say: (index) => legend.say(dates[index] ?? ''),
    nearest: (place) =>
      indexNearest(times, start + ((place - x(start)) / (x(end) - x(start))) * (end - start)),
  };
}

/**
 * @param {import('./lines.js').Drawing} drawing
 * @param {string} title
 * @param {number} side
 * @returns {Axis}
 */
function axisOf({ lines }, title, side) {
  const values = lines.flatMap(({ axis, points }) =>
    axis === side ? points.flatMap(({ shown }) => shown ?? []) : [],
  );
  const lowest = values.reduce((a, b) => Math.min(a, b));
  const highest = values.reduce((a, b) => Math.max(a, b));
  const { ticks, digits } = valueTicks(lowest, highest, 5);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  return {
    title,
    ticks,
    labels: ticks.map((value) => formatValue(value, digits)),
    y: (value) =>
      HEIGHT - ROOM.bottom - ((value - low) / (high - low)) * (HEIGHT - ROOM.top - ROOM.bottom),
  };
}

/** @param {Axis | undefined} axis */
function roomFor(axis) {
  if (axis === undefined) return undefined;
  return ROOM.side + Math.max(...axis.labels.map((label) => label.length)) * DIGIT;
}

/**
 * Grid lines belong to the left axis; the right one has its labels alone.
 * @param {Axis} axis
 * @param {number} side
 * @param {number} left
 * @param {number} right
 * @param {boolean} hasNumbers between the lines and the labels of the right axis
 */
function drawAxis({ ticks, labels, y }, side, left, right, hasNumbers) {
  return ticks.map((value, index) => {
    const isZero = value === 0 && index > 0 && index < ticks.length - 1;
    const grid = { x1: left, x2: right, y1: y(value), y2: y(value) };
    const text = { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' };
    return makeSvg(
      'g',
      { class: isZero && side === 0 ? 'tick zero' : 'tick' },
      ...(side === 0 ? [makeSvg('line', grid)] : []),
      makeSvg(
        'text',
        side === 0
          ? text
          : { ...text, x: right + (hasNumbers ? 8 + ROOM.number : 8), 'text-anchor': 'start' },
        labels[index] ?? '',
      ),
    );
  });
}

/**
 * @param {number} x
 * @param {string} label
 * @param {number} width
 */
function drawDate(x, label, width) {
  const line = { x1: x, x2: x, y1: HEIGHT - ROOM.bottom, y2: HEIGHT - 22 };
  const text = { x, y: HEIGHT - 8, 'text-anchor': anchorAt(x, width) };
  return makeSvg('g', { class: 'tick date' }, makeSvg('line', line), makeSvg('text', text, label));
}

/**
 * What the axes measure, where there is room; the legend says it too.
 * @param {readonly Axis[]} axes
 * @param {number} width
 */
function titlesOf(axes, width) {
  const letters = axes.reduce((sum, { title }) => sum + title.length, 0);
  if (letters * LETTER + 24 > width) return [];
  return axes.map(({ title }, side) =>
    makeSvg(
      'text',
      {
        class: 'unit',
        x: side === 0 ? 0 : width,
        y: 12,
        'text-anchor': side === 0 ? 'start' : 'end',
      },
      title,
    ),
  );
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
 * @param {readonly import('./lines.js').Point[]} points
 * @param {(at: number) => number} x
 * @param {(value: number) => number} y
 */
function pathOf(points, x, y) {
  let isOpen = false;
  return points
    .map(({ at, shown }) => {
      const start = shown !== null && !isOpen;
      isOpen = shown !== null;
      if (shown === null) return '';
      const place = `${x(at).toFixed(1)} ${y(shown).toFixed(1)}`;
      return start ? `M${place}L${place}` : `L${place}`;
    })
    .join('');
}
