import { ask, faultOf } from './api.js';
import { find, make, prose } from './dom.js';
import { formatDate, formatPeriod, formatValue } from './format.js';
import { showPlot } from './reader.js';

const form = find('indicator-form', HTMLFormElement);
const choice = find('indicator-name', HTMLSelectElement);
const said = find('indicator-said', HTMLElement);
const figure = find('indicator-figure', HTMLElement);
const fields = {
  limit: find('indicator-limit', HTMLInputElement),
  start_date: find('indicator-start', HTMLInputElement),
  end_date: find('indicator-end', HTMLInputElement),
};
/** @type {{close: () => void} | undefined} */
let plot;
let calls = 0;

/**
 * @typedef {import('./lines.js').Series & {attribution: string, series_id: string, stale: boolean}} History
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
  plot?.close();
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
  plot = showPlot(frame, [history]);
}

/** @param {History} history */
function tableOf({ title, units, frequency, observations }) {
  const head = ['Date', 'Value'].map((name) => make('th', { scope: 'col' }, name));
  const rows = observations.map(({ date, value }) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, formatPeriod(date, frequency)),
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
