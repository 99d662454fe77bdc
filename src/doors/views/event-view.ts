import type { Event, Fields, Listing, Meta, Settlement } from './answer.ts';
import { type Bar, barsOf } from './bars.ts';
import { actions, ageOf, fold, foldButton, make, mark, noteOf, remarks } from './dom.ts';
import { countOf, formatChance, formatChange, formatDate, formatDollars } from './format.ts';
import { verdictWords } from './paper-view.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

/** The venues, for people; set by the build. */
declare const QUANTSHELF_VENUES: string;

const TOOLS = {
  browse: 'prediction_market_event_browse',
  search: 'prediction_market_event_search',
  read: 'prediction_market_event_read',
};
/** Bars of an event by itself and in a list, and events of a list, before "Show more". */
const SHOWN = { alone: 12, listed: 3, events: 5 };
/** Points below which a probability has not moved: the noise of a market without trades. */
const MIN_CHANGE = 0.1;

/** One event with all its outcomes. */
export function drawEvent(event: Event, { meta }: Shown, stage: Stage): Drawing {
  const { title, event_card_id, description, more_markets: left = 0 } = event;
  const { figure, more } = outcomesOf(event, SHOWN.alone);
  const isOpenEnded = event.mutually_exclusive === false && event.markets.length > 1;
  const label = 'Rules';
  const rules = { class: 'text', tabindex: 0, role: 'region', 'aria-label': label };
  return {
    parts: [
      stage.heading(title),
      factsOf(event, meta),
      figure,
      ...actions(more),
      ...remarks([
        ...(left === 0 ? [] : [`${countOf(left, 'less likely outcome')} more at the source.`]),
        ...ageRemarks([event], meta),
        ...(isOpenEnded ? ['More than one of these can come true, or none.'] : []),
      ]),
      ...(description ? [fold(label, make('div', rules, description))] : []),
      make('p', { class: 'source' }, stage.link(sourceOf(event), event.url), ` · ${ageOf(meta)}`),
      ...actions(stage.back()),
      ...stage.more(...noteOf(meta), ...stage.button('Refresh', TOOLS.read, { event_card_id })),
    ],
    summary: `The user reads the odds of the event "${title}" (${event_card_id}).`,
  };
}

/** Events that were searched for or browsed, each with its first outcomes. */
export function drawListing(listing: Listing, { meta, args }: Shown, stage: Stage): Drawing {
  const { events, nextCursor } = listing;
  const isSearch = typeof args.query === 'string';
  const tool = isSearch ? TOOLS.search : TOOLS.browse;
  const about = args.query ?? args.q ?? args.tag ?? args.asset;
  const title = typeof about === 'string' ? `Odds: ${about}` : 'Prediction markets';
  const articles = events.map((event) => listedEvent(event, stage));
  const next: Fields = { ...args, cursor: nextCursor };
  const found = [...new Set(events.map(sourceOf))].join(', ');
  const button = nextCursor === undefined ? [] : stage.button('Next page', tool, next);
  return {
    parts: [
      stage.heading(title),
      ...(events.length === 0 ? [make('p', { class: 'message' }, 'No event matches.')] : []),
      ...remarks([...verdictWords(meta), ...ageRemarks(events, meta)]),
      ...articles,
      ...actions([
        ...foldButton(articles.slice(SHOWN.events), 'event'),
        ...button,
        ...stage.back(),
      ]),
      make('p', { class: 'source' }, `${found || QUANTSHELF_VENUES} · ${ageOf(meta)}`),
      ...stage.more(...noteOf(meta), ...stage.button('Refresh', tool, args)),
    ],
    summary: `The user sees ${countOf(events.length, 'event')} in the view: ${title}.`,
  };
}

function listedEvent(event: Event, stage: Stage): HTMLElement {
  const { figure, more } = outcomesOf(event, SHOWN.listed);
  const { event_card_id } = event;
  return make(
    'article',
    {},
    stage.subheading(event.title),
    factsOf(event, undefined),
    figure,
    ...actions([...stage.button('Read this event', TOOLS.read, { event_card_id }, true), ...more]),
  );
}

/** Old odds of events that are not closed, in words. */
function ageRemarks(events: readonly Event[], { asOf }: Meta): string[] {
  if (!events.some(isOld)) return [];
  const day = asOf === undefined ? 'some time ago' : `on ${formatDate(asOf)}`;
  return [`Seen ${day}: the odds may have changed since, and are not the outcome.`];
}

function isOld({ coverage_status, status }: Event): boolean {
  return coverage_status === 'stale' && status !== 'closed';
}

/** `meta` dates the snapshot; the age of a list is that of its oldest event, which need not be this one. */
function factsOf(event: Event, meta: Meta | undefined): HTMLElement {
  const { status, liquidity, settlement } = event;
  const end = endOf(event);
  const facts = [
    ...(end === undefined ? [] : [end]),
    `${formatVolume(event.volume, event)} traded`,
    ...(status === 'closed' || liquidity === undefined
      ? []
      : [`${formatDollars(liquidity)} liquidity`]),
  ];
  const snapshot = meta?.asOf === undefined ? 'Snapshot' : `Snapshot of ${formatDate(meta.asOf)}`;
  const marks = [
    ...(isOld(event) ? [mark(snapshot, 'warn')] : []),
    ...(status === 'inactive' ? [mark('Inactive')] : []),
    ...settlementMark(settlement),
  ];
  return make('p', { class: 'facts' }, facts.join(' · '), ...marks.flatMap((each) => [' ', each]));
}

