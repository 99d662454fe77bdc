import { countOf } from '../../core/text.ts';
import { type Bar, barsOf } from './bars.ts';
import {
  actions,
  type Content,
  fold,
  foldButton,
  make,
  mark,
  remarks,
  scroller,
  tableOf,
} from './dom.ts';
import { formatChance, formatChange, formatDate, formatDollars } from './format.ts';
import { observationAt, plotOf, type Series, swatch } from './plot.ts';
import type { Drawing, Shown, Stage } from './stage.ts';
import type { Event, Listing, Meta, Settlement } from './tool-reply.ts';

/** Names of the venues, set by the build. */
declare const QUANTSHELF_VENUES: string;

const TOOLS = {
  browse: 'prediction_market_event_browse',
  search: 'prediction_market_event_search',
  read: 'prediction_market_event_read',
};
/** Number of bars before "Show more", for an event on its own and for one in a list. */
const SHOWN = { alone: 12, listed: 3 };
/** Smaller moves, in percentage points, are noise. */
const MIN_CHANGE = 0.1;

export function drawEvent(event: Event, { meta }: Shown, stage: Stage): Drawing {
  const { title, event_card_id, description, more_markets: left = 0 } = event;
  const bars = barsOf(event.markets);
  const isOpenEnded = event.mutually_exclusive === false && event.markets.length > 1;
  const body = [
    factsOf(event),
    outcomesOf(event, bars, SHOWN.alone),
    pastOf(bars),
    remarks(
      left > 0 && `Not shown: ${countOf(left, 'more market')}; see the source.`,
      ageRemark([event], meta),
      isOpenEnded && 'More than one of these may come true, or none.',
    ),
    description && fold('Rules', scroller('text', 'Rules', description)),
  ];
  const more = stage.button('Refresh', TOOLS.read, { event_card_id });
  const source = [stage.port.link(venueOf(event), event.url), ' ·'];
  return {
    parts: stage.layout(title, { meta, body, credit: source, more }),
    summary: `The user is reading the odds of the event "${title}" (${event_card_id}).`,
  };
}

/** Draws the events of a search or a list, each with its likeliest outcomes. */
export function drawListing(listing: Listing, { meta, args }: Shown, stage: Stage): Drawing {
  const { events, nextCursor } = listing;
  const tool = typeof args.query === 'string' ? TOOLS.search : TOOLS.browse;
  const venues = [...new Set(events.map(venueOf))].join(', ') || QUANTSHELF_VENUES;
  return stage.list({
    name: 'Odds',
    about: args.query ?? args.q ?? args.tag ?? args.asset,
    noun: 'event',
    meta,
    cards: events.map((event) => cardOf(event, stage)),
    words: ageRemark(events, meta),
    buttons: nextCursor && stage.button('Next page', tool, { ...args, cursor: nextCursor }),
    credit: `${venues} ·`,
    more: stage.button('Refresh', tool, args),
  });
}

function cardOf(event: Event, stage: Stage) {
  const { event_card_id, title, markets } = event;
  const read = stage.button('Read this event', TOOLS.read, { event_card_id }, true);
  const parts = outcomesOf(event, barsOf(markets), SHOWN.listed, read);
  return { title, facts: factsOf(event), parts };
}

/** Warns if odds are old and their event is not closed. */
function ageRemark(events: readonly Event[], { asOf }: Meta): string | false {
  const day = asOf === undefined ? 'an earlier day' : formatDate(asOf);
  const words = `Odds from ${day}: they may have changed since, and are not the outcome.`;
  return events.some(isOld) && words;
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
    isOld(event) && mark('Snapshot', 'warn'),
    status === 'inactive' && mark('Inactive'),
    settlementMark(settlement),
  ];
  return make('p', { class: 'facts' }, facts.join(' · '), marks);
}

/** Labels for settlements that name no winning outcome, by status. */
const UNDECIDED: Readonly<Record<string, string>> = {
  ended: 'Ended: no final result',
  disputed: 'Disputed: the result may change',
  void: 'Void: no outcome won',
};

/** The result of an event or a market; nothing while it is open. */
function settlementMark({ status, winning_outcome, value }: Settlement): Content {
  const words = UNDECIDED[status];
  if (words !== undefined) return mark(words, 'warn');
  const result = winning_outcome ?? (value === undefined ? undefined : formatChance(value));
  return status === 'settled' && mark(result ? `Settled: ${result}` : 'Settled', 'good');
}

function endOf(event: Event): string | undefined {
  const { status, end_time, closed_time = end_time } = event;
  if (status === 'closed') return closed_time && `Closed ${formatDate(closed_time)}`;
  if (end_time === undefined) return undefined;
  return `${Date.parse(end_time) < Date.now() ? 'Ended' : 'Ends'} ${formatDate(end_time)}`;
}

function formatVolume(volume: number, { volume_unit }: Event): string {
  const amount = formatDollars(volume);
  return volume_unit === 'contracts' ? `${amount.replace('$', '')} contracts` : amount;
}

function venueOf({ source }: Event): string {
  return source.charAt(0).toUpperCase() + source.slice(1);
}

