import { linkTo, make, makeSvg } from './dom.js';
import { countOf, describeEnd, formatChance, formatDate, formatDollars } from './format.js';
import { barsOf } from './outcomes.js';
import { tagsOf } from './papers.js';

/** Bars that a card shows at once. */
const BARS_SHOWN = 6;
/** Words for the states of an event. @type {Record<string, string>} */
const STATES = { active: 'Active', inactive: 'Inactive', closed: 'Closed' };

/** @typedef {import('./outcomes.js').Bar} Bar */

/**
 * @param {any} data of browse or search
 * @param {any} meta
 * @returns {Node[]}
 */
export function viewEvents({ events, nextCursor }, meta) {
  if (events.length === 0) {
    return [make('p', { class: 'empty' }, 'No event fits. Try other words, or another status.')];
  }
  const more =
    nextCursor === undefined
      ? []
      : [
          make('p', { class: 'said' }, 'There are more. For the next ones, send this as cursor: '),
          make('pre', { tabindex: 0, 'aria-label': 'Next cursor' }, nextCursor),
        ];
  return [...events.map((/** @type {any} */ event) => viewEvent(event, meta)), ...more];
}

/**
 * @param {any} event
 * @param {any} meta
 */
export function viewEvent(event, meta) {
  const bars = barsOf(event.markets);
  return make(
    'article',
    { class: 'card' },
    make('h3', {}, event.title),
    make('p', { class: 'facts' }, ...marksOf(event, meta), describeEnd(event) ?? 'No end date'),
    make(
      'p',
      { class: 'facts' },
      `Volume ${formatDollars(event.volume)} · Liquidity ${formatDollars(event.liquidity)} · `,
      ...(event.semantic_score === undefined
        ? []
        : [`Score ${event.semantic_score.toFixed(2)} · `]),
      linkTo(siteOf(event.url), event.url),
    ),
    listOf(bars.slice(0, BARS_SHOWN)),
    ...(bars.length > BARS_SHOWN
      ? [
          make(
            'details',
            { class: 'more' },
            make('summary', {}, `${countOf(bars.length - BARS_SHOWN, 'more outcome')}`),
            listOf(bars.slice(BARS_SHOWN)),
          ),
        ]
      : []),
    tagsOf(event.tags),
    ...(event.description
      ? [
          make(
            'details',
            { class: 'more' },
            make('summary', {}, 'Rules'),
            make('div', { class: 'text' }, event.description),
          ),
        ]
      : []),
  );
}

/**
 * The state of an event; an old one says when it was so.
 * @param {any} event
 * @param {any} meta
 */
function marksOf({ status, coverage_status, synced_at }, meta) {
  const state = STATES[status] ?? status;
  if (coverage_status !== 'stale') return [make('span', { class: `mark ${status}` }, state), ' '];
  const day = formatDate(synced_at ?? meta.asOf);
  return [
    make('span', { class: 'mark' }, `${state} when seen`),
    ' ',
    make('span', { class: 'mark stale' }, `Snapshot of ${day}`),
    ' ',
  ];
}

/** @param {readonly Bar[]} bars */
function listOf(bars) {
  return make(
    'ul',
    { class: 'bars' },
    ...bars.map(({ label, probability, change, isWinner }) =>
      make(
        'li',
        {},
        make('span', { class: 'label' }, label, isWinner ? make('strong', {}, ' (came true)') : ''),
        make('span', { class: 'chance' }, formatChance(probability), sayMove(change)),
        makeSvg(
          'svg',
          {
            class: 'bar',
            viewBox: '0 0 100 6',
            preserveAspectRatio: 'none',
            'aria-hidden': 'true',
          },
          makeSvg('rect', { class: 'track', width: 100, height: 6 }),
          makeSvg('rect', { class: 'fill', width: Math.max(0.5, probability * 100), height: 6 }),
        ),
      ),
    ),
  );
}

/** @param {number | undefined} change in a day, in percentage points */
function sayMove(change) {
  const points = Math.round((change ?? 0) * 10) / 10;
  if (points === 0) return '';
  return make('small', {}, ` ${points > 0 ? '+' : '−'}${Math.abs(points)} points in a day`);
}

/** @param {unknown} address */
function siteOf(address) {
  return URL.canParse(String(address)) ? new URL(String(address)).hostname : 'source';
}
