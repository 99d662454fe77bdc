import type { Event, Fields, Listing, Market, Meta, Settlement } from './answer.ts';
import {
  actions,
  ageOf,
  type Child,
  fold,
  foldButton,
  make,
  mark,
  noteOf,
  remarks,
} from './dom.ts';
import { countOf, formatChance, formatChange, formatDate, formatDollars } from './format.ts';
import { VERDICTS, verdictMark } from './paper-view.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

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
  const { title, event_card_id, description } = event;
  const { table, more } = barTable(event, SHOWN.alone, true);
  const isOpenEnded = event.mutually_exclusive === false && event.markets.length > 1;
  return {
    parts: [
      stage.heading(title),
      factsOf(event, meta),
      ...remarks([
        ...ageRemarks([event], meta),
        ...(isOpenEnded ? ['More than one of these can come true, or none.'] : []),
      ]),
      table,
      ...(description
        ? [
            fold(
              'Rules',
              make(
                'div',
                { class: 'text', tabindex: 0, role: 'region', 'aria-label': 'Rules' },
                description,
              ),
            ),
          ]
        : []),
      ...noteOf(meta),
      make('p', { class: 'source' }, stage.link(sourceOf(event), event.url), ` · ${ageOf(meta)}`),
      ...actions([
        ...stage.back(),
        ...more,
        ...stage.button('Refresh', TOOLS.read, { event_card_id }),
      ]),
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
  const verdict = VERDICTS[meta.verdict ?? ''];
  const next: Fields = { ...args, cursor: nextCursor };
  const sources = [...new Set(events.map(sourceOf))].join(', ');
  return {
    parts: [
      stage.heading(title),
      make('p', { class: 'facts' }, countOf(events.length, 'event'), ...verdictMark(meta)),
      ...remarks([...(verdict === undefined ? [] : [verdict]), ...ageRemarks(events, meta)]),
      ...(events.length === 0 ? [make('p', { class: 'message' }, 'No event matches.')] : []),
      ...articles,
      ...foldButton(articles, SHOWN.events, 'event'),
      ...noteOf(meta),
      make('p', { class: 'source' }, `${sources} · ${ageOf(meta)}`),
      ...actions([
        ...stage.back(),
        ...(nextCursor === undefined ? [] : stage.button('Next page', tool, next)),
        ...stage.button('Refresh', tool, args),
      ]),
    ],
    summary: `The user sees ${countOf(events.length, 'event')} in the view: ${title}.`,
  };
}

function listedEvent(event: Event, stage: Stage): HTMLElement {
  const { table, more } = barTable(event, SHOWN.listed, false);
  const { event_card_id } = event;
  return make(
    'article',
    {},
    stage.subheading(event.title),
    factsOf(event, undefined),
    table,
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

/** The outcomes of an event as a table, each with its bar, and a button for those beyond the first. */
function barTable(
  event: Event,
  most: number,
  hasHead: boolean,
): { table: HTMLElement; more: HTMLElement[] } {
  const { title, markets } = event;
  const bars = barsOf(markets);
  if (bars.length === 0) {
    return {
      table: make('p', { class: 'message' }, 'No market of this event is stored.'),
      more: [],
    };
  }
  // The volume of a single market is that of its event.
  const columns = ['Outcome', 'Probability', ...(markets.length === 1 ? [] : ['Volume'])];
  const rows = bars.map((bar) => barRow(bar, event, columns.length > 2));
  const heads = columns.map((name) =>
    make('th', { scope: 'col' }, hasHead ? name : make('span', { class: 'unseen' }, name)),
  );
  const table = make(
    'table',
    { class: 'bars' },
    make('caption', { class: 'unseen' }, `Outcomes of ${title}`),
    make('thead', {}, make('tr', {}, ...heads)),
    make('tbody', {}, ...rows),
  );
  return { table, more: foldButton(rows, most, 'outcome') };
}

function barRow(bar: Bar, event: Event, hasVolume: boolean): HTMLElement {
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
      ...stateOf(bar, event).flatMap((each) => [' ', each]),
      make('div', { class: 'track', 'aria-hidden': 'true' }, fill),
    ),
    make('td', { class: 'share' }, formatChance(bar.probability), ...moveOf(bar)),
    ...(hasVolume ? [make('td', { class: 'volume' }, formatVolume(bar.volume, event))] : []),
  );
}

/** What became of a market, where it differs from its event. */
function stateOf({ settlement, isWinner }: Bar, event: Event): HTMLElement[] {
  if (settlement === undefined || isWinner || settlement.status === event.settlement.status)
    return [];
  return settlement.status === 'settled' ? [mark('Settled')] : settlementMark(settlement);
}

function moveOf({ change }: Bar): Child[] {
  if (change === undefined || Math.abs(change) < MIN_CHANGE) return [];
  return [make('small', {}, `${formatChange(change, 1)} pts in a day`)];
}

interface Bar {
  label: string;
  /** What the market asks. */
  question: string;
  /** 0 to 1. */
  probability: number;
  /** In a day, in percentage points. */
  change: number | undefined;
  /** Of its market, in US dollars. */
  volume: number;
  isWinner: boolean;
  isClosed: boolean;
  settlement: Settlement | undefined;
}

/**
 * One bar for each outcome: those that are still open before those that are settled, and among each the
 * likeliest first. Where several markets ask yes or no, as those of one event mostly do, each of them is
 * an outcome: that it comes true.
 */
export function barsOf(markets: readonly Market[]): Bar[] {
  const names = namesOf(markets);
  const bars = markets.flatMap((market, index) => {
    const name = names[index] ?? market.market_question;
    const yes = markets.length === 1 ? undefined : yesOf(market);
    if (yes !== undefined) return [barOf(market, yes, name)];
    return market.outcomes.map((outcome) =>
      barOf(market, outcome, markets.length === 1 ? outcome.label : `${name}: ${outcome.label}`),
    );
  });
  return bars.sort(
    (a, b) => Number(a.isClosed) - Number(b.isClosed) || b.probability - a.probability,
  );
}

function yesOf({ outcomes }: Market) {
  if (outcomes.length !== 2) return undefined;
  return outcomes.find(({ label }) => label.toLowerCase() === 'yes');
}

function barOf(market: Market, outcome: Market['outcomes'][number], label: string): Bar {
  const { current_probability: probability, day_ago_probability: before } = outcome;
  return {
    label,
    question: market.market_question,
    probability,
    change: before === undefined ? undefined : (probability - before) * 100,
    volume: market.volume,
    isWinner: market.settlement?.winning_outcome === outcome.label,
    isClosed: market.status === 'closed',
    settlement: market.settlement,
  };
}

/** The label that the source gives each market, or its question where there is none or two share it. */
function namesOf(markets: readonly Market[]): string[] {
  const labels = markets.map(({ group_label }) => group_label);
  return markets.map(({ group_label, market_question }) => {
    const isOwn = labels.indexOf(group_label) === labels.lastIndexOf(group_label);
    return group_label && isOwn ? group_label : market_question;
  });
}
