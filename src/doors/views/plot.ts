import { bisectCenter } from 'd3-array';
import nber from '../../../data/recessions.json' with { type: 'json' };
import {
  type Axis,
  axisOf,
  datesBelow,
  drawAxis,
  drawDate,
  HEIGHT,
  ROOM,
  roomFor,
  WIDTH_OF_DATE,
} from './axes.ts';
import { make, makeSvg, nodesOf } from './dom.ts';
import type { History, Observation } from './tool-reply.ts';

const NARROWEST = 240;
/** A shorter drag, in pixels, is a click. */
const SHORTEST_DRAG = 8;

/** Start and end of each recession in Unix milliseconds: the ends of its peak month and its trough month. */
const RECESSIONS = nber.recessions.map((months) =>
  months.map((month) => {
    const [year = 0, number = 0] = month.split('-').map(Number);
    return Date.UTC(year, number);
  }),
);

export type Series = Pick<History, 'title' | 'units' | 'observations'>;

export interface PlotOptions {
  /** Shows the values at a date, initially the newest, and returns them in words for screen readers. */
  read(date: string): string;
  /** Called with the first and last day to show, or with empty strings to show all. */
  onZoom?(from: string, to: string): void;
  isLog?: boolean;
}

/**
 * A plot of one or two series, as wide as its parent. Each series needs a value, and together they need two dates.
 * Lines break at gaps, and each unit gets an axis. The pointer and the arrow keys move the cross-hair from date to
 * date. With `onZoom`, dragging the mouse or pressing + or - zooms, and Escape shows all.
 */
export function plotOf(seriesList: readonly Series[], options: PlotOptions): HTMLElement {
  const { onZoom, isLog = false } = options;
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
    title: onZoom && 'Drag or press + or − to zoom; Escape shows all',
  });
  let index = last;
  let width = 640;
  let drawn = draw(seriesList, times, width, isLog);
  /** Where a drag began, in pixels. */
  let anchor: number | undefined;

  const read = (target: number) => {
    index = Math.min(last, Math.max(0, target));
    const date = dates[index] ?? '';
    drawn.mark(date);
    element.setAttribute('aria-valuenow', String(index));
    element.setAttribute('aria-valuetext', options.read(date));
  };
  const redraw = () => {
    drawn = draw(seriesList, times, width, isLog);
    element.replaceChildren(drawn.svg);
    read(index);
  };
  // The element has no width until it is in the document.
  const watcher = new ResizeObserver(() => {
    if (!element.isConnected) return watcher.disconnect();
    const place = Math.max(NARROWEST, Math.floor(element.clientWidth));
    if (place === width) return;
    width = place;
    redraw();
  });
  watcher.observe(element);
  const placeOf = ({ clientX }: PointerEvent) => clientX - element.getBoundingClientRect().left;
  const follow = (event: PointerEvent) => {
    const place = placeOf(event);
    read(bisectCenter(times, drawn.timeAt(place)));
    if (anchor !== undefined) drawn.select(anchor, place);
  };
  element.addEventListener('pointermove', follow);
  element.addEventListener('pointerleave', () => {
    if (document.activeElement !== element) read(last);
  });
  element.addEventListener('blur', () => read(last));
  element.addEventListener('keydown', (event) => {
    const target = new Map([
      ['ArrowLeft', index - 1],
      ['ArrowDown', index - 1],
      ['ArrowRight', index + 1],
      ['ArrowUp', index + 1],
      ['Home', 0],
      ['End', last],
    ]).get(event.key);
    if (target === undefined) return;
    event.preventDefault();
    read(target);
  });
  redraw();
  if (onZoom === undefined) return element;

  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  const zoom = (start: number, end: number) => onZoom(dayOf(start), dayOf(end));
  element.addEventListener('pointerdown', (event) => {
    follow(event);
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    anchor = placeOf(event);
    element.setPointerCapture(event.pointerId);
  });
  // Also fires if the browser cancels the drag.
  element.addEventListener('lostpointercapture', (event) => {
    const [from = 0, to = 0] = [anchor ?? 0, placeOf(event)].sort((a, b) => a - b);
    anchor = undefined;
    drawn.select(0, 0);
    if (to - from >= SHORTEST_DRAG) zoom(drawn.timeAt(from), drawn.timeAt(to));
  });
  element.addEventListener('keydown', ({ key }) => {
    const factor = { '+': 0.25, '=': 0.25, '-': 1 }[key];
    const [here = 0, span] = [times[index], (times.at(-1) ?? 0) - (times[0] ?? 0)];
    if (key === 'Escape') onZoom('', '');
    if (factor !== undefined) zoom(here - span * factor, here + span * factor);
  });
  return element;
}

