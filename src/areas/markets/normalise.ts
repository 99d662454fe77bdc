import { cleanLine, cleanText } from '../../core/text.ts';
import { detectAssets } from './assets.ts';
import { listOutcomes, type OutcomeCard, winnerOf } from './outcomes.ts';
import { cardTags, cleanTags, normaliseTags, wordsOf } from './scope.ts';
import type { EventFacts, MarketFacts } from './sources/gamma.ts';

/** In browse order. */
export const STATUSES = ['active', 'inactive', 'closed'] as const;
export type Status = (typeof STATUSES)[number];

/** Completeness of a card, apart from its age. */
export type Coverage = 'complete' | 'partial' | 'metadata_only';

/** A market as stored and shown. Times are ISO 8601 with milliseconds, money is US dollars. */
export interface MarketCard {
  id: number;
  question: string;
  groupLabel: string | null;
  outcomes: readonly OutcomeCard[];
  status: Status;
  liquidity: number;
  volume: number;
  endTime: string | null;
  winningOutcome: string | null;
}

/** An event as stored and shown. */
export interface EventCard {
  id: number;
  slug: string;
  title: string;
  description: string | null;
  /** As shown: finance tags first, then the source's own, at most 20. */
  tags: readonly string[];
  /** Every tag by which the event is found. */
  allTags: readonly string[];
  assets: readonly string[];
  category: string | null;
  status: Status;
  coverage: Coverage;
  startTime: string | null;
  endTime: string | null;
  /** Null unless the event is closed. */
  closedTime: string | null;
  /** When it was or will be resolved. */
  resolutionTime: string | null;
  volume: number;
  volume24h: number | null;
  liquidity: number;
  openInterest: number | null;
  mutuallyExclusive: boolean;
  resolutionSource: string | null;
  /** In the source's order where they are steps; else open ones first, then by liquidity, then by id. */
  markets: readonly MarketCard[];
}

/** Length limits in code points, far above those of the source's own forms. */
const MAX_TEXT = {
  description: 8_000,
  title: 500,
  question: 500,
  resolutionSource: 1_000,
  slug: 300,
  label: 200,
} as const;
/** Limits on markets of an event and outcomes of a market; the source's largest event has 200 markets. */
const MAX_MARKETS = 1_000;
const MAX_OUTCOMES = 30;

/**
 * Makes the card of an event. `seenAt` is the time of the facts, ISO 8601 with milliseconds;
 * `closedBefore` the stored closing time, since the source does not always give one.
 */
export function normaliseEvent(
  facts: EventFacts,
  seenAt: string,
  closedBefore: string | null = null,
): EventCard {
  const tags = cleanTags(facts.tags);
  const kept = facts.markets.filter((market) => isShown(market, facts.mutuallyExclusive));
  const all = areSteps(kept)
    ? kept.toSorted(byPlace).map(normaliseMarket)
    : kept.map(normaliseMarket).sort(byWeight);
  const markets = all.slice(0, MAX_MARKETS);
  const status = eventStatus(facts, kept);
  const closedTime = status === 'closed' ? closingTime(facts, kept, seenAt, closedBefore) : null;
  const endTime = facts.endTime;
  const scope = { ...facts, tags, markets: kept };
  return {
    id: Number(facts.id),
    slug: cut(cleanLine(facts.slug), MAX_TEXT.slug),
    title: cut(cleanLine(facts.title), MAX_TEXT.title),
    description: facts.description && cut(cleanText(facts.description), MAX_TEXT.description),
    tags: cardTags(tags),
    allTags: [...new Set([...normaliseTags(tags), ...tags])],
    assets: detectAssets(wordsOf(scope), tags, normaliseTags(tags)),
    category: (facts.category && cut(cleanLine(facts.category), MAX_TEXT.label)) || null,
    status,
    coverage: coverageOf(kept, markets, facts.lacksMarkets),
    startTime: facts.startTime,
    endTime,
    closedTime,
    resolutionTime: status === 'closed' ? closedTime : endTime,
    volume: facts.volume ?? sum(all.map((market) => market.volume)),
    volume24h: facts.volume24h,
    liquidity: facts.liquidity ?? sum(all.map((market) => market.liquidity)),
    openInterest: facts.openInterest,
    mutuallyExclusive: facts.mutuallyExclusive,
    resolutionSource:
      facts.resolutionSource && cut(cleanLine(facts.resolutionSource), MAX_TEXT.resolutionSource),
    markets,
  };
}

