import { make } from '../page/dom.js';
import { drawPlot } from '../page/plot.js';

/** Narrowest plot, in pixels. */
const NARROWEST = 240;
/** Observations that PageUp and PageDown pass over. */
const PAGE = 12;

/**
 * @typedef {import('../page/lines.js').Series} Series
 * @typedef {object} Reader
 * @property {HTMLElement} element
 * @property {() => void} close stops watching the width
 */

/**
 * A plot as wide as its place, read point by point with the pointer or the arrow keys.
 * @param {Series} series with at least one value
 * @param {object} options
 * @param {(index: number) => string} options.describe an observation in words, for screen readers
 * @param {(index: number) => void} options.onRead
 * @returns {Reader}
 */
export function readPlot(series, { describe, onRead }) {
  const last = series.observations.length - 1;
  const element = make('div', {
    class: 'reader',
    role: 'slider',
    tabindex: 0,
    'aria-label': 'Observation',
    'aria-valuemin': 0,
    'aria-valuemax': last,
  });
  let index = last;
  let width = 0;
  /** @type {ReturnType<typeof drawPlot> | undefined} */
  let plot;

  /** @param {number} wanted */
  const read = (wanted) => {
    index = Math.min(last, Math.max(0, wanted));
    plot?.mark(index);
    element.setAttribute('aria-valuenow', String(index));
    element.setAttribute('aria-valuetext', describe(index));
    onRead(index);
  };
  const draw = () => {
    width = Math.max(NARROWEST, Math.floor(element.clientWidth));
    plot = drawPlot([series], width);
    element.replaceChildren(plot.svg);
    read(index);
  };
  const watcher = new ResizeObserver(() => {
    if (Math.max(NARROWEST, Math.floor(element.clientWidth)) !== width) draw();
  });
  watcher.observe(element);

  /** @param {PointerEvent} event */
  const follow = ({ clientX }) => {
    if (plot !== undefined) read(plot.nearest(clientX - element.getBoundingClientRect().left));
  };
  element.addEventListener('pointermove', follow);
  element.addEventListener('pointerdown', follow);
  element.addEventListener('pointerleave', () => {
    if (document.activeElement !== element) read(last);
  });
  element.addEventListener('blur', () => read(last));
  element.addEventListener('keydown', (event) => {
    const wanted = indexAfter(event.key, index, last);
    if (wanted === undefined) return;
    event.preventDefault();
    read(wanted);
  });
  return { element, close: () => watcher.disconnect() };
}

/**
 * Where a key leads, as the keys of a slider do; undefined for other keys.
 * @param {string} key
 * @param {number} index
 * @param {number} last
 * @returns {number | undefined}
 */
export function indexAfter(key, index, last) {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return index - 1;
    case 'ArrowRight':
    case 'ArrowUp':
      return index + 1;
    case 'PageDown':
      return index - PAGE;
    case 'PageUp':
      return index + PAGE;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
