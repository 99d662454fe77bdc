import { linkTo, make, makeSvg } from './dom.js';
import { countOf, formatChance, formatDate, formatDollars } from './format.js';
import { tagsOf } from './papers.js';

/** Bars that a card shows at once. */
const BARS_SHOWN = 6;
/** Words for the states of an event. @type {Record<string, string>} */
const STATES = { active: 'Active', inactive: 'Inactive', closed: 'Closed' };

/**
 * @typedef {{label: string, chance: number, dayAgo?: number, hasWon: boolean}} Bar
 */

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
    make('p', { class: 'facts' }, ...marksOf(event, meta), sayEnd(event)),
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

/** @param {any} event */
function sayEnd({ end_time, closed_time }) {
  if (closed_time !== undefined) return `Closed ${formatDate(closed_time)}`;
  if (end_time === undefined) return 'No end date';
  return `${Date.parse(end_time) < Date.now() ? 'Ended' : 'Ends'} ${formatDate(end_time)}`;
}

/**
 * A market of Yes and No is one bar, its chance of Yes; any other has a bar for each outcome. A card
 * of one market shows all of its outcomes.
 * @param {readonly any[]} markets
 * @returns {Bar[]} the likeliest first
 */
function barsOf(markets) {
  return markets
    .flatMap((market) => {
      const { outcomes, group_label, market_question, winning_outcome } = market;
      const isBinary = outcomes.length === 2 && outcomes[0].label.toLowerCase() === 'yes';
      const shown = isBinary && markets.length > 1 ? outcomes.slice(0, 1) : outcomes;
      return shown.map((/** @type {any} */ outcome) => ({
        label:
          markets.length === 1
            ? outcome.label
            : (group_label ?? market_question) + (isBinary ? '' : `: ${outcome.label}`),
        chance: outcome.current_probability,
        dayAgo: outcome.day_ago_probability,
        hasWon: winning_outcome === outcome.label,
      }));
    })
    .sort((a, b) => b.chance - a.chance);
}

/** @param {readonly Bar[]} bars */
function listOf(bars) {
  return make(
    'ul',
    { class: 'bars' },
    ...bars.map(({ label, chance, dayAgo, hasWon }) =>
      make(
        'li',
        {},
        make('span', { class: 'label' }, label, hasWon ? make('strong', {}, ' (came true)') : ''),
        make('span', { class: 'chance' }, formatChance(chance), sayMove(chance, dayAgo)),
        makeSvg(
          'svg',
          {
            class: 'bar',
            viewBox: '0 0 100 6',
            preserveAspectRatio: 'none',
            'aria-hidden': 'true',
          },
          makeSvg('rect', { class: 'track', width: 100, height: 6 }),
          makeSvg('rect', { class: 'fill', width: Math.max(0.5, chance * 100), height: 6 }),
        ),
      ),
    ),
  );
}

/**
 * @param {number} chance
 * @param {number | undefined} dayAgo
 */
function sayMove(chance, dayAgo) {
  if (dayAgo === undefined) return '';
  const points = Math.round((chance - dayAgo) * 1_000) / 10;
  if (points === 0) return '';
  return make('small', {}, ` ${points > 0 ? '+' : '−'}${Math.abs(points)} points in a day`);
}

/** @param {unknown} address */
function siteOf(address) {
  return URL.canParse(String(address)) ? new URL(String(address)).hostname : 'source';
}
