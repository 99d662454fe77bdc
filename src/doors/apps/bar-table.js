import { make } from '../page/dom.js';
import { formatChance, formatDollars } from '../page/format.js';
import { barsOf } from '../page/outcomes.js';
import { formatChange } from './format.js';
import { foldButton, mark } from './parts.js';

/** Points below which a probability has not moved: the noise of a market without trades. */
const MIN_CHANGE = 0.1;

/**
 * @typedef {import('../page/dom.js').Child} Child
 * @typedef {import('../page/outcomes.js').Bar} Bar
 */

/**
 * The outcomes of an event as a table, each with its bar, and a button for those beyond the first.
 * @param {{title: string, status: string, markets: import('../page/outcomes.js').Market[]}} event
 * @param {number} most
 * @param {{hasHead: boolean}} options without a head, its words are there for screen readers alone
 * @returns {{table: HTMLElement, more: Child[]}}
 */
export function barTable({ title, status, markets }, most, { hasHead }) {
  const bars = barsOf(markets);
  if (bars.length === 0) {
    return { table: make('p', { class: 'message' }, 'No market of this event is held.'), more: [] };
  }
  // The volume of a single market is that of its event.
  const columns = ['Outcome', 'Probability', ...(markets.length === 1 ? [] : ['Volume'])];
  const rows = bars.map((bar) => barRow(bar, { isEventClosed: status === 'closed', columns }));
  const table = make(
    'table',
    { class: 'bars' },
    make('caption', { class: 'unseen' }, `Outcomes of ${title}`),
    make('thead', {}, make('tr', {}, ...columns.map((name) => columnHead(name, hasHead)))),
    make('tbody', {}, ...rows),
  );
  return { table, more: foldButton(rows, most, 'outcome') };
}

/**
 * @param {string} name
 * @param {boolean} isSeen
 */
function columnHead(name, isSeen) {
  return make('th', { scope: 'col' }, isSeen ? name : make('span', { class: 'unseen' }, name));
}

/**
 * @param {Bar} bar
 * @param {{isEventClosed: boolean, columns: readonly string[]}} options
 */
function barRow(bar, { isEventClosed, columns }) {
  const fill = make('div', { class: 'fill' });
  fill.style.width = `${Math.min(1, Math.max(0, bar.probability)) * 100}%`;
  return make(
    'tr',
    {},
    make(
      'th',
      { scope: 'row', title: bar.question },
      make('span', { class: 'label' }, bar.label),
      ...(bar.isWinner ? [' ', mark('Came true', 'good')] : []),
      ...(bar.isClosed && !bar.isWinner && !isEventClosed ? [' ', mark('Closed', '')] : []),
      make('div', { class: 'track', 'aria-hidden': 'true' }, fill),
    ),
    make('td', { class: 'share' }, formatChance(bar.probability), ...movedBy(bar)),
    ...(columns.length < 3 ? [] : [make('td', { class: 'volume' }, formatDollars(bar.volume))]),
  );
}

/** @param {Bar} bar */
function movedBy({ change }) {
  if (change === undefined || Math.abs(change) < MIN_CHANGE) return [];
  return [make('small', {}, `${formatChange(change, 1)} pts in a day`)];
}
