import * as z from 'zod';
import type { Outcome } from './sources/venue.ts';

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
interface PastPrices {
  from: number;
  until: number;
  prices: readonly number[];
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** How far from 24 hours a price may be to count as "about a day ago". */
const TOLERANCE_MS = 6 * HOUR_MS;
/** How long prices are kept, so that a week can be looked back on. */
const KEPT_MS = 14 * DAY_MS;
/** Minimum spacing of the prices kept: of those about a day old, and of older ones. */
const SPACING_MS = { recent: 4 * HOUR_MS, older: DAY_MS };

/** The history after `replaced.prices`, last observed at `seenUntil`, were replaced at `now`. */
export function recordPriceChange(
  { since, past }: PriceHistory,
  replaced: { prices: readonly number[]; seenUntil: number },
  now: number,
): PriceHistory {
  // Drop prices from the future: they came from a clock that was ahead.
  const usable = past.filter(({ until }) => until <= now && until >= now - KEPT_MS);
  // Oldest first, so that a price once kept stays until it is too old.
  const kept: PastPrices[] = [];
  for (const each of usable) {
    const before = kept.at(-1);
    const isOlder = each.until < now - DAY_MS - TOLERANCE_MS;
    const spacing = SPACING_MS[isOlder ? 'older' : 'recent'];
    if (before === undefined || each.until >= before.until + spacing) kept.push(each);
  }
  return {
    since: now,
    past: [...kept, { from: since, until: replaced.seenUntil, prices: replaced.prices }],
  };
}

/**
 * Prices before the last change, and about a day before the current ones were observed at `seenAt`;
 * null where there are none.
 */
export function findPriceChange(
  { since, past }: PriceHistory,
  current: readonly number[],
  seenAt: number,
): { previous: PastPrices | null; dayAgo: readonly number[] | null } {
  const dayAgo = seenAt - DAY_MS;
  const distanceOf = ({ from, until }: PastPrices) => Math.max(from - dayAgo, dayAgo - until, 0);
  const [nearest] = [...past, { from: since, until: seenAt, prices: current }].toSorted(
    (a, b) => distanceOf(a) - distanceOf(b),
  );
  const isNear = nearest !== undefined && distanceOf(nearest) <= TOLERANCE_MS;
  return { previous: past.at(-1) ?? null, dayAgo: isNear ? nearest.prices : null };
}

/** Prices at a time; the oldest where none is stored of that time, undefined where there are none. */
export function priceAt(past: readonly PastPrices[], time: number): PastPrices | undefined {
  return past.findLast(({ from }) => from <= time) ?? past[0];
}

const pastList = z.array(z.tuple([z.number(), z.number()]).rest(z.number()));

/** Earlier prices as JSON for a row; null for none. */
export function packPast(past: readonly PastPrices[]): string | null {
  if (past.length === 0) return null;
  return JSON.stringify(past.map(({ from, until, prices }) => [from, until, ...prices]));
}

export function unpackPast(past: string | null): PastPrices[] {
  if (past === null) return [];
  return pastList
    .parse(JSON.parse(past))
    .map(([from, until, ...prices]) => ({ from, until, prices }));
}

const outcomeList = z.array(
  z.object({ label: z.string(), tokenId: z.string(), probability: z.number() }),
);

/** Outcomes of a row, which stores them as JSON. */
export function unpackOutcomes(packed: string): Outcome[] {
  return outcomeList.parse(JSON.parse(packed));
}
