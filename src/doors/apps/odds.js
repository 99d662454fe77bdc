import { make } from '../page/dom.js';
import { countOf, describeEnd, formatDate, formatDollars } from '../page/format.js';
import { barTable } from './bar-table.js';
import { actions, ageOf, foldButton, mark, noticeOf, plainButton } from './parts.js';
import { Session } from './session.js';

const TOOLS = {
  browse: 'prediction_market_event_browse',
  search: 'prediction_market_event_search',
  read: 'prediction_market_event_read',
};
/** Bars of an event by itself and in a list, and events of a list, before "Show all". */
const SHOWN = { alone: 12, listed: 3, events: 5 };

/**
 * @typedef {import('./bridge.js').Fields} Fields
 * @typedef {import('./envelope.js').Meta} Meta
 * @typedef {object} Event
 * @property {string} event_card_id
 * @property {string} title
 * @property {string} url
 * @property {string} status
 * @property {string} [end_time]
 * @property {string} [closed_time]
 * @property {number} volume
 * @property {number} liquidity
 * @property {string} coverage_status
 * @property {boolean} [mutually_exclusive]
 * @property {import('../page/outcomes.js').Market[]} markets
 * @typedef {{events: Event[], count: number, nextCursor?: string}} Listing
 */

void new Session({
  name: 'odds',
  waiting: ({ query, q }) => `Reading the odds${(query ?? q) ? ` for “${query ?? q}”` : ''} …`,
  draw(data, meta, session) {
    if (Array.isArray(data.events)) showListing(data, meta, session, session.args);
    else showEvent(data, meta, session);
  },
}).open();

/**
 * @param {Event} event
 * @param {Meta} meta
 * @param {Session} session
 * @param {() => void} [goBack] to the list that it was chosen from
 */
function showEvent(event, meta, session, goBack) {
  const back = goBack === undefined ? [] : [plainButton('Back to the list', goBack)];
  const { table, more } = barTable(event, SHOWN.alone, { hasHead: true });
  session.show(
    make('header', {}, make('h1', { tabindex: -1 }, event.title)),
    factsOf(event, meta),
    ...noticeOf(meta),
    table,
    ...(event.mutually_exclusive === false && event.markets.length > 1
      ? [make('p', { class: 'source' }, 'More than one of these can come true, or none.')]
      : []),
    make('p', { class: 'source' }, session.link('Polymarket', event.url), ` · ${ageOf(meta)}`),
    ...actions([
      ...back,
      ...more,
      ...session.callButton({
        label: 'Refresh',
        tool: TOOLS.read,
        args: { event_card_id: event.event_card_id },
        onAnswer: (data, newer) => showEvent(data, newer, session, goBack),
      }),
    ]),
  );
}

/**
 * @param {Listing} listing
 * @param {Meta} meta
 * @param {Session} session
 * @param {Fields} args of the call that this is the answer to
 */
function showListing(listing, meta, session, args) {
  const { events, nextCursor } = listing;
  const show = () => showListing(listing, meta, session, args);
  const isSearch = typeof args.query === 'string' || session.tool === TOOLS.search;
  const tool = isSearch ? TOOLS.search : TOOLS.browse;
  const asked = args.query ?? args.q ?? args.tag ?? args.asset;
  const title = typeof asked === 'string' ? `Odds: ${asked}` : 'Prediction markets';
  /** @param {string} label @param {Fields} next */
  const call = (label, next) =>
    session.callButton({
      label,
      tool,
      args: next,
      onAnswer: (data, newer) => showListing(data, newer, session, next),
    });
  const articles = events.map((event) => listedEvent(event, session, show));
  session.show(
    make('header', {}, make('h1', { tabindex: -1 }, title)),
    make(
      'p',
      { class: 'facts' },
      countOf(events.length, 'event'),
      ...(meta.verdict === 'weak' ? [' ', mark('Weak match', 'warn')] : []),
      ...(meta.verdict === 'none' ? [' ', mark('No real match', 'warn')] : []),
    ),
    ...noticeOf(meta),
    ...(events.length === 0 ? [make('p', { class: 'message' }, 'No event matches.')] : []),
    ...articles,
    ...foldButton(articles, SHOWN.events, 'event'),
    make('p', { class: 'source' }, `Polymarket · ${ageOf(meta)}`),
    ...actions([
      ...(nextCursor === undefined ? [] : call('Next page', { ...args, cursor: nextCursor })),
      ...(isSearch && typeof args.query !== 'string' ? [] : call('Refresh', args)),
    ]),
  );
}

/**
 * @param {Event} event
 * @param {Session} session
 * @param {() => void} goBack
 */
function listedEvent(event, session, goBack) {
  const { table, more } = barTable(event, SHOWN.listed, { hasHead: false });
  return make(
    'article',
    {},
    make('h2', {}, event.title),
    // The age of a list is that of its oldest event, which need not be this one.
    factsOf(event, {}),
    table,
    ...actions([
      ...session.callButton({
        label: 'Read this event',
        tool: TOOLS.read,
        args: { event_card_id: event.event_card_id },
        onAnswer: (data, newer) => showEvent(data, newer, session, goBack),
      }),
      ...more,
    ]),
  );
}

/**
 * @param {Event} event
 * @param {Meta} meta
 */
function factsOf(event, { asOf }) {
  const { status, volume, liquidity, coverage_status } = event;
  const end = describeEnd(event);
  const facts = [
    ...(end === null ? [] : [end]),
    `${formatDollars(volume)} traded`,
    ...(status === 'closed' ? [] : [`${formatDollars(liquidity)} liquidity`]),
  ];
  const snapshot = asOf === undefined ? 'Snapshot' : `Snapshot of ${formatDate(asOf)}`;
  const marks = [
    ...(coverage_status === 'stale' && status !== 'closed' ? [mark(snapshot, 'warn')] : []),
    ...(status === 'inactive' ? [mark('Inactive', '')] : []),
    ...(status === 'closed' ? [mark('Closed', '')] : []),
  ];
  return make('p', { class: 'facts' }, facts.join(' · '), ...marks.flatMap((each) => [' ', each]));
}
