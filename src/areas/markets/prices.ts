import * as z from 'zod';
import { DAY_MS, HOUR_MS, toDay } from '../../core/time.ts';
import type { StoredMarket } from './sources/event-card.ts';

/**
 * Prices of one market, in the order of its outcomes, with the times of their first and last
 * observation in milliseconds since 1970.
 */
const pastPrices = z.object({ from: z.number(), until: z.number(), prices: z.array(z.number()) });
export type PastPrices = Readonly<z.output<typeof pastPrices>>;

/** By market: when its current prices were first observed, and earlier prices, oldest first. */
const priceHistory = z.record(
  z.string(),
  z.object({ since: z.number(), past: z.array(pastPrices) }),
);
export type PriceHistory = z.output<typeof priceHistory>;

export function readHistory(json: string | undefined): PriceHistory {
  return json === undefined ? {} : priceHistory.parse(JSON.parse(json));
}

/**
 * Extends a history with the prices of `after`, the markets observed at `now`. `before` has the
 * markets observed until `seenUntil`. A market whose outcomes changed begins a new history.
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

function pricesOf({ outcomes }: StoredMarket): number[] {
  return outcomes.map(({ current_probability }) => current_probability);
}

const idsOf = ({ outcomes }: StoredMarket) => outcomes.map((each) => each.outcome_token_id);

/** How far the age of a price may deviate from a day or a week. */
const [DAY_TOLERANCE_MS, WEEK_TOLERANCE_MS] = [6 * HOUR_MS, DAY_MS];
/** Number of days for which one price per day is kept. */
const DAYS_KEPT = 14;
/** Minimum spacing of prices from about the last day. */
const RECENT_SPACING_MS = 4 * HOUR_MS;

/** The earlier prices, thinned out, followed by those that were `replaced` at `now`. */
function recordPriceChange(
  past: readonly PastPrices[],
  replaced: PastPrices,
  now: number,
): PastPrices[] {
  // Start with the oldest, so that a newer price never displaces a kept one.
  const kept: PastPrices[] = [];
  for (const [index, each] of past.entries()) {
    const age = now - each.until;
    const isLastOfDay = dayOf(each.from) < dayOf((past[index + 1] ?? replaced).from);
    const isApart =
      age > DAY_MS + DAY_TOLERANCE_MS
        ? isLastOfDay
        : each.until >= (kept.at(-1)?.until ?? 0) + RECENT_SPACING_MS;
    // Drop prices from the future, which a fast clock wrote.
    if (age >= 0 && age <= DAYS_KEPT * DAY_MS && isApart) kept.push(each);
  }
  return [...kept, replaced];
}

const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** All prices of a market last seen at `seenAt`, oldest first; the current ones come last. */
export function toSeries(
  market: StoredMarket,
  stored: PriceHistory[string] | undefined,
  seenAt: number,
): PastPrices[] {
  const { since, past } = stored ?? { since: seenAt, past: [] };
  return [...past, { from: since, until: seenAt, prices: pricesOf(market) }];
}

/** Prices from about a day or a week before the last observation; null if there are none. */
export function findPast(series: readonly PastPrices[], ago: 'day' | 'week') {
  const [ms, tolerance] =
    ago === 'day' ? [DAY_MS, DAY_TOLERANCE_MS] : [7 * DAY_MS, WEEK_TOLERANCE_MS];
  const time = (series.at(-1)?.until ?? 0) - ms;
  const distanceOf = ({ from, until }: PastPrices) => Math.max(from - time, time - until, 0);
  const [nearest] = series.toSorted((a, b) => distanceOf(a) - distanceOf(b));
  return nearest !== undefined && distanceOf(nearest) <= tolerance ? nearest.prices : null;
}

/** The first outcome's last odds on each of up to 14 days, oldest first. */
export function listDays(series: readonly PastPrices[]): { date: string; odds: number }[] {
  const first = dayOf(series.at(-1)?.until ?? 0) - DAYS_KEPT + 1;
  const days = new Map<number, number>();
  for (const { from, until, prices } of series) {
    const [odds] = prices;
    for (let day = Math.max(dayOf(from), first); day <= dayOf(until); day += 1) {
      if (odds !== undefined) days.set(day, odds);
    }
  }
  return [...days].map(([day, odds]) => ({ date: toDay(new Date(day * DAY_MS)), odds }));
}
