import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { ReplySize } from '../../core/context.ts';
import { known } from '../../core/envelope.ts';
import { cutMarkets } from './card-size.ts';
import type { Market } from './event.ts';
import { listPairs, type Pair } from './pair-queries.ts';
import { findPriceChange, type PriceHistory } from './prices.ts';
import { type EventRow, listMarkets, listPriceHistories } from './queries.ts';
import { PRICE_BASES, STATUSES, VOLUME_UNITS } from './sources/venue.ts';

const status = z.enum(STATUSES);

const outcome = z.object({
  label: z.string().describe('Such as Yes, or a name.'),
  outcome_token_id: z
    .string()
    .describe('Too many digits for a JSON number; empty where the source has none.'),
  current_probability: z.number().describe('A fraction, 0 to 1.'),
});

const marketPreview = z.object({
  market_card_id: z.string().describe('Stable id of the market.'),
  market_question: z.string().describe('What it asks.'),
  outcomes: z.array(outcome).describe('What may come true, with its odds.'),
  status: status.describe('State of the market.'),
  price_basis: z
    .enum(PRICE_BASES)
    .describe('Where the odds come from; absent where the source gives the price itself.')
    .exactOptional(),
  also: z
    .object({
      source: z.string().describe('The other venue.'),
      event_card_id: z.string().describe('Its event.'),
      probability: z.number().describe('Of its first outcome.'),
    })
    .describe(
      'The odds of the first outcome at another venue, for the same asset, day and strike; read the rules of both.',
    )
    .exactOptional(),
  liquidity: z
    .number()
    .describe('US dollars; 0 where the source tells none, and then the event has no liquidity.'),
  volume: z.number().describe('Traded in all, in volume_unit of the event.'),
  winning_outcome: z
    .string()
    .describe('What a closed market settled at; absent where that is not stored.')
    .exactOptional(),
});

/** What tells whether an event is worth reading comes first, its many markets last. */
const head = {
  event_card_id: z.string().describe('Stable id, for prediction_market_event_read.'),
  alias: z.string().describe('Short id, accepted as event_card_id.'),
  title: z.string().describe('What the event is about.'),
  source: z.string().describe('Venue of the event: polymarket or kalshi.'),
  url: z.string().describe('The event at its source.'),
  status: status.describe('State of the event.'),
  end_time: z.string().describe('When it is due to be resolved.').exactOptional(),
  volume: z.number().describe('Traded in all, in volume_unit.'),
  volume_unit: z
    .enum(VOLUME_UNITS)
    .describe('usd: US dollars; contracts: each pays one dollar if it comes true.'),
  liquidity: z.number().describe('US dollars; absent where the source tells none.').exactOptional(),
  coverage_status: z
    .enum(['complete', 'partial', 'metadata_only', 'stale'])
    .describe('How much of the event is stored; stale if it was last seen too long ago.'),
  tags: z.array(z.string()).describe('Finance tags.'),
};
const body = {
  description: z
    .string()
    .nullable()
    .describe('The rules in the words of the source, where it gives them.'),
  indicator: z
    .string()
    .describe('The macro indicator that it is about, for macro_indicator_history.')
    .exactOptional(),
  more_markets: z
    .number()
    .describe('How many markets the event has beyond those stored, the least traded.')
    .exactOptional(),
  market_count: z.number().describe('Number of markets.'),
  markets: z.array(marketPreview).describe('All of its markets.'),
};

export const eventCard = z.object({ ...head, ...body });

export const rankedEventCard = z.object({
  ...head,
  semantic_score: z.number().describe('Higher is closer to the query; 0 to 1.'),
  ...body,
});

export const eventReading = z.object({
  ...head,
  slug: z.string().describe('Name of the event in its URL.'),
  category: z.string().describe('Category at the source.').exactOptional(),
  start_time: z.string().describe('When it opened.').exactOptional(),
  closed_time: z.string().describe('When it closed.').exactOptional(),
  volume_24h: z
    .number()
    .describe('Traded in the day before it was seen, in volume_unit.')
    .exactOptional(),
  open_interest: z.number().describe('In volume_unit.').exactOptional(),
  mutually_exclusive: z.boolean().describe('True when at most one of its markets can come true.'),
  resolution_source: z
    .string()
    .describe('What decides it, in the words of the source.')
    .exactOptional(),
  synced_at: z.string().describe('When it was last seen.'),
  ...body,
  markets: z
    .array(
      marketPreview.extend({
        outcomes: z
          .array(
            outcome.extend({
              previous_probability: z.number().optional().describe('Before the last change.'),
              previous_at: z.string().optional().describe('When that was last seen.'),
              day_ago_probability: z
                .number()
                .optional()
                .describe('About a day before the market was last seen.'),
            }),
          )
          .describe('What may come true, with its odds and how they moved.'),
        group_label: z
          .string()
          .describe('What distinguishes the market from the others of its event.')
          .exactOptional(),
        end_time: z.string().describe('When the market is due to be resolved.').exactOptional(),
      }),
    )
    .describe('All of its markets.'),
});

