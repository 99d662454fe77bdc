import { make, prose } from './dom.js';
import { countOf, formatDate, formatPeriod, formatValue, nameOf } from './format.js';
import { showPlot } from './reader.js';

/** A browser lays out so many rows at once. */
const MOST_ROWS = 2_000;

/**
 * @typedef {import('./lines.js').Series & {indicator: string, attribution: string, series_id: string,
 *   stale: boolean, ended?: boolean}} History
 * @typedef {{data: History, meta: {asOf: string, notice?: string, creditsUsed: number}}} Held an answer of macro_indicator_history
 */

/**
 * One plot of all, what is to be known of each, and all as a table.
 * @param {readonly Held[]} held
 * @param {import('./lines.js').Scale} [scale]
 * @returns {Node[]}
 */
export function viewHistories(held, scale) {
  const histories = held.map(({ data }) => data);
  const [first] = histories;
  if (first === undefined) return [];
  const drawn = histories.filter(({ observations }) =>
    observations.some(({ value }) => value !== null),
  );
  const empty = histories.filter((history) => !drawn.includes(history));
  const frame = make('div', { class: 'frame' });
  if (drawn.length > 0) showPlot(frame, drawn, scale);
  return [
    make('h3', {}, histories.length === 1 ? first.title : `${histories.length} indicators`),
    frame,
    ...empty.map(({ title }) =>
      make(
        'p',
        { class: 'empty' },
        `No observation in this range has a value: ${nameOf(title)}. Choose a longer range.`,
      ),
    ),
    make('ul', { class: 'sources' }, ...held.map(viewSource)),
    viewTable(histories),
  ];
}

/** @param {Held} held */
function viewSource({ data, meta }) {
  const { indicator, series_id, frequency, attribution, stale, ended } = data;
  return make(
    'li',
    {},
    make('p', {}, make('code', {}, indicator), ` · ${series_id} · ${frequency} · ${data.units}`),
    make(
      'p',
      {},
      ...(stale
        ? [make('span', { class: 'mark stale' }, 'Stale: the last refresh failed'), ' ']
        : []),
      ...(ended === true ? [make('span', { class: 'mark' }, 'The series has ended'), ' '] : []),
      `As of ${formatDate(meta.asOf)}. `,
      make('span', { class: 'attribution' }, attribution),
    ),
    ...(meta.notice === undefined ? [] : [make('p', {}, 'Note: ', ...prose(meta.notice))]),
  );
}

/**
 * Made when it is opened: a daily series of decades has many rows.
 * @param {readonly History[]} histories
 */
function viewTable(histories) {
  const days = new Set(
    histories.flatMap(({ observations }) => observations.map(({ date }) => date)),
  );
  const dates = [...days].sort();
  const shown = dates.slice(-MOST_ROWS);
  const size =
    shown.length === dates.length
      ? countOf(dates.length, 'row')
      : `the newest ${countOf(shown.length, 'row')} of ${dates.length.toLocaleString('en-US')}`;
  const place = make('details', {}, make('summary', {}, `The same as a table, ${size}`));
  place.addEventListener('toggle', () => place.append(tableOf(histories, shown)), { once: true });
  return place;
}

/**
 * @param {readonly History[]} histories
 * @param {readonly string[]} dates of its rows
 */
function tableOf(histories, dates) {
  const name = histories.map(({ title }) => nameOf(title)).join('; ');
  const [first] = histories;
  const isMixed = histories.some(({ frequency }) => frequency !== first?.frequency);
  const columns = histories.map(({ title, units, frequency, observations }) => ({
    head: histories.length === 1 ? 'Value' : `${nameOf(title)}, ${units}`,
    frequency,
    values: new Map(observations.map(({ date, value }) => [date, value])),
  }));
  const rows = dates.map((date) =>
    make(
      'tr',
      {},
      // Where frequencies differ, only the first day of a period says which row is meant.
      make(
        'th',
        { scope: 'row' },
        isMixed ? formatDate(date) : formatPeriod(date, first?.frequency ?? ''),
      ),
      ...columns.map(({ values }) => {
        const value = values.get(date);
        const text = value === undefined ? '' : value === null ? '–' : formatValue(value);
        return make('td', { class: 'number' }, text);
      }),
    ),
  );
  const heads = columns.map(({ head }) => make('th', { scope: 'col', class: 'number' }, head));
  const table = make(
    'table',
    {},
    make('caption', {}, histories.length === 1 ? `${name}, ${first?.units}` : name),
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Date'), ...heads)),
    make('tbody', {}, ...rows),
  );
  return make(
    'div',
    { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': `${name} as a table` },
    table,
  );
}

/**
 * @param {any[]} items data of macro_indicator_search
 * @returns {Node[]}
 */
export function viewCatalogue(items) {
  if (items.length === 0) {
    return [
      make('p', { class: 'empty' }, 'No indicator fits. Try fewer words, or another category.'),
    ];
  }
  const list = items.map((item) =>
    make(
      'li',
      { class: 'card' },
      make('h3', {}, nameOf(item.title)),
      make('p', { class: 'facts' }, make('code', {}, item.indicator), ` · ${item.series_id}`),
      make('p', { class: 'facts' }, sayItem(item)),
      make('p', { class: 'said' }, item.attribution),
    ),
  );
  return [make('ul', { class: 'cards' }, ...list)];
}

/**
 * Frequency, unit and newest figure of a catalogue item.
 * @param {any} item
 */
export function sayItem({ frequency, units, observation_end }) {
  const newest =
    observation_end === undefined
      ? 'no figures yet'
      : `to ${formatPeriod(observation_end, frequency)}`;
  return `${frequency} · ${units} · ${newest}`;
}
