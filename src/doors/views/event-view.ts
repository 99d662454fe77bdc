import { countOf } from '../../core/text.ts';
import type { Event, Fields, Listing, Meta, Settlement } from './answer.ts';
import { type Bar, barsOf } from './bars.ts';
import { actions, type Child, fold, foldButton, make, mark, remarks } from './dom.ts';
import { formatChance, formatChange, formatDate, formatDollars } from './format.ts';
import { observationAt, plotOf, type Series, swatch } from './plot.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

/** Names of the venues, set by the build. */
declare const QUANTSHELF_VENUES: string;

const TOOLS = {
  browse: 'prediction_market_event_browse',
  search: 'prediction_market_event_search',
  read: 'prediction_market_event_read',
};
/** How many bars of an event alone and in a list show before "Show more". */
const SHOWN = { alone: 12, listed: 3 };
/** Smaller moves, in points, are the noise of a market without trades. */
const MIN_CHANGE = 0.1;

/** One event with all its outcomes. */
export function drawEvent(event: Event, { meta }: Shown, stage: Stage): Drawing {
  const { title, event_card_id, description, more_markets: left = 0 } = event;
  const bars = barsOf(event.markets);
  const isOpenEnded = event.mutually_exclusive === false && event.markets.length > 1;
  const rules = { class: 'text', tabindex: 0, role: 'region', 'aria-label': 'Rules' };
  const body = [
    factsOf(event),
    ...outcomesOf(event, bars, SHOWN.alone),
    ...pastOf(bars),
    ...remarks([
      ...(left === 0
        ? []
        : [`Not shown: ${countOf(left, 'less likely outcome')}; see the source.`]),
      ...ageRemarks([event], meta),
      ...(isOpenEnded ? ['More than one of these can come true, or none.'] : []),
    ]),
    ...(description ? [fold('Rules', make('div', rules, description))] : []),
  ];
  const more = stage.button('Refresh', TOOLS.read, { event_card_id });
  const source = [stage.port.link(sourceOf(event), event.url), ' ·'];
  return {
    parts: stage.layout(title, { meta, body, source, more }),
    summary: `The user reads the odds of the event "${title}" (${event_card_id}).`,
  };
}

/** Events that were searched for or browsed, each with its first outcomes. */
export function drawListing(listing: Listing, { meta, args }: Shown, stage: Stage): Drawing {
  const { events, nextCursor } = listing;
  const tool = typeof args.query === 'string' ? TOOLS.search : TOOLS.browse;
  const about = args.query ?? args.q ?? args.tag ?? args.asset;
  const next: Fields = { ...args, cursor: nextCursor };
  const venues = [...new Set(events.map(sourceOf))].join(', ') || QUANTSHELF_VENUES;
  return stage.list('event', typeof about === 'string' ? `Odds: ${about}` : 'Prediction markets', {
    meta,
    cards: events.map((event) => cardOf(event, stage)),
    words: meta.verdict === 'none' ? [] : ageRemarks(events, meta),
    buttons: nextCursor === undefined ? [] : stage.button('Next page', tool, next),
    source: [`${venues} ·`],
    more: stage.button('Refresh', tool, args),
  });
}

function cardOf(event: Event, stage: Stage) {
  const { event_card_id, title, markets } = event;
  const read = stage.button('Read this event', TOOLS.read, { event_card_id }, true);
  const parts = outcomesOf(event, barsOf(markets), SHOWN.listed, read);
  return { title, facts: [factsOf(event)], parts };
}

/** Warns of old odds of events that are not closed. */
function ageRemarks(events: readonly Event[], { asOf }: Meta): string[] {
  if (!events.some(isOld)) return [];
  const day = asOf === undefined ? 'some time ago' : `on ${formatDate(asOf)}`;
  return [`Seen ${day}: the odds may have changed since, and are not the outcome.`];
}

