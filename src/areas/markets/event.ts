import { createHash } from 'node:crypto';
import { cardIdOfName } from '../../core/area.ts';
import { withoutNulls } from '../../core/envelope.ts';
import { checkpointOf } from '../../core/gate.ts';
import { cleanLine, cleanText, firstPoints, foldCase, MONTHS } from '../../core/text.ts';
import { listAssetNames } from './assets.ts';
import { type Classification, decisionOf } from './scope.ts';
import { settleEvent } from './settlement.ts';
import {
  isFinal,
  type Status,
  type StoredEvent,
  type StoredMarket,
  storedEvent,
  type VenueEvent,
  type VenueMarket,
} from './sources/event-card.ts';

/** An event to store, with the tags and assets by which it is found. */
export interface MarketEvent extends Pick<Classification, 'allTags' | 'assets'> {
  card: StoredEvent;
}

/** Maximum lengths in code points; for a description, in characters of JSON. */
const MAX_TEXT = {
  description: 8_000,
  title: 500,
  question: 500,
  resolutionSource: 1_000,
  slug: 300,
  label: 200,
} as const;

/** Only web links are shown; a venue may send a URL with any scheme. */
const LINK = /^https?:\/\/./is;

/**
 * The event to store. `seenAt` is when the venue delivered it, ISO 8601 with milliseconds.
 * `closedBefore` is the stored closing time, in case the venue sends none. `forgotten` are stored
 * markets that the venue no longer sends.
 */
export function toMarketEvent(
  event: VenueEvent,
  { tags, allTags, assets, indicator }: Omit<Classification, 'isFinance'>,
  seenAt: string,
  closedBefore: string | null = null,
  forgotten: readonly StoredMarket[] = [],
): MarketEvent {
  const { category, closed_time: _closed, end_time, resolution_source, ...rest } = event;
  const link = firstPoints(cleanLine(resolution_source ?? ''), MAX_TEXT.resolutionSource);
  const closed = event.status === 'closed' ? closingTime(event, seenAt, closedBefore) : null;
  const markets = [...toMarkets(event, closed), ...forgotten];
  const card = storedEvent.parse({
    ...rest,
    event_card_id: cardIdOfName(`${event.source}:event:${event.sourceId}`),
    title: firstPoints(cleanLine(event.title), MAX_TEXT.title),
    slug: firstPoints(cleanLine(event.slug), MAX_TEXT.slug),
    description: event.description && cutDescription(cleanText(event.description)),
    tags,
    ...withoutNulls({
      category: cleanLabel(category) || null,
      closed_time: closed,
      end_time: earlier(end_time, closed),
      resolution_source: LINK.test(link) ? link : null,
      indicator,
    }),
    settlement: settleEvent({ ...rest, markets }),
    market_count: markets.length,
    markets,
  });
  return { card, allTags, assets };
}

/** Cuts a description to its maximum length in JSON, which escapes quotation marks. */
function cutDescription(text: string): string {
  const excess = JSON.stringify(text).length / MAX_TEXT.description;
  return excess <= 1 ? text : cutDescription(firstPoints(text, [...text].length / excess - 1));
}

function earlier(end: string | undefined, closed: string | null): string | null {
  return end !== undefined && closed !== null && closed < end ? closed : (end ?? null);
}

/** Adds the stored markets to an event that its venue sent as closed and without markets. */
export function closeStored(
  event: VenueEvent,
  { markets, coverage_status, volume }: StoredEvent,
): VenueEvent {
  return {
    ...event,
    coverage_status,
    volume: event.volume || volume,
    markets: markets.map((market, place) => toUnsent(market, place, 'closed')),
  };
}

/**
 * The card of a stored event that its venue no longer sends. Markets in the venue's archive get
 * their results; others count as ended unless their results are final, and none stays active.
 */
export function toMissing(
  stored: StoredEvent,
  sourceId: string,
  at: Date,
  archive: readonly VenueMarket[],
): StoredEvent {
  const toInactive = (status: Status) => (status === 'active' ? 'inactive' : status);
  const results = new Map(archive.map((market) => [market.market_card_id, market]));
  const markets = stored.markets.map((market, place) => {
    const unsent = toUnsent(market, place, toInactive(market.status));
    const result = results.get(market.market_card_id);
    if (result === undefined) return unsent;
    const { status, outcomes, volume, settlement, price_basis, closed_time } = result;
    const prices = withoutNulls({ settlement, price_basis });
    return { ...unsent, status, outcomes, volume, closed_time, ...prices };
  });
  const isClosed = archive.length > 0 && markets.every(({ status }) => status === 'closed');
  const event: VenueEvent = {
    ...stored,
    status: isClosed ? 'closed' : toInactive(stored.status),
    sourceId,
    financeTags: null,
    series: null,
    recurrence: null,
    markets,
  };
  const { tags, indicator = null } = stored;
  const about = { tags, allTags: tags, assets: [], indicator };
  return toMarketEvent(event, about, at.toISOString()).card;
}

/** A market that its venue no longer sends. Unless its result is final, it counts as ended. */
function toUnsent(market: StoredMarket, place: number, status: Status): VenueMarket {
  const { settlement: stored } = market;
  const settlement = stored && isFinal(stored) ? stored : ({ status: 'ended' } as const);
  return { ...market, settlement, place, closed_time: null, status };
}

