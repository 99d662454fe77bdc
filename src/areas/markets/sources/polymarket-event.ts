import * as z from 'zod';
import { withoutNulls } from '../../../core/envelope.ts';
import { sum } from '../../../core/numbers.ts';
import { cleanLine, cleanText, firstPoints, parseJson } from '../../../core/text.ts';
import { listOf } from '../../../upstream/json.ts';
import type { Settlement, StoredMarket, VenueEvent, VenueMarket } from './event-card.ts';

// Polymarket's Gamma API. Any field except `id` and `markets` may be missing, null or in an older
// format. One of the wrong type counts as missing, unless an event's state or scope depends on it.
const flag = z.boolean().nullish();
const word = z.string().nullish().transform(textOrNull);
const text = z.string().transform(textOrNull).catch(null);
export const gammaTime = z.string().transform(parseGammaTime).catch(null);
/** Any larger amount must be an error. */
const LARGEST = 1e15;
const decimalFrom = (least: number, most = LARGEST) =>
  z
    .union([z.number(), z.string().trim().min(1).transform(Number)])
    .pipe(z.number().min(least).max(most))
    .nullable()
    .catch(null);
const decimal = decimalFrom(-LARGEST);
const amount = decimalFrom(0);
/** Rounding may push a price slightly outside 0..1. */
const price = decimalFrom(-0.01, 1.01);
/** A JSON array, often encoded as a string. */
const list = z.unknown().optional().transform(parseList);
const gammaId = z
  .union([z.string(), z.int()])
  .transform(String)
  .refine((id) => /^[1-9]\d{0,14}$/.test(id));

/** Limits per event; the largest known event has 200 markets and some 30 tags. */
const [MAX_MARKETS, MAX_TAGS] = [1_000, 1_000];
const MAX_OUTCOMES = 30;
/** Maximum length in code points; Polymarket's own slugs are far shorter. */
const MAX_SLUG = 300;

const gammaMarket = z.object({
  id: gammaId,
  slug: text,
  question: text,
  groupItemTitle: text,
  groupItemThreshold: decimal,
  outcomes: list,
  clobTokenIds: list,
  outcomePrices: list,
  volume: amount,
  volumeNum: amount,
  liquidity: amount,
  liquidityNum: amount,
  active: flag,
  closed: flag,
  archived: flag,
  acceptingOrders: flag,
  umaResolutionStatus: text,
  endDate: gammaTime,
  closedTime: gammaTime,
});
type GammaMarket = z.output<typeof gammaMarket>;

const wireEvent = z.object({
  id: gammaId,
  slug: word,
  ticker: text,
  title: word,
  description: text,
  category: text,
  tags: listOf(z.object({ slug: word }), MAX_TAGS).nullish(),
  series: listOf(z.object({ slug: word, recurrence: word }), MAX_TAGS).nullish(),
  closed: flag,
  archived: flag,
  negRisk: flag,
  startDate: gammaTime,
  endDate: gammaTime,
  closedTime: gammaTime,
  volume: amount,
  volume24hr: amount,
  liquidity: amount,
  openInterest: amount,
  resolutionSource: text,
  // Required: an event without the list is unreadable, not an event without markets.
  markets: z.array(z.unknown()).max(MAX_MARKETS),
});

/** Converts a Gamma event. Drops unreadable, duplicate and hidden markets. */
export const gammaEvent = wireEvent.transform(toVenueEvent);

