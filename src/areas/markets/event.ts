import { cardIdOfName } from '../../core/card-id.ts';
import { cleanLine, cleanText } from '../../core/text.ts';
import { detectAssets } from './assets.ts';
import { cardTags, cleanTags, decisionOf, indicatorOf, normaliseTags, wordsOf } from './scope.ts';
import type { VenueEvent, VenueMarket } from './sources/venue.ts';

/** A market as stored and shown. */
export type Market = Omit<VenueMarket, 'place' | 'closedTime'>;

/** An event as stored and shown. */
export interface MarketEvent
  extends Omit<VenueEvent, 'recurrence' | 'financeTags' | 'series' | 'markets'> {
  /** The event_card_id. */
  cardId: string;
  /** As shown: finance tags first, then the venue's own, at most 20. */
  tags: readonly string[];
  /** Every tag by which the event is found. */
  allTags: readonly string[];
  assets: readonly string[];
  /** The indicator of our catalogue that the event is about. */
  indicator: string | null;
  /** Null unless the event is closed. */
  closedTime: string | null;
  /** In the venue's order where they are steps; else by weight. */
  markets: readonly Market[];
}

/** Length limits in code points, far above those of the venues' own forms. */
const MAX_TEXT = {
  description: 8_000,
  title: 500,
  question: 500,
  resolutionSource: 1_000,
  slug: 300,
  label: 200,
} as const;

/** What a venue tells may be of any scheme; only a link for people is shown. */
const LINK = /^https?:\/\/./is;

/**
 * The event that is stored. `seenAt` is when the venue delivered it, ISO 8601 with milliseconds;
 * `closedBefore` the stored closing time, since a venue does not always give one.
 */
export function toMarketEvent(
  event: VenueEvent,
  seenAt: string,
  closedBefore: string | null = null,
): MarketEvent {
  const { recurrence: _recurrence, financeTags: ofVenue, series, ...rest } = event;
  const tags = cleanTags(event.tags);
  const financeTags = [...new Set([...(ofVenue ?? []), ...normaliseTags(tags)])];
  const closedTime = event.status === 'closed' ? closingTime(event, seenAt, closedBefore) : null;
  const resolutionSource = cut(cleanLine(event.resolutionSource ?? ''), MAX_TEXT.resolutionSource);
  return {
    ...rest,
    cardId: cardIdOfName(`${event.source}:event:${event.sourceId}`),
    slug: cut(cleanLine(event.slug), MAX_TEXT.slug),
    title: cut(cleanLine(event.title), MAX_TEXT.title),
    description: event.description && cut(cleanText(event.description), MAX_TEXT.description),
    tags: cardTags(tags, financeTags),
    allTags: [...new Set([...financeTags, ...tags])],
    assets: detectAssets(wordsOf(event), tags, financeTags),
    indicator: indicatorOf(event, tags),
    category: (event.category && cleanLabel(event.category)) || null,
    closedTime,
    resolutionSource: LINK.test(resolutionSource) ? resolutionSource : null,
    markets: inOrder(event.markets).map((market) => toMarket(market, series)),
  };
}

function toMarket(
  { place: _place, closedTime: _closed, ...market }: VenueMarket,
  series: string | null,
): Market {
  return {
    ...market,
    strike: decisionOf(series, market.groupLabel) ?? market.strike,
    question: cut(cleanLine(market.question), MAX_TEXT.question),
    groupLabel: market.groupLabel && cleanLabel(market.groupLabel),
    outcomes: market.outcomes.map((each) => ({ ...each, label: cleanLabel(each.label) })),
    winningOutcome: market.winningOutcome && cleanLabel(market.winningOutcome),
  };
}

/** The event's own, else that of its last market, its end, or when it was first seen closed. */
function closingTime(event: VenueEvent, seenAt: string, closedBefore: string | null): string {
  const { closedTime, endTime, markets } = event;
  const ofMarkets = markets.flatMap((market) => market.closedTime ?? []).sort();
  const pastEnd = endTime !== null && endTime <= seenAt ? endTime : null;
  return closedTime ?? ofMarkets.at(-1) ?? pastEnd ?? closedBefore ?? seenAt;
}

/**
 * By place where the markets are steps ("$110,000", "2 (50 bps)", "June 30"), or where the venue tells no
 * liquidity to weigh them by.
 */
function inOrder(markets: readonly VenueMarket[]): VenueMarket[] {
  const places = new Set(markets.map(({ place }) => place));
  const labelled = markets.filter(({ groupLabel }) => /\d/.test(groupLabel ?? ''));
  const isPlaced = places.size === markets.length && !places.has(null);
  const isWeighed = markets.some(({ liquidity }) => liquidity !== null);
  const areSteps = isPlaced && (!isWeighed || labelled.length * 2 > markets.length);
  return markets.toSorted(areSteps ? (a, b) => (a.place ?? 0) - (b.place ?? 0) : byWeight);
}

type Weighed = Pick<Market, 'id' | 'status' | 'liquidity'>;

/** Open ones first, then by liquidity, then by id; shorter ids first, so that numbers are in order. */
export function byWeight(a: Weighed, b: Weighed): number {
  return (
    Number(a.status !== 'active') - Number(b.status !== 'active') ||
    (b.liquidity ?? 0) - (a.liquidity ?? 0) ||
    a.id.length - b.id.length ||
    (a.id < b.id ? -1 : 1)
  );
}

function cleanLabel(label: string): string {
  return cut(cleanLine(label), MAX_TEXT.label);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join('');
}