export function toEventCard(db: Database, event: EventRow, now: Date): z.output<typeof eventCard> {
  const markets = listMarkets(db, event.id);
  const pairs = new Map(listPairs(db, event.id).map((pair) => [pair.marketId, pair]));
  return {
    event_card_id: event.cardId,
    alias: event.alias,
    title: event.title,
    source: event.source,
    url: event.url,
    status: event.status,
    ...known({ end_time: event.endTime }),
    volume: toCents(event.volume),
    volume_unit: event.volumeUnit,
    ...(event.liquidity === null ? {} : { liquidity: toCents(event.liquidity) }),
    coverage_status: isStale(event, now) ? 'stale' : event.coverage,
    tags: [...event.tags],
    description: event.description,
    ...known({ indicator: event.indicator, more_markets: event.moreMarkets || null }),
    market_count: markets.length,
    markets: markets.map((market) => toPreview(market, pairs.get(market.id))),
  };
}

/** All that is stored of an event, for a reply of this size; `hidden` counts the markets that were cut. */
export function readEvent(
  db: Database,
  event: EventRow,
  now: Date,
  reply: ReplySize,
): { data: z.output<typeof eventReading>; hidden: number } {
  const markets = listMarkets(db, event.id);
  const card = toEventCard(db, event, now);
  const histories = listPriceHistories(db, event.id);
  const reading = {
    ...card,
    slug: event.slug,
    ...known({
      category: event.category,
      start_time: event.startTime,
      closed_time: event.closedTime,
      volume_24h: event.volume24h && toCents(event.volume24h),
      open_interest: event.openInterest && toCents(event.openInterest),
      resolution_source: event.resolutionSource,
    }),
    mutually_exclusive: event.mutuallyExclusive,
    synced_at: event.syncedAt,
    markets: markets.map((market, index) => ({
      ...(card.markets[index] ?? toPreview(market)),
      outcomes: withPriceChange(market, histories.get(market.id), event.syncedAt),
      ...known({ group_label: market.groupLabel, end_time: market.endTime }),
    })),
  };
  const data = cutMarkets(reading, reply);
  return { data, hidden: markets.length - data.markets.length };
}

function withPriceChange(market: Market, history: PriceHistory | undefined, seenAt: string) {
  const { outcomes } = toPreview(market);
  if (history === undefined) return outcomes;
  const current = outcomes.map((each) => each.current_probability);
  const { previous, dayAgo } = findPriceChange(history, current, Date.parse(seenAt));
  return outcomes.map((each, index) => ({
    ...each,
    ...(previous !== null && {
      previous_probability: previous.prices[index],
      previous_at: new Date(previous.until).toISOString(),
    }),
    ...(dayAgo !== null && { day_ago_probability: dayAgo[index] }),
  }));
}

function toPreview(market: Market, pair?: Pair): z.output<typeof marketPreview> {
  return {
    market_card_id: market.id,
    market_question: market.question,
    outcomes: market.outcomes.map(({ label, tokenId, probability }) => ({
      label,
      outcome_token_id: tokenId,
      current_probability: probability,
    })),
    status: market.status,
    ...known({ price_basis: market.priceBasis }),
    ...(pair === undefined
      ? {}
      : {
          also: {
            source: pair.otherSource,
            event_card_id: pair.otherCardId,
            probability: pair.otherProbability,
          },
        }),
    liquidity: toCents(market.liquidity ?? 0),
    volume: toCents(market.volume),
    ...known({ winning_outcome: market.winningOutcome }),
  };
}

/** US dollars without what binary fractions add. */
function toCents(dollars: number): number {
  return Math.round(dollars * 100) / 100;
}

const HOUR_MS = 60 * 60 * 1_000;
/** Age beyond which facts count as stale. */
const STALE_AFTER_MS = { active: 24 * HOUR_MS, other: 7 * 24 * HOUR_MS };
/** Tolerated clock correction. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Bundled snapshots are always stale, and so are times in the future: their age is unknown. */
function isStale({ origin, status, syncedAt, isMissing }: EventRow, now: Date): boolean {
  const limit = status === 'active' ? STALE_AFTER_MS.active : STALE_AFTER_MS.other;
  const age = now.getTime() - Date.parse(syncedAt);
  return origin === 'starter' || isMissing || age > limit || age < -CLOCK_TOLERANCE_MS;
}