function toVenueEvent(event: z.output<typeof wireEvent>): VenueEvent {
  const wires = event.markets;
  const readable = wires.flatMap((wire) => gammaMarket.safeParse(wire).data ?? []);
  const lacksMarkets = readable.length < wires.length;
  const isExclusive = event.negRisk ?? false;
  const facts = [...new Map(readable.map((each) => [each.id, each])).values()].filter((each) =>
    isShown(each, isExclusive),
  );
  const tags = (event.tags ?? []).flatMap(({ slug }) => slug?.toLowerCase() ?? []);
  const markets = facts.map(toMarket);
  // An end date in the past does not close an event, and an unreadable market may still be open.
  const isOver = !lacksMarkets && facts.length > 0 && facts.every(({ closed }) => closed);
  const isActive = !event.archived && markets.some(({ status }) => status === 'active');
  const isWhole = facts.every(
    ({ outcomes }, index) =>
      outcomes.length > 0 && outcomes.length === markets[index]?.outcomes.length,
  );
  const slug = firstPoints(event.slug ?? event.ticker ?? event.id, MAX_SLUG);
  return {
    source: 'polymarket',
    sourceId: event.id,
    alias: `pme_${event.id}`,
    url: `https://polymarket.com/event/${encodeURIComponent(slug)}`,
    slug,
    title: event.title ?? event.ticker ?? slug,
    description: event.description,
    tags: [...new Set(tags)],
    financeTags: null,
    series: event.series?.[0]?.slug ?? null,
    recurrence: event.series?.[0]?.recurrence ?? null,
    status: event.closed || isOver ? 'closed' : isActive ? 'active' : 'inactive',
    coverage_status: markets.every(({ outcomes }) => outcomes.length === 0)
      ? 'metadata_only'
      : isWhole && !lacksMarkets
        ? 'complete'
        : 'partial',
    volume_unit: 'usd',
    volume: event.volume ?? sum(markets.map(({ volume }) => volume)),
    liquidity: event.liquidity ?? sum(markets.map(({ liquidity }) => liquidity)),
    mutually_exclusive: isExclusive,
    ...withoutNulls({
      category: event.category,
      start_time: event.startDate,
      end_time: event.endDate,
      closed_time: event.closedTime,
      volume_24h: event.volume24hr,
      open_interest: event.openInterest,
      resolution_source: event.resolutionSource,
    }),
    markets: isExclusive || tags.includes('hit-price') ? markets : withStrikes(markets),
  };
}

/**
 * False for archived or unnamed markets and for placeholders such as "Person A": unpublished,
 * untraded markets in an event whose markets are mutually exclusive.
 */
function isShown(market: GammaMarket, isExclusive: boolean): boolean {
  const { active, closed, archived } = market;
  const isPlaceholder = isExclusive && !active && !closed && volumeOf(market) === 0;
  return !archived && !isPlaceholder && (market.question ?? market.slug) !== null;
}

const volumeOf = ({ volumeNum, volume }: GammaMarket) => volumeNum ?? volume ?? 0;

function toMarket(market: GammaMarket): VenueMarket {
  const { active, closed, acceptingOrders } = market;
  const outcomes = listOutcomes(market);
  // Markets older than the order book lack `acceptingOrders`.
  const isOpen = active === true && acceptingOrders !== false;
  return {
    market_card_id: `pmm_${market.id}`,
    market_question: market.question ?? market.slug ?? '',
    place: market.groupItemThreshold,
    outcomes,
    status: closed ? 'closed' : isOpen ? 'active' : 'inactive',
    liquidity: market.liquidityNum ?? market.liquidity ?? 0,
    volume: volumeOf(market),
    closed_time: market.closedTime,
    ...withoutNulls({
      group_label: market.groupItemTitle,
      end_time: market.endDate,
      settlement: toSettlement(market, outcomes),
    }),
  };
}

/**
 * A result is proposed, and may be disputed, before the market resolves; old markets do not report
 * this. `disputed` and `resolved` occur in recorded responses; `proposed` follows the
 * documentation.
 */
function toSettlement(market: GammaMarket, outcomes: StoredMarket['outcomes']): Settlement | null {
  if (market.umaResolutionStatus === 'disputed') return { status: 'disputed' };
  if (market.umaResolutionStatus === 'proposed') return { status: 'ended' };
  if (!isOver(market)) return null;
  const at = withoutNulls({ at: market.closedTime });
  const [value = 0, ...others] = outcomes.map((each) => each.current_probability);
  if (others.length === 1 && value === 0.5 && others[0] === 0.5) {
    return { status: 'void', value, ...at };
  }
  const [winner, ...more] = outcomes.filter((each) => each.current_probability === 1);
  const isResult = [value, ...others].every((each) => each === 0 || each === 1);
  if (winner === undefined || more.length > 0 || !isResult) return { status: 'ended' };
  return { status: 'settled', value, winning_outcome: winner.label, ...at };
}