/** A single outcome's chance or result, or else a table with a button for more rows; `button` comes last. */
function outcomesOf(event: Event, bars: readonly Bar[], most: number, button?: Content): Content {
  const { title, markets } = event;
  const [first, ...others] = bars;
  if (first === undefined) {
    return make('p', { class: 'message' }, 'No market of this event is stored.');
  }
  if (others.length === 0) return [chanceOf(first), actions(button)];
  const volumeOf = ({ volume }: Bar) => (markets.length > 1 ? formatVolume(volume, event) : '');
  const columns = [
    { name: 'Chance', kind: 'share', cellOf: (bar: Bar) => formatChance(bar.probability) },
    { name: 'In a day', kind: 'move', cellOf: (bar: Bar) => moveOf(bar.inDay) },
    { name: 'In a week', kind: 'move week', cellOf: (bar: Bar) => moveOf(bar.inWeek) },
    { name: 'Volume', kind: 'move volume', cellOf: volumeOf },
  ].filter(({ cellOf }) => bars.some((bar) => cellOf(bar) !== ''));
  const likeliest = Math.max(...bars.map(({ probability }) => probability));
  const rows = bars.map((bar) => {
    const isLikeliest = bar.probability === likeliest && !bar.isClosed;
    const cells = columns.map(({ kind, cellOf }) => make('td', { class: kind }, cellOf(bar)));
    const name = (isLikeliest || bar.isWinner) && 'likeliest';
    return make('tr', { class: name }, outcomeOf(bar, event), cells);
  });
  const words = `Outcomes of ${title}; changes in percentage points`;
  const caption = make('caption', { class: 'unseen' }, words);
  const table = tableOf({ class: 'bars' }, caption, [{ name: 'Outcome' }, ...columns], rows);
  const rankOf = (row: HTMLTableRowElement) => {
    const { isWinner, isClosed, probability } = bars[rows.indexOf(row)] ?? first;
    return isWinner ? 2 : isClosed ? -1 : probability;
  };
  // The least likely are hidden, wherever they are in the table.
  const ranked = rows.toSorted((a, b) => rankOf(b) - rankOf(a));
  return [table, actions(foldButton(ranked.slice(most), 'outcome'), button)];
}

/** The only outcome's result or, while there is none, its chance. */
function chanceOf({ probability, inDay, inWeek, settlement, isYes }: Bar): HTMLElement {
  const { status, winning_outcome } = settlement ?? {};
  const result = status === 'void' ? 'No outcome won' : winning_outcome;
  const value = make('span', { class: 'value' }, result ?? formatChance(probability));
  if (result !== undefined) return make('p', { class: 'reading' }, value);
  const [day, week] = [moveOf(inDay), moveOf(inWeek)];
  const moves = [day && `${day} points in a day`, week && `${week} points in a week`];
  const when = make('span', { class: 'when' }, moves.filter(Boolean).join(', '));
  return make('p', { class: 'reading' }, value, isYes && ' chance ', when);
}

/** An outcome with its bar, marked if it came true or if its settlement's status is not the event's. */
function outcomeOf(bar: Bar, event: Event): HTMLElement {
  const { label, question, probability, settlement, isWinner } = bar;
  const fill = make('div', { class: 'fill' });
  fill.style.width = `${Math.min(1, Math.max(0, probability)) * 100}%`;
  const isLikeEvent = settlement === undefined || settlement.status === event.settlement.status;
  const result =
    settlement?.status === 'settled' ? mark('Settled') : settlement && settlementMark(settlement);
  return make(
    'th',
    { scope: 'row', title: question },
    make('span', { class: 'label' }, label),
    isWinner ? mark('Came true', 'good') : !isLikeEvent && result,
    make('div', { class: 'track', 'aria-hidden': 'true' }, fill),
  );
}

/** A plot of the daily odds of the two likeliest outcomes that have a history. */
function pastOf(bars: readonly Bar[]): Content {
  const series: Series[] = bars
    .filter(({ past }) => past.length > 1)
    .sort((a, b) => b.probability - a.probability)
    .slice(0, 2)
    .map(({ label, past }) => ({
      title: label,
      units: 'Percent',
      observations: past.map(({ date, odds }) => ({ date, value: 100 * odds })),
    }));
  const textAt = (each: Series, date: string) => {
    const value = observationAt(each, date)?.value ?? undefined;
    return `${each.title} ${value === undefined ? '–' : formatChance(value / 100)}`;
  };
  const readout = make('p', { class: 'reading when' });
  const read = (date: string) => {
    const texts = series.map((each) => textAt(each, date));
    const named = texts.map((text, at) => make('span', {}, swatch(at), ` ${text}`));
    readout.replaceChildren(formatDate(date), ...named);
    return [formatDate(date), ...texts].join(', ');
  };
  return series.length > 0 && make('div', { class: 'chart' }, readout, plotOf(series, { read }));
}

/** Percentage points with a sign; empty for a negligible move. */
function moveOf(points: number | undefined): string {
  return Math.abs(points ?? 0) < MIN_CHANGE ? '' : formatChange(points ?? 0, 1);
}