function normaliseMarket(facts: MarketFacts): MarketCard {
  const labels = facts.outcomes.slice(0, MAX_OUTCOMES);
  const outcomes = listOutcomes({ ...facts, outcomes: labels.map(cleanLabel) });
  return {
    id: Number(facts.id),
    question: cut(cleanLine(facts.question), MAX_TEXT.question),
    groupLabel: facts.groupLabel && cleanLabel(facts.groupLabel),
    outcomes,
    status: marketStatus(facts),
    liquidity: facts.liquidity ?? 0,
    volume: facts.volume ?? 0,
    endTime: facts.endTime,
    winningOutcome: winnerOf(facts, outcomes),
  };
}

/**
 * False for archived markets and for the placeholders ("Person A", "Other") that the source keeps in
 * events with mutually exclusive markets: unpublished and never traded.
 */
function isShown(market: MarketFacts, mutuallyExclusive: boolean): boolean {
  const neverTraded = (market.volume ?? 0) === 0;
  const isPlaceholder = mutuallyExclusive && !market.active && !market.closed && neverTraded;
  return !market.archived && !isPlaceholder && market.question !== '';
}

function isOpen(market: MarketFacts): boolean {
  return market.active && !market.closed && !market.archived && market.acceptingOrders !== false;
}

function marketStatus(market: MarketFacts): Status {
  if (market.closed) return 'closed';
  return isOpen(market) ? 'active' : 'inactive';
}

/** Uses flags only: an end date in the past does not close an event. */
function eventStatus(
  event: Pick<EventFacts, 'closed' | 'archived' | 'lacksMarkets'>,
  markets: readonly MarketFacts[],
): Status {
  // A market that could not be read may be open.
  const isOver = !event.lacksMarkets && markets.length > 0 && markets.every(({ closed }) => closed);
  if (event.closed || isOver) return 'closed';
  return !event.archived && markets.some(isOpen) ? 'active' : 'inactive';
}

function coverageOf(
  facts: readonly MarketFacts[],
  cards: readonly MarketCard[],
  lacksMarkets = false,
): Coverage {
  if (cards.every((market) => market.outcomes.length === 0)) return 'metadata_only';
  const labels = sum(facts.map((market) => market.outcomes.length));
  const isWhole =
    !lacksMarkets &&
    labels === sum(cards.map((market) => market.outcomes.length)) &&
    cards.every((market) => market.outcomes.length > 0);
  return isWhole ? 'complete' : 'partial';
}

function closingTime(
  facts: EventFacts,
  markets: readonly MarketFacts[],
  seenAt: string,
  closedBefore: string | null,
): string {
  const ofMarkets = markets
    .flatMap((market) => market.closedTime ?? [])
    .sort()
    .at(-1);
  const pastEnd = facts.endTime !== null && facts.endTime <= seenAt ? facts.endTime : null;
  return facts.closedTime ?? ofMarkets ?? pastEnd ?? closedBefore ?? seenAt;
}

/** Whether the markets are steps that the source has put in order ("$110,000", "2 (50 bps)", "June 30"). */
function areSteps(markets: readonly MarketFacts[]): boolean {
  const places = new Set(markets.map(({ place }) => place));
  const labelled = markets.filter(({ groupLabel }) => /\d/.test(groupLabel ?? ''));
  return (
    places.size === markets.length && !places.has(null) && labelled.length * 2 > markets.length
  );
}

function byPlace(a: MarketFacts, b: MarketFacts): number {
  return (a.place ?? 0) - (b.place ?? 0);
}

/** Open ones first, then by liquidity, then by id. */
export function byWeight(a: Weighed, b: Weighed): number {
  const openFirst = Number(a.status !== 'active') - Number(b.status !== 'active');
  return openFirst || b.liquidity - a.liquidity || a.id - b.id;
}

type Weighed = Pick<MarketCard, 'id' | 'status' | 'liquidity'>;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function cleanLabel(label: string): string {
  return cut(cleanLine(label), MAX_TEXT.label);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join('');
}
