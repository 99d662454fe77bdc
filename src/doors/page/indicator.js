import { ask, faultOf } from './api.js';
import { find, make, prose } from './dom.js';
import { drawPlot, formatDate, formatValue } from './plot.js';

const form = find('indicator-form', HTMLFormElement);
const choice = find('indicator-name', HTMLSelectElement);
const said = find('indicator-said', HTMLElement);
const figure = find('indicator-figure', HTMLElement);
const fields = {
  limit: find('indicator-limit', HTMLInputElement),
  start_date: find('indicator-start', HTMLInputElement),
  end_date: find('indicator-end', HTMLInputElement),
};
/** Watches the width of the plot that is shown. @type {ResizeObserver | undefined} */
let watcher;
let calls = 0;

/**
 * @typedef {import('./plot.js').Series & {attribution: string, series_id: string, stale: boolean}} History
 * @typedef {{asOf: string, notice?: string}} Meta
 */

/**
 * Fills the list from the catalogue. That call is free, so it also tests the key.
 * @returns {Promise<string>} what went wrong, or an empty string
 */
export async function loadCatalogue() {
  const answer = await ask('GET', '/api/macro/indicators?limit=100');
  const fault = faultOf(answer);
  choice.disabled = fault !== '';
  if (fault !== '') {
    choice.replaceChildren(make('option', { value: '' }, 'No catalogue with this key'));
    return fault;
  }
  const groups = new Map();
  for (const item of answer.json.data) {
    const group = groups.get(item.category) ?? make('optgroup', { label: item.category });
    groups.set(item.category, group);
    const isEmpty = item.observation_end === undefined;
    const title = `${item.title} (${item.series_id})${isEmpty ? ', no figures yet' : ''}`;
    group.append(make('option', { value: item.indicator, disabled: isEmpty }, title));
  }
  choice.replaceChildren(...groups.values());
  return '';
}

/** Draws what the form asks for, on every submit. */
export function watchIndicator() {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (choice.disabled || choice.value === '') {
      said.textContent = 'Enter a key first: it brings the list of indicators.';
      return;
    }
    calls += 1;
    const call = calls;
    said.textContent = 'Reading …';
    // The plot still shown belongs to an earlier request.
    figure.setAttribute('aria-busy', 'true');
    const answer = await ask('GET', `/api/macro/historical?${queryOf()}`);
    // A later call may have overtaken this one.
    if (call !== calls) return;
    figure.setAttribute('aria-busy', 'false');
    const fault = faultOf(answer);
    said.replaceChildren(...prose(fault));
    said.classList.toggle('bad', fault !== '');
    if (fault === '') show(answer.json.data, answer.json.meta);
    else figure.hidden = true;
  });
}

function queryOf() {
  const query = new URLSearchParams({ indicator: choice.value });
  for (const [name, { value }] of Object.entries(fields)) {
    if (value !== '') query.set(name, value);
  }
  return query;
}

/**
 * @param {History} history
 * @param {Meta} meta
 */
function show(history, meta) {
  watcher?.disconnect();
  const { title, units, frequency, series_id, observations } = history;
  const frame = make('div', { class: 'frame' });
  figure.replaceChildren(
    make('h3', {}, title),
    make('p', { class: 'said' }, `${units} · ${frequency} · ${series_id}`),
    frame,
    make(
      'figcaption',
      {},
      make('p', { class: 'attribution' }, history.attribution),
      make(
        'p',
        {},
        `As of ${formatDate(meta.asOf)}.${history.stale ? ' Stale: the last refresh failed.' : ''}`,
      ),
      ...(meta.notice === undefined ? [] : [make('p', {}, ...prose(meta.notice))]),
    ),
    make(
      'details',
      {},
      make('summary', {}, `The same ${observations.length} observations as a table`),
      tableOf(history),
    ),
  );
  figure.hidden = false;
  if (observations.every(({ value }) => value === null)) {
    frame.append(make('p', { class: 'note' }, 'No observation in this range has a value.'));
    return;
  }
  fillFrame(frame, history);
}

/**
 * The plot and a slider that reads it point by point, with the pointer or the keyboard.
 * @param {HTMLElement} frame
 * @param {History} history
 */
function fillFrame(frame, history) {
  const { observations, units } = history;
  const last = observations.length - 1;
  const slider = make('input', {
    type: 'range',
    min: 0,
    max: last,
    value: last,
    'aria-label': 'Observation',
  });
  slider.value = String(last);
  const reading = make('output', { class: 'reading' });
  const holder = make('div', { class: 'holder' });
  frame.replaceChildren(holder, make('div', { class: 'reader' }, slider, reading));
  let plot = drawPlot(history, widthOf(holder));
  const read = () => {
    const at = observations[Number(slider.value)];
    if (at === undefined) return;
    const value = at.value === null ? 'no value' : formatValue(at.value);
    reading.textContent = `${formatDate(at.date)}: ${value}`;
    slider.setAttribute('aria-valuetext', `${formatDate(at.date)}: ${value}, ${units}`);
    plot.mark(Number(slider.value));
  };
  const draw = () => {
    plot = drawPlot(history, widthOf(holder));
    plot.svg.addEventListener('pointermove', (event) => {
      slider.value = String(plot.nearest(event.clientX - plot.svg.getBoundingClientRect().left));
      read();
    });
    holder.replaceChildren(plot.svg);
    read();
  };
  slider.addEventListener('input', read);
  draw();
  let drawn = widthOf(holder);
  watcher = new ResizeObserver(() => {
    if (widthOf(holder) === drawn) return;
    drawn = widthOf(holder);
    draw();
  });
  watcher.observe(holder);
}

/** @param {HTMLElement} holder */
function widthOf(holder) {
  return Math.max(240, Math.floor(holder.clientWidth));
}

/** @param {History} history */
function tableOf({ title, units, observations }) {
  const head = ['Date', 'Value'].map((name) => make('th', { scope: 'col' }, name));
  const rows = observations.map(({ date, value }) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, date),
      make('td', { class: 'number' }, value === null ? '–' : formatValue(value)),
    ),
  );
  const table = make(
    'table',
    {},
    make('caption', {}, `${title}, ${units}`),
    make('thead', {}, make('tr', {}, ...head)),
    make('tbody', {}, ...rows),
  );
  return make(
    'div',
    { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': `${title} as a table` },
    table,
  );
}