function isOld({ coverage_status, status }: Event): boolean {
  return coverage_status === 'stale' && status !== 'closed';
}

function factsOf(event: Event): HTMLElement {
  const { status, liquidity, settlement } = event;
  const hasLiquidity = status !== 'closed' && liquidity !== undefined;
  const facts = [
    endOf(event),
    `${formatVolume(event.volume, event)} traded`,
    hasLiquidity && `${formatDollars(liquidity)} liquidity`,
  ].filter(Boolean);
  const marks = [
    ...(isOld(event) ? [mark('Snapshot', 'warn')] : []),
    ...(status === 'inactive' ? [mark('Inactive')] : []),
    ...settlementMark(settlement),
  ];
  return make('p', { class: 'facts' }, facts.join(' · '), ...marks.flatMap((each) => [' ', each]));
}

/** States without an outcome. */
const UNDECIDED: Readonly<Record<string, string>> = {
  ended: 'Ended: no final result',
  disputed: 'Disputed: the result may change',
  void: 'Void: no outcome won',
};

/** The result of an event or a market; nothing while it is open. */
function settlementMark({ status, winning_outcome, value }: Settlement): HTMLElement[] {
  const words = UNDECIDED[status];
  if (words !== undefined) return [mark(words, 'warn')];
  if (status !== 'settled') return [];
  const result = winning_outcome ?? (value === undefined ? undefined : formatChance(value));
  return [mark(result === undefined ? 'Settled' : `Settled: ${result}`, 'good')];
}

function endOf(event: Event): string | undefined {
  const { status, end_time, closed_time = end_time } = event;
  if (status === 'closed') {
    return closed_time === undefined ? undefined : `Closed ${formatDate(closed_time)}`;
  }
  if (end_time === undefined) return undefined;
  return `${Date.parse(end_time) < Date.now() ? 'Ended' : 'Ends'} ${formatDate(end_time)}`;
}

function formatVolume(volume: number, { volume_unit }: Event): string {
  const amount = formatDollars(volume);
  return volume_unit === 'contracts' ? `${amount.replace('$', '')} contracts` : amount;
}

/** The name of the venue. */
function sourceOf({ source }: Event): string {
  return source.charAt(0).toUpperCase() + source.slice(1);
}

/** A figure for a single outcome, else a table with a button for further rows; then other buttons. */
function outcomesOf(
  event: Event,
  bars: readonly Bar[],
  most: number,
  buttons: readonly Child[] = [],
): Child[] {
  const { title, markets } = event;
  const [first, ...others] = bars;
  if (first === undefined) {
    return [make('p', { class: 'message' }, 'No market of this event is stored.')];
  }
  if (others.length === 0) return [chanceOf(first), ...actions(buttons)];
  const hasVolumes = markets.length > 1;
  const columns = [
    { name: 'Chance', kind: 'share', cellOf: (bar: Bar) => formatChance(bar.probability) },
    { name: 'In a day', kind: 'move', cellOf: (bar: Bar) => moveOf(bar.inDay) },
    { name: 'In a week', kind: 'move week', cellOf: (bar: Bar) => moveOf(bar.inWeek) },
    {
      name: 'Volume',
      kind: 'move volume',
      cellOf: (bar: Bar) => (hasVolumes ? formatVolume(bar.volume, event) : ''),
    },
  ].filter(({ cellOf }) => bars.some((bar) => cellOf(bar) !== ''));
  const likeliest = Math.max(...bars.map(({ probability }) => probability));
  const rows = bars.map((bar) => {
    const isLikeliest = bar.probability === likeliest && !bar.isClosed;
    return make(
      'tr',
      { class: isLikeliest || bar.isWinner ? 'likeliest' : undefined },
      outcomeOf(bar, event),
      ...columns.map(({ kind, cellOf }) => make('td', { class: kind }, cellOf(bar))),
    );
  });
  const heads = [{ name: 'Outcome', kind: undefined }, ...columns].map(({ name, kind }) =>
    make('th', { scope: 'col', class: kind }, name),
  );
  const table = make(
    'table',
    { class: 'bars' },
    make('caption', { class: 'unseen' }, `Outcomes of ${title}; changes in percentage points`),
    make('thead', {}, make('tr', {}, ...heads)),
    make('tbody', {}, ...rows),
  );
  const rankOf = (row: HTMLTableRowElement) => {
    const { isWinner, isClosed, probability } = bars[rows.indexOf(row)] ?? first;
    return isWinner ? 2 : isClosed ? -1 : probability;
  };
  // Hides the least likely, whatever their position.
  const ranked = rows.toSorted((a, b) => rankOf(b) - rankOf(a));
  return [table, ...actions([...foldButton(ranked.slice(most), 'outcome'), ...buttons])];
}

