import { make } from './dom.js';
import { drawPlot } from './plot.js';

/** The narrowest plot, and half of a slider's thumb, in pixels. */
const NARROWEST = 200;
const HALF_THUMB = 8;

/**
 * A plot as wide as its place, with a slider that reads it date by date: with the pointer, by
 * touch, or with the arrow keys, Home and End.
 * @param {HTMLElement} frame is filled
 * @param {readonly import('./lines.js').Series[]} seriesList each with at least one value
 * @param {import('./lines.js').Scale} [scale]
 */
export function showPlot(frame, seriesList, scale) {
  const holder = make('div', { class: 'holder' });
  const slider = make('input', { type: 'range', min: 0, 'aria-label': 'Date' });
  const key = make('div', { class: 'key' });
  const note = make('p', { class: 'said' });
  frame.replaceChildren(holder, slider, key, note);
  let width = 0;
  /** @type {import('./plot.js').Plot | undefined} */
  let plot;
  const read = () => {
    const index = Number(slider.value);
    plot?.mark(index);
    slider.setAttribute('aria-valuetext', plot?.say(index) ?? '');
  };
  const draw = () => {
    width = widthOf(holder);
    const drawn = drawPlot(seriesList, width, scale);
    const isFirst = plot === undefined;
    plot = drawn;
    if (isFirst) {
      slider.max = String(drawn.dates.length - 1);
      slider.value = slider.max;
    }
    const follow = (/** @type {PointerEvent} */ event) => {
      slider.value = String(drawn.nearest(event.clientX - drawn.svg.getBoundingClientRect().left));
      read();
    };
    drawn.svg.addEventListener('pointermove', follow);
    drawn.svg.addEventListener('pointerdown', (event) => {
      follow(event);
      // The arrow keys go on from here. Later, because a press takes the focus away.
      setTimeout(() => slider.focus({ preventScroll: true }));
    });
    const { left, right } = drawn.inset;
    // The thumb moves under the cross-hair.
    slider.style.width = `${width - left - right + 2 * HALF_THUMB}px`;
    slider.style.marginLeft = `${left - HALF_THUMB}px`;
    holder.replaceChildren(drawn.svg);
    key.replaceChildren(drawn.legend);
    note.textContent = drawn.note;
    note.hidden = drawn.note === '';
    read();
  };
  slider.addEventListener('input', read);
  draw();
  const watcher = new ResizeObserver(() => {
    if (!holder.isConnected) watcher.disconnect();
    else if (widthOf(holder) !== width) draw();
  });
  watcher.observe(holder);
}

/** @param {HTMLElement} holder */
function widthOf(holder) {
  return Math.max(NARROWEST, Math.floor(holder.clientWidth));
}
