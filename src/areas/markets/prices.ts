import * as z from 'zod';
import { DAY_MS } from '../../core/time.ts';
import type { Outcome } from './sources/venue.ts';

/**
 * Prices of one market, in the order of its outcomes, with the times of their first and last observation
 * in milliseconds since 1970.
 */
export interface PastPrices {
  from: number;
  until: number;
  prices: readonly number[];
}

const HOUR_MS = 60 * 60 * 1_000;
/** How far from 24 hours a price may be to count as "about a day ago". */
const TOLERANCE_MS = 6 * HOUR_MS;
/** How long prices are kept, so that a week can be looked back on. */
const KEPT_MS = 14 * DAY_MS;
/** Minimum spacing of the prices kept: of those about a day old, and of older ones. */
const SPACING_MS = { recent: 4 * HOUR_MS, older: DAY_MS };

/** Earlier prices, oldest first and thinned out, after `replaced` were replaced at `now`. */
export function recordPriceChange(
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

const pastList = z.array(
  z.object({ from: z.number(), until: z.number(), prices: z.array(z.number()) }),
);

/** Earlier prices of a row, which stores them as JSON. */
export function unpackPast(past: string | null): PastPrices[] {
  return past === null ? [] : pastList.parse(JSON.parse(past));
}

const outcomeList = z.array(
  z.object({ label: z.string(), tokenId: z.string(), probability: z.number() }),
);

/** Outcomes of a row, which stores them as JSON. */
export function unpackOutcomes(packed: string): Outcome[] {
  return outcomeList.parse(JSON.parse(packed));
}
