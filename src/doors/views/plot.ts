import { bisectCenter, extent, nice, tickStep, ticks } from 'd3-array';
import { line } from 'd3-shape';
import { utcTicks } from 'd3-time';
import type { History, Observation } from './answer.ts';
import { make, makeSvg } from './dom.ts';
import { formatValue } from './format.ts';

const HEIGHT = 280;
const ROOM = { top: 12, bottom: 28, side: 14 };
/** Width of a digit and of a whole date, in pixels. */
const DIGIT = 7.2;
const DATE = 80;
const DAY_MS = 86_400_000;
const NARROWEST = 240;

/** A series as it is drawn; at most two share a plot. */
export type Series = Pick<History, 'title' | 'units' | 'observations'>;

/**
 * A plot as wide as its place, read date by date with the pointer or the arrow keys: one line for each
 * series, broken where a value is missing. Each has at least one value. Two units get an axis each.
 * `onRead` hears which of the dates the cross-hair is on, at first the newest; `describe` says for
 * screen readers what is there.
 */
export function plotOf(
  seriesList: readonly Series[],
  describe: (date: string) => string,
  onRead: (date: string) => void,
): HTMLElement {
  const days = seriesList.flatMap(({ observations }) => observations.map(({ date }) => date));
  const dates = [...new Set(days)].sort();
  const times = dates.map((date) => Date.parse(date));
  const last = dates.length - 1;
  const element = make('div', {
    class: 'reader',
    role: 'slider',
    tabindex: 0,
    'aria-label': 'Date',
    'aria-valuemin': 0,
    'aria-valuemax': last,
  });
  let index = last;
  let width = 640;
  let drawn = draw(seriesList, times, width);

  const read = (target: number) => {
    index = Math.min(last, Math.max(0, target));
    const date = dates[index] ?? '';
    drawn.mark(date);
    element.setAttribute('aria-valuenow', String(index));
    element.setAttribute('aria-valuetext', describe(date));
    onRead(date);
  };
  const redraw = () => {
    drawn = draw(seriesList, times, width);
    element.replaceChildren(drawn.svg);
    read(index);
  };
  // Its place has a width as soon as the document has it.
  const watcher = new ResizeObserver(() => {
    if (!element.isConnected) return watcher.disconnect();
    const place = Math.max(NARROWEST, Math.floor(element.clientWidth));
    if (place === width) return;
    width = place;
    redraw();
  });
  watcher.observe(element);
  const follow = ({ clientX }: PointerEvent) => {
    const time = drawn.timeAt(clientX - element.getBoundingClientRect().left);
    read(bisectCenter(times, time));
  };
  element.addEventListener('pointermove', follow);
  element.addEventListener('pointerdown', follow);
  element.addEventListener('pointerleave', () => {
    if (document.activeElement !== element) read(last);
  });
  element.addEventListener('blur', () => read(last));
  element.addEventListener('keydown', (event) => {
    const target = indexAfter(event.key, index, last);
    if (target === undefined) return;
    event.preventDefault();
    read(target);
  });
  redraw();
  return element;
}

/** Where a key leads, as the keys of a slider do; undefined for other keys. */
function indexAfter(key: string, index: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    Home: -index,
    End: last - index,
  };
  const step = steps[key];
  return step === undefined ? undefined : index + step;
}