const isOver = ({ closed, umaResolutionStatus }: GammaMarket) =>
  closed || umaResolutionStatus === 'resolved';

/** A final price this close to 0 or 1 counts as the result; old markets end at 0.9999996. */
const RESULT_TOLERANCE = 1e-3;
/** The outcomes that have a label, a token id and a price, in the market's order. */
function listOutcomes(market: GammaMarket): StoredMarket['outcomes'] {
  const { outcomes, clobTokenIds, outcomePrices } = market;
  const prices = outcomePrices.map((each) => price.parse(each));
  // Old markets list "0" for every outcome if there is no price.
  if (!prices.some((price) => price !== null && price > 0)) return [];
  return outcomes.slice(0, MAX_OUTCOMES).flatMap((entry, index) => {
    const label = cleanLine(toText(entry));
    const tokenId = toText(clobTokenIds[index]);
    const price = prices[index] ?? null;
    if (label === '' || !/^\d{1,78}$/.test(tokenId) || price === null) return [];
    const isResult = isOver(market) && Math.abs(price - Math.round(price)) <= RESULT_TOLERANCE;
    const current_probability = isResult ? Math.round(price) : Math.min(1, Math.max(0, price));
    return [{ label, outcome_token_id: tokenId, current_probability }];
  });
}

/** A label that is just an amount, such as "$110,000" or "4.5%", is a level. */
const LEVEL = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?%?$/;

/**
 * Adds strikes to the markets of a ladder. No field says whether a level must be exceeded; assume
 * so if the odds fall as the level rises.
 */
function withStrikes(markets: VenueMarket[]): VenueMarket[] {
  const steps = markets
    .flatMap((market) => {
      const [, whole, fraction = ''] = LEVEL.exec(market.group_label ?? '') ?? [];
      const probability = market.outcomes[0]?.current_probability;
      if (whole === undefined || probability === undefined) return [];
      return [{ market, level: Number(whole.replaceAll(',', '') + fraction), probability }];
    })
    .sort((a, b) => a.level - b.level);
  const isLadder = steps.every(({ level, probability }, index) => {
    const below = steps[index - 1];
    return below === undefined || (level > below.level && probability <= below.probability);
  });
  const isFalling = (steps[0]?.probability ?? 0) > (steps.at(-1)?.probability ?? 0);
  if (!isLadder || !isFalling) return markets;
  const strikes = new Map(steps.map(({ market, level }) => [market, `>${level}`]));
  return markets.map((market) => ({
    ...market,
    ...withoutNulls({ strike: strikes.get(market) ?? null }),
  }));
}

/** Null for text without a visible letter or digit, such as empty quotes. */
function textOrNull(value: string | null | undefined): string | null {
  const clean = cleanText(value ?? '');
  return /[\p{L}\p{N}]/u.test(clean) ? clean : null;
}

function parseList(value: unknown): unknown[] {
  const list = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(list) ? list : [];
}

/** A list entry as text; '' for anything but a string or number, so that indexes stay aligned. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A day, with an optional time and zone. */
const GAMMA_TIME =
  /^((?:19|2\d)\d\d-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?))? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Converts any of Gamma's formats, such as "2026-05-01 12:34:56.789123+00" or a bare date, to ISO
 * 8601 UTC with milliseconds. Times without a zone are UTC. Null for anything else, such as 30
 * February.
 */
function parseGammaTime(value: string): string | null {
  const [match, day = '', clock = '00:00', zone = 'Z'] = GAMMA_TIME.exec(value.trim()) ?? [];
  const time = new Date(`${day}T${clock}${/^.\d\d$/.test(zone) ? `${zone}:00` : zone}`);
  if (match === undefined || Number.isNaN(time.getTime())) return null;
  // `Date` rolls an impossible day over into the next month.
  return new Date(day).toISOString().startsWith(day) ? time.toISOString() : null;
}