/** The result of a question, or its chance. */
function chanceOf({ probability, inDay, inWeek, settlement, isYes }: Bar): HTMLElement {
  const { status, winning_outcome } = settlement ?? {};
  const result = status === 'void' ? 'No outcome won' : winning_outcome;
  const moves = [
    [moveOf(inDay), 'in a day'],
    [moveOf(inWeek), 'in a week'],
  ].flatMap(([move = '', time]) => (move === '' ? [] : [`${move} points ${time}`]));
  return make(
    'p',
    { class: 'reading' },
    make('span', { class: 'value' }, result ?? formatChance(probability)),
    ...(result === undefined && isYes ? [' chance '] : []),
    ...(result === undefined ? [make('span', { class: 'when' }, moves.join(', '))] : []),
  );
}

/** An outcome with its bar, and its result if that differs from the event's. */
function outcomeOf(bar: Bar, event: Event): HTMLElement {
  const { label, question, probability, settlement, isWinner } = bar;
  const fill = make('div', { class: 'fill' });
  fill.style.width = `${Math.min(1, Math.max(0, probability)) * 100}%`;
  const isLikeEvent = settlement === undefined || settlement.status === event.settlement.status;
  const marks = isWinner
    ? [mark('Came true', 'good')]
    : isLikeEvent
      ? []
      : settlement.status === 'settled'
        ? [mark('Settled')]
        : settlementMark(settlement);
  return make(
    'th',
    { scope: 'row', title: question },
    make('span', { class: 'label' }, label),
    ...marks.flatMap((each) => [' ', each]),
    make('div', { class: 'track', 'aria-hidden': 'true' }, fill),
  );
}

/** The stored odds of the two likeliest outcomes, day by day. */
function pastOf(bars: readonly Bar[]): Child[] {
  const series: Series[] = bars
    .filter(({ past }) => past.length > 1)
    .sort((a, b) => b.probability - a.probability)
    .slice(0, 2)
    .map(({ label, past }) => ({
      title: label,
      units: 'Percent',
      observations: past.map(({ date, odds }) => ({ date, value: 100 * odds })),
    }));
  if (series.length === 0) return [];
  const textAt = (each: Series, date: string) => {
    const value = observationAt(each, date)?.value ?? undefined;
    return `${each.title} ${value === undefined ? '–' : formatChance(value / 100)}`;
  };
  const reading = make('p', { class: 'reading when' });
  const read = (date: string) => {
    const texts = series.map((each) => textAt(each, date));
    const named = texts.map((text, at) => make('span', {}, swatch(at), ` ${text}`));
    reading.replaceChildren(formatDate(date), ...named);
    return [formatDate(date), ...texts].join(', ');
  };
  const plot = plotOf(series, { read });
  return [make('div', { class: 'chart' }, reading, plot)];
}

/** Percentage points with a sign; nothing for what has not moved. */
function moveOf(points: number | undefined): string {
  return Math.abs(points ?? 0) < MIN_CHANGE ? '' : formatChange(points ?? 0, 1);
}