/**
 * The event's own closing time or, failing that, its markets' latest, the stored one, its end if that
 * has passed, or `seenAt`. Never later than `seenAt`.
 */
function closingTime(event: VenueEvent, seenAt: string, closedBefore: string | null): string {
  const { closed_time, end_time, markets } = event;
  const ofMarkets = markets.flatMap((market) => market.closed_time ?? []).sort();
  const pastEnd = end_time !== undefined && end_time <= seenAt ? end_time : null;
  return checkpointOf(closed_time ?? ofMarkets.at(-1) ?? closedBefore ?? pastEnd ?? seenAt, seenAt);
}

/**
 * The markets in stored order: by position if each has its own and either most labels have a digit
 * ("$110,000", "June 30") or the venue reports no liquidity; otherwise as `byWeight` sorts them.
 */
function toMarkets(
  { markets, series, liquidity }: VenueEvent,
  closed: string | null,
): StoredMarket[] {
  const places = new Set(markets.map(({ place }) => place));
  const labelled = markets.filter(({ group_label }) => /\d/.test(group_label ?? ''));
  const isPlaced = places.size === markets.length && !places.has(null);
  const areSteps = isPlaced && (liquidity === undefined || labelled.length * 2 > markets.length);
  return markets
    .toSorted(areSteps ? (a, b) => (a.place ?? 0) - (b.place ?? 0) : byWeight)
    .map((market) => ({
      ...market,
      market_question: firstPoints(cleanLine(market.market_question), MAX_TEXT.question),
      outcomes: market.outcomes.map((each) => ({ ...each, label: cleanLabel(each.label) ?? '' })),
      ...withoutNulls({
        end_time: endOf(market, closed),
        group_label: cleanLabel(market.group_label),
        strike: decisionOf(series, market.group_label),
      }),
    }));
}

/** A market's end time; for a closed market, no later than its own or its event's close. */
function endOf({ status, end_time, closed_time }: VenueMarket, closed: string | null) {
  if (status !== 'closed') return end_time ?? null;
  return earlier(earlier(end_time, closed_time) ?? undefined, closed);
}

type Weighed = Pick<StoredMarket, 'market_card_id' | 'status' | 'liquidity'>;

/** Open markets first, then the most liquid, then by id, shorter ids first, so that numbers are in order. */
function byWeight(a: Weighed, b: Weighed): number {
  const [id, other] = [a.market_card_id, b.market_card_id];
  return (
    Number(a.status !== 'active') - Number(b.status !== 'active') ||
    b.liquidity - a.liquidity ||
    id.length - other.length ||
    (id < other ? -1 : 1)
  );
}

function cleanLabel(label: string | undefined): string | null {
  return label === undefined ? null : firstPoints(cleanLine(label), MAX_TEXT.label);
}

/** The folded text that filter `q` searches: title, slug, tags, questions and outcome labels. */
export function haystackOf({ title, slug, tags, markets }: StoredEvent): string {
  const labels = markets.flatMap(({ outcomes }) => outcomes.map(({ label }) => label));
  const questions = markets.map(({ market_question }) => market_question);
  return [...new Set([title, slug, ...tags, ...questions, ...labels].map(foldCase))].join('\n');
}

/**
 * An event's texts by column of the search index. They do not depend on the order of markets, which
 * changes with trading.
 */
export function indexTexts({ card, allTags, assets }: MarketEvent): Record<string, string> {
  const questions = card.markets.map(({ market_question }) => market_question);
  const labels = card.markets.flatMap(({ group_label = '', outcomes }) => [
    group_label,
    ...outcomes.map(({ label }) => label),
  ]);
  return {
    title: card.title,
    description: [card.description ?? '', wordsOfDate(card.end_time)].join('\n'),
    tags: [...allTags, ...listAssetNames(assets)].join(' '),
    questions: [...new Set(questions)].sort().join('\n'),
    labels: [...new Set([...labels, periodOf(card)])].sort().join('\n'),
  };
}

/** The period in a ticker, often missing from the title: "November 2026" for "KXCPI-26NOV". */
function periodOf({ slug }: StoredEvent): string {
  const [, year, short] = /-(\d\d)([a-z]{3})(?:\d\d)*$/.exec(slug) ?? [];
  const month = MONTHS.find((name) => name.slice(0, 3).toLowerCase() === short);
  return month === undefined ? '' : `${month} 20${year}`;
}

/** A date as questions spell it: "30 June 2025". */
function wordsOfDate(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/**
 * The text embedded for an event: its title, its markets' labels or questions, its tags and its
 * description. Open, liquid markets come first, because the model reads only about 190 words.
 */
export function embeddingText(event: StoredEvent): string {
  const parts = event.markets
    .toSorted(byWeight)
    .map(({ group_label, market_question }) => group_label ?? market_question);
  const own = parts.filter((part) => part !== event.title);
  return [event.title, [...new Set(own)].join(', '), event.tags.join(', '), event.description ?? '']
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** Hash of the words that are indexed or embedded. */
export function hashWords(event: MarketEvent): string {
  const words = JSON.stringify([event.card.slug, event.card.tags, indexTexts(event)]);
  return createHash('sha256').update(words).digest('base64url').slice(0, 22);
}
