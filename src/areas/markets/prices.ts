import * as z from 'zod';
import { DAY_MS } from '../../core/time.ts';
import type { StoredMarket } from './sources/event-card.ts';

/**
 * Prices of one market, in the order of its outcomes, with the times of their first and last observation
 * in milliseconds since 1970.
 */
const pastPrices = z.object({ from: z.number(), until: z.number(), prices: z.array(z.number()) });
export type PastPrices = Readonly<z.output<typeof pastPrices>>;

/** By market: when its current prices were first observed, and those before, oldest first. */
const priceHistory = z.record(
  z.string(),
  z.object({ since: z.number(), past: z.array(pastPrices) }),
);
export type PriceHistory = z.output<typeof priceHistory>;

/** The prices of an event, which are stored as JSON. */
export function readHistory(json: string | undefined): PriceHistory {
  return json === undefined ? {} : priceHistory.parse(JSON.parse(json));
}

/**
 * The history after the observation at `now` of the markets, which were last observed at `seenUntil` as
 * `before`. That of a market begins anew where its outcomes changed.
 */
export function carryHistory(
  history: PriceHistory,
  before: readonly StoredMarket[],
  after: readonly StoredMarket[],
  { seenUntil, now }: { seenUntil: number; now: number },
): PriceHistory {
  const stored = new Map(before.map((market) => [market.market_card_id, market]));
  const entries = after.map((market) => {
    const id = market.market_card_id;
    const [own, old] = [history[id], stored.get(id)];
    if (own === undefined || old === undefined || idsOf(old).join() !== idsOf(market).join()) {
      return [id, { since: now, past: [] }] as const;
    }
    const prices = pricesOf(old);
    if (prices.join() === pricesOf(market).join()) return [id, own] as const;
    const replaced = { from: own.since, until: seenUntil, prices };
    return [id, { since: now, past: recordPriceChange(own.past, replaced, now) }] as const;
  });
  return Object.fromEntries(entries);
}

/** The prices of a market now, in the order of its outcomes. */
export function pricesOf({ outcomes }: StoredMarket): number[] {
  return outcomes.map(({ current_probability }) => current_probability);
}

const idsOf = ({ outcomes }: StoredMarket) => outcomes.map((each) => each.outcome_token_id);

const HOUR_MS = 60 * 60 * 1_000;
/** How far from 24 hours a price may be to count as "about a day ago". */
const TOLERANCE_MS = 6 * HOUR_MS;
/** How long prices are kept, so that a week can be looked back on. */
const KEPT_MS = 14 * DAY_MS;
/** Minimum spacing of the prices kept: of those about a day old, and of older ones. */
const SPACING_MS = { recent: 4 * HOUR_MS, older: DAY_MS };

/** Earlier prices, oldest first and thinned out, after `replaced` were replaced at `now`. */
function recordPriceChange(
  past: readonly PastPrices[],
  replaced: PastPrices,
  now: number,
): PastPrices[] {
  // Oldest first, so that a price once kept stays until it is too old.
  const kept: PastPrices[] = [];
  for (const each of past) {
    const age = now - each.until;
    const spacing = SPACING_MS[age > DAY_MS + TOLERANCE_MS ? 'older' : 'recent'];
    const isApart = each.until >= (kept.at(-1)?.until ?? 0) + spacing;
    // Drop prices from the future: they came from a clock that was ahead.
    if (age >= 0 && age <= KEPT_MS && isApart) kept.push(each);
  }
  return [...kept, replaced];
}

/** Prices about a day before the current ones were last observed; null where none are known. */
export function findDayAgo(
  past: readonly PastPrices[],
  current: PastPrices,
): readonly number[] | null {
  const dayAgo = current.until - DAY_MS;
  const distanceOf = ({ from, until }: PastPrices) => Math.max(from - dayAgo, dayAgo - until, 0);
  const [nearest = current] = [...past, current].sort((a, b) => distanceOf(a) - distanceOf(b));
  return distanceOf(nearest) <= TOLERANCE_MS ? nearest.prices : null;
}

/** Prices at a time; the oldest where none is stored of that time, undefined where there are none. */
export function priceAt(past: readonly PastPrices[], time: number): PastPrices | undefined {
  return past.findLast(({ from }) => from <= time) ?? past[0];
}
