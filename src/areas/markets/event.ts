import { cardIdOfName } from '../../core/card-id.ts';
import { known } from '../../core/envelope.ts';
import { cleanLine, cleanText } from '../../core/text.ts';
import { detectAssets } from './assets.ts';
import type { StoredEvent, StoredMarket } from './card.ts';
import { cardTags, cleanTags, decisionOf, indicatorOf, normaliseTags, wordsOf } from './scope.ts';
import type { VenueEvent, VenueMarket } from './sources/venue.ts';

/** An event to store, and what it is found by. */
export interface MarketEvent {
  card: StoredEvent;
  /** Every tag by which the event is found; the card shows at most 20. */
  allTags: readonly string[];
  assets: readonly string[];
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
  const tags = cleanTags(event.tags);
  const financeTags = [...new Set([...(event.financeTags ?? []), ...normaliseTags(tags)])];
  const resolutionSource = cut(cleanLine(event.resolutionSource ?? ''), MAX_TEXT.resolutionSource);
  const markets = toMarkets(event);
  const card = {
    event_card_id: cardIdOfName(`${event.source}:event:${event.sourceId}`),
    alias: event.alias,
    title: cut(cleanLine(event.title), MAX_TEXT.title),
    source: event.source,
    url: event.url,
    status: event.status,
    volume: toCents(event.volume),
    volume_unit: event.volumeUnit,
    coverage_status: event.coverage,
    tags: cardTags(tags, financeTags),
    slug: cut(cleanLine(event.slug), MAX_TEXT.slug),
    mutually_exclusive: event.mutuallyExclusive,
    description: event.description && cut(cleanText(event.description), MAX_TEXT.description),
    market_count: markets.length,
    markets,
    ...known({
      end_time: event.endTime,
      liquidity: event.liquidity === null ? null : toCents(event.liquidity),
      category: cleanLabel(event.category ?? '') || null,
      start_time: event.startTime,
      closed_time: event.status === 'closed' ? closingTime(event, seenAt, closedBefore) : null,
      volume_24h: event.volume24h === null ? null : toCents(event.volume24h),
      open_interest: event.openInterest === null ? null : toCents(event.openInterest),
      resolution_source: LINK.test(resolutionSource) ? resolutionSource : null,
      indicator: indicatorOf(event, tags),
      more_markets: event.moreMarkets || null,
    }),
  };
  return {
    card,
    allTags: [...new Set([...financeTags, ...tags])],
    assets: detectAssets(wordsOf(event), tags, financeTags),
  };
}

function toMarket(market: VenueMarket, series: string | null): StoredMarket {
  return {
    market_card_id: market.id,
    market_question: cut(cleanLine(market.question), MAX_TEXT.question),
    outcomes: market.outcomes.map(({ label, tokenId, probability }) => ({
      label: cleanLabel(label),
      outcome_token_id: tokenId,
      current_probability: probability,
    })),
    status: market.status,
    liquidity: toCents(market.liquidity ?? 0),
    volume: toCents(market.volume),
    ...known({
      price_basis: market.priceBasis,
      winning_outcome: market.winningOutcome && cleanLabel(market.winningOutcome),
      group_label: market.groupLabel && cleanLabel(market.groupLabel),
      end_time: market.endTime,
      strike: decisionOf(series, market.groupLabel) ?? market.strike,
    }),
  };
}

/** Money and contracts without what binary fractions add. */
function toCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

/** The event's own, else that of its last market, its end, or when it was first seen closed. */
function closingTime(event: VenueEvent, seenAt: string, closedBefore: string | null): string {
  const { closedTime, endTime, markets } = event;
  const ofMarkets = markets.flatMap((market) => market.closedTime ?? []).sort();
  const pastEnd = endTime !== null && endTime <= seenAt ? endTime : null;
  return closedTime ?? ofMarkets.at(-1) ?? pastEnd ?? closedBefore ?? seenAt;
}

/**
 * The markets as stored: by place where they are steps ("$110,000", "2 (50 bps)", "June 30"), or where the
 * venue tells no liquidity to weigh them by; else by weight.
 */
function toMarkets({ markets, series }: VenueEvent): StoredMarket[] {
  const places = new Set(markets.map(({ place }) => place));
  const labelled = markets.filter(({ groupLabel }) => /\d/.test(groupLabel ?? ''));
  const isPlaced = places.size === markets.length && !places.has(null);
  const isWeighed = markets.some(({ liquidity }) => liquidity !== null);
  const areSteps = isPlaced && (!isWeighed || labelled.length * 2 > markets.length);
  const inPlace = markets.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0));
  const stored = inPlace.map((market) => toMarket(market, series));
  return areSteps ? stored : stored.sort(byWeight);
}

type Weighed = Pick<StoredMarket, 'market_card_id' | 'status' | 'liquidity'>;

/** Open ones first, then by liquidity, then by id; shorter ids first, so that numbers are in order. */
export function byWeight(a: Weighed, b: Weighed): number {
  const [id, other] = [a.market_card_id, b.market_card_id];
  return (
    Number(a.status !== 'active') - Number(b.status !== 'active') ||
    b.liquidity - a.liquidity ||
    id.length - other.length ||
    (id < other ? -1 : 1)
  );
}

function cleanLabel(label: string): string {
  return cut(cleanLine(label), MAX_TEXT.label);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join('');
}