function draw(seriesList: readonly Series[], times: readonly number[], width: number) {
  const units = [...new Set(seriesList.map((series) => series.units))];
  const axes = units.map((unit) => axisOf(seriesList.filter((series) => series.units === unit)));
  const [left, right] = [roomFor(axes[0]), width - roomFor(axes[1])];
  const [first = 0, latest = 0] = [times[0], times.at(-1)];
  const [start, end] = first === latest ? [first - DAY_MS, latest + DAY_MS] : [first, latest];
  const x = (time: number) => left + ((time - start) / (end - start)) * (right - left);
  const axisOfSeries = (series: Series) => axes[units.indexOf(series.units)];
  const lines = seriesList.map((series, at) => {
    const y = axisOfSeries(series)?.y ?? (() => 0);
    const path = line<Observation>()
      .defined(({ value }) => value !== null)
      .x(({ date }) => x(Date.parse(date)))
      .y(({ value }) => y(value ?? 0))
      .digits(1);
    return makeSvg('path', {
      class: `line series-${at + 1}`,
      d: path(series.observations) ?? '',
    });
  });
  const rule = makeSvg('line', { class: 'rule', y1: ROOM.top, y2: HEIGHT - ROOM.bottom });
  const dots = seriesList.map((_, at) =>
    makeSvg('circle', { class: `dot series-${at + 1}`, r: 4 }),
  );
  const most = Math.max(2, Math.floor((right - left) / DATE));
  const label = seriesList.map((series) => `${series.title}, ${series.units}`).join('; ');
  const svg = makeSvg(
    'svg',
    { class: 'plot', role: 'img', viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-label': label },
    ...axes.flatMap((axis, side) => drawAxis(axis, side, left, right)),
    ...datesBelow(start, end, most).map(({ time, label: words }) =>
      drawDate(x(time), words, width),
    ),
    // The first series stands out: it is drawn last.
    ...lines.reverse(),
    makeSvg('g', {}, rule, ...dots),
  );
  return {
    svg,
    timeAt: (place: number) => start + ((place - left) / (right - left)) * (end - start),
    /** Puts the cross-hair on a date. */
    mark(date: string) {
      const at = String(x(Date.parse(date)));
      rule.setAttribute('x1', at);
      rule.setAttribute('x2', at);
      for (const [index, series] of seriesList.entries()) {
        const observation = observationAt(series, date);
        const value = observation?.value ?? null;
        const dot = dots[index];
        dot?.setAttribute('visibility', value === null ? 'hidden' : 'visible');
        if (value === null || observation === undefined) continue;
        dot?.setAttribute('cx', String(x(Date.parse(observation.date))));
        dot?.setAttribute('cy', String(axisOfSeries(series)?.y(value)));
      }
    },
  };
}

interface Axis {
  values: readonly number[];
  labels: readonly string[];
  y(value: number): number;
}

function axisOf(seriesList: readonly Series[]): Axis {
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
function roomFor(axis: Axis | undefined): number {
  const letters = (axis?.labels ?? []).map((label) => label.length);
  return ROOM.side + Math.max(0, ...letters) * DIGIT;
}

/** Grid lines belong to the left axis; the right one has its labels alone. */
function drawAxis({ values, labels, y }: Axis, side: number, left: number, right: number) {
  return values.map((value, index) => {
    const place = side === 0 ? { x: left - 8, 'text-anchor': 'end' } : { x: right + 8 };
    const grid = makeSvg('line', { x1: left, x2: right, y1: y(value), y2: y(value) });
    const text = makeSvg('text', { ...place, y: y(value) + 4 }, labels[index] ?? '');
    return makeSvg('g', { class: 'tick' }, ...(side === 0 ? [grid] : []), text);
  });
}

function drawDate(x: number, label: string, width: number): SVGElement {
  const line = makeSvg('line', { x1: x, x2: x, y1: HEIGHT - ROOM.bottom, y2: HEIGHT - 22 });
  // The edge would cut it off.
  const anchor = x > width - DATE / 2 ? 'end' : 'middle';
  const text = makeSvg('text', { x, y: HEIGHT - 8, 'text-anchor': anchor }, label);
  return makeSvg('g', { class: 'tick date' }, line, text);
}

/** Dates below a plot: beginnings of years, months or days, at most so many. */
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

/** The observation of a date, or the latest before it. */
export function observationAt({ observations }: Series, date: string): Observation | undefined {
  return observations.findLast((each) => each.date <= date);
}