/** States that leave no outcome, in words. */
const UNDECIDED: Readonly<Record<string, string>> = {
  ended: 'Ended: no final result',
  disputed: 'Disputed: the result may change',
  void: 'Void: no outcome won',
};

/** What became of an event or a market; nothing while it is open. */
function settlementMark({ status, winning_outcome, value }: Settlement): HTMLElement[] {
  const words = UNDECIDED[status];
  if (words !== undefined) return [mark(words, 'warn')];
  if (status !== 'settled') return [];
  const result = winning_outcome ?? (value === undefined ? undefined : formatChance(value));
  return [mark(result === undefined ? 'Settled' : `Settled: ${result}`, 'good')];
}

/** When an event ends, ended or was closed; undefined where nothing is known of it. */
function endOf(event: Event): string | undefined {
  const { status, end_time, closed_time = end_time } = event;
  if (status === 'closed') {
    return closed_time === undefined ? undefined : `Closed ${formatDate(closed_time)}`;
  }
  if (end_time === undefined) return undefined;
  return `${Date.parse(end_time) < Date.now() ? 'Ended' : 'Ends'} ${formatDate(end_time)}`;
}

/** Contracts are no dollars. */
function formatVolume(volume: number, { volume_unit }: Event): string {
  const amount = formatDollars(volume);
  return volume_unit === 'contracts' ? `${amount.replace('$', '')} contracts` : amount;
}

/** The name of its venue. */
function sourceOf({ source }: Event): string {
  return source.charAt(0).toUpperCase() + source.slice(1);
}

/** The outcomes of an event: one figure for one question, else a table, and a button for its further rows. */
function outcomesOf(event: Event, most: number): { figure: HTMLElement; more: HTMLElement[] } {
  const { title, markets } = event;
  const bars = barsOf(markets);
  const [first, ...others] = bars;
  if (first === undefined) {
    const none = make('p', { class: 'message' }, 'No market of this event is stored.');
    return { figure: none, more: [] };
  }
  if (others.length === 0) return { figure: chanceOf(first), more: [] };
  const has = {
    change: bars.some(({ change }) => change !== undefined),
    volume: markets.length > 1,
  };
  const likeliest = Math.max(...bars.map(({ probability }) => probability));
  const rows = bars.map((bar) => barRow(bar, event, { ...has, likeliest }));
  const rankOf = (row: HTMLElement) => {
    const { isWinner, isClosed, probability } = bars[rows.indexOf(row)] ?? first;
    return isWinner ? 2 : isClosed ? -1 : probability;
  };
  const names = [
    'Outcome',
    'Chance',
    ...(has.change ? ['In a day'] : []),
    ...(has.volume ? ['Volume'] : []),
  ];
  const table = make(
    'table',
    { class: 'bars' },
    make('caption', { class: 'unseen' }, `Outcomes of ${title}`),
    make('thead', {}, make('tr', {}, ...names.map((name) => make('th', { scope: 'col' }, name)))),
    make('tbody', {}, ...rows),
  );
  // Whatever their order, the likeliest are shown.
  const ranked = rows.toSorted((a, b) => rankOf(b) - rankOf(a));
  return { figure: table, more: foldButton(ranked.slice(most), 'outcome') };
}

/** The answer to a yes-or-no question, or how likely it is. */
function chanceOf({ probability, change, settlement, isYes }: Bar): HTMLElement {
  const winner = settlement?.status === 'settled' ? settlement.winning_outcome : undefined;
  const words = winner === undefined && isYes ? 'chance' : '';
  return make(
    'p',
    { class: 'reading' },
    make('span', { class: 'value' }, winner ?? formatChance(probability)),
    ` ${words} `,
    make('span', { class: 'when' }, moveOf(change, ' points in a day')),
  );
}

function barRow(
  bar: Bar,
  event: Event,
  has: { change: boolean; volume: boolean; likeliest: number },
): HTMLElement {
  const fill = make('div', { class: 'fill' });
  fill.style.width = `${Math.min(1, Math.max(0, bar.probability)) * 100}%`;
  const isLikeliest = bar.probability === has.likeliest && !bar.isClosed;
  return make(
    'tr',
    { class: isLikeliest || bar.isWinner ? 'likeliest' : undefined },
    make(
      'th',
      { scope: 'row', title: bar.question },
      make('span', { class: 'label' }, bar.label),
      ...(bar.isWinner ? [' ', mark('Came true', 'good')] : []),
      ...stateOf(bar, event).flatMap((each) => [' ', each]),
      make('div', { class: 'track', 'aria-hidden': 'true' }, fill),
    ),
    make('td', { class: 'share' }, formatChance(bar.probability)),
    ...(has.change ? [make('td', { class: 'move' }, moveOf(bar.change, ''))] : []),
    ...(has.volume ? [make('td', { class: 'volume' }, formatVolume(bar.volume, event))] : []),
  );
}

/** What became of a market, where it differs from its event. */
function stateOf({ settlement, isWinner }: Bar, event: Event): HTMLElement[] {
  if (settlement === undefined || isWinner || settlement.status === event.settlement.status)
    return [];
  return settlement.status === 'settled' ? [mark('Settled')] : settlementMark(settlement);
}

function moveOf(change: number | undefined, unit: string): string {
  if (change === undefined) return '';
  return Math.abs(change) < MIN_CHANGE ? '' : `${formatChange(change, 1)}${unit}`;
}