/** A sample of a series' line for the legend. */
export function swatch(at: number): SVGElement {
  const path = makeSvg('path', { class: `line series-${at + 1}`, d: 'M2 5L22 5' });
  const size = { viewBox: '0 0 24 10', width: 24, height: 10 };
  return makeSvg('svg', { ...size, 'aria-hidden': 'true' }, path);
}

function draw(
  seriesList: readonly Series[],
  times: readonly number[],
  width: number,
  isLog: boolean,
) {
  const units = [...new Set(seriesList.map((series) => series.units))];
  const axes = units.map((unit) => {
    const own = seriesList.filter((series) => series.units === unit);
    return axisOf(own, isLog);
  });
  const [left, right] = [roomFor(axes[0]), width - roomFor(axes[1])];
  const [start = 0, end = 0] = [times[0], times.at(-1)];
  const x = (time: number) => left + ((time - start) / (end - start)) * (right - left);
  const axisOfSeries = (series: Series) => axes[units.indexOf(series.units)];
  const lines = seriesList.map((series, at) => {
    const y = axisOfSeries(series)?.y ?? (() => 0);
    const points = series.observations.map(({ date, value }) =>
      value === null ? undefined : `${x(Date.parse(date)).toFixed(1)} ${y(value).toFixed(1)}`,
    );
    const steps = points.map((point, each) => `${points[each - 1] ? 'L' : 'M'}${point}`);
    const d = steps.filter((_, each) => points[each]).join('');
    return makeSvg('path', { class: `line series-${at + 1}`, d });
  });
  const bands = RECESSIONS.map(([from = 0, to = 0]) => {
    const [begin, stop] = [Math.max(from, start), Math.min(to, end)];
    return begin < stop && column('recession', x(begin), x(stop));
  });
  const cursor = makeSvg('g');
  const selection = column('selection', 0, 0);
  const most = Math.max(2, Math.floor((right - left) / WIDTH_OF_DATE));
  const label = seriesList.map((series) => `${series.title}, ${series.units}`).join('; ');
  const svg = makeSvg(
    'svg',
    { class: 'plot', role: 'img', viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-label': label },
    bands,
    axes.map((axis, side) => drawAxis(axis, side, left, right)),
    axes[0] && seriesList.length === 1 && latestAcross(axes[0], seriesList[0], left, right),
    datesBelow(start, end, most).map(({ time, label: words }) => drawDate(x(time), words, width)),
    // The first series is drawn on top.
    lines.reverse(),
    selection,
    cursor,
  );
  return {
    svg,
    timeAt: (place: number) => start + ((place - left) / (right - left)) * (end - start),
    /** Shades the plot between two positions, in pixels. */
    select(from: number, to: number) {
      selection.setAttribute('x', String(Math.max(left, Math.min(from, to))));
      selection.setAttribute('width', String(Math.abs(to - from)));
    },
    /** Moves the cross-hair. */
    mark(date: string) {
      const at = x(Date.parse(date));
      const [y1, y2] = [ROOM.top, HEIGHT - ROOM.bottom];
      const dots = seriesList.map((series, index) => {
        const { date: day = '', value = null } = observationAt(series, date) ?? {};
        const [cx, cy] = [x(Date.parse(day)), axisOfSeries(series)?.y(value ?? 0)];
        const name = `dot series-${index + 1}`;
        return value !== null && makeSvg('circle', { class: name, r: 4, cx, cy });
      });
      const rule = makeSvg('line', { class: 'rule', x1: at, x2: at, y1, y2 });
      cursor.replaceChildren(...nodesOf([rule, dots]));
    },
  };
}

function column(name: string, from: number, to: number): SVGElement {
  const height = HEIGHT - ROOM.top - ROOM.bottom;
  return makeSvg('rect', { class: name, x: from, y: ROOM.top, width: to - from, height });
}

/** A horizontal line at the newest value. */
function latestAcross({ y }: Axis, series: Series | undefined, left: number, right: number) {
  const at = y(series?.observations.findLast(({ value }) => value !== null)?.value ?? 0);
  return makeSvg('line', { class: 'latest', x1: left, x2: right, y1: at, y2: at });
}

/** The observation on a date, or else the latest before it. */
export function observationAt({ observations }: Series, date: string): Observation | undefined {
  return observations.findLast((each) => each.date <= date);
}
