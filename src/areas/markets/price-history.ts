import * as z from 'zod';

/**
 * Recent prices of one market, thinned out. All times are milliseconds since 1970; prices are in
 * the order of the market's outcomes.
 */
export interface PriceHistory {
  /** When the current prices were first observed. */
  since: number;
  /** Earlier prices, oldest first; the last are those that the current ones replaced. */
  past: readonly PastPrices[];
}

/** Prices, with the times of their first and last observation. */
export interface PastPrices {
  from: number;
  until: number;
  prices: readonly number[];
}

/** Earlier prices to compare the current ones with. */
export interface PriceChange {
  previous: PastPrices | null;
  /** Prices about a day before the current ones were last observed. */
  dayAgo: readonly number[] | null;
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** How far from 24 hours a price may be to count as "about a day ago". */
const TOLERANCE_MS = 6 * HOUR_MS;
/** Minimum spacing of the prices kept. */
const SPACING_MS = 4 * HOUR_MS;

/** The history after `replaced.prices`, last observed at `seenUntil`, were replaced at `now`. */
export function recordPriceChange(
  { since, past }: PriceHistory,
  replaced: { prices: readonly number[]; seenUntil: number },
  now: number,
): PriceHistory {
  // Drop prices from the future: they came from a clock that was ahead.
  const needed = past.filter(({ until }) => until <= now && until >= now - DAY_MS - TOLERANCE_MS);
  const last = { from: since, until: replaced.seenUntil, prices: replaced.prices };
  return { since: now, past: [...thinOut(needed), last] };
}

/** Oldest first, so that a price once kept stays until it is too old. */
function thinOut(past: readonly PastPrices[]): PastPrices[] {
  const kept: PastPrices[] = [];
  for (const each of past) {
    const before = kept.at(-1);
    if (before === undefined || each.until >= before.until + SPACING_MS) kept.push(each);
  }
  return kept;
}

/** `current` are the prices last observed at `seenAt`. */
export function findPriceChange(
  { since, past }: PriceHistory,
  current: readonly number[],
  seenAt: number,
): PriceChange {
  const dayAgo = seenAt - DAY_MS;
  const all = [...past, { from: since, until: seenAt, prices: current }];
  const distances = all.map(({ from, until }) => Math.max(from - dayAgo, dayAgo - until, 0));
  const least = Math.min(...distances);
  return {
    previous: past.at(-1) ?? null,
    dayAgo: least <= TOLERANCE_MS ? (all[distances.indexOf(least)]?.prices ?? null) : null,
  };
}

const pastList = z.array(z.tuple([z.number(), z.number()]).rest(z.number()));

/** Earlier prices as JSON for a row; null for none. */
export function packPast(past: readonly PastPrices[]): string | null {
  if (past.length === 0) return null;
  return JSON.stringify(past.map(({ from, until, prices }) => [from, until, ...prices]));
}

export function unpackPast(packed: string | null): PastPrices[] {
  if (packed === null) return [];
  return pastList
    .parse(JSON.parse(packed))
    .map(([from, until, ...prices]) => ({ from, until, prices }));
}
