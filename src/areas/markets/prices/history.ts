/**
 * How the prices of one market moved, kept small: what they are and were. All times are
 * milliseconds since 1970; prices stand in the order of the market's outcomes.
 */
export interface PriceHistory {
  /** First sight of the present prices. */
  since: number;
  /** Earlier prices, oldest first; the last one is what the present ones replaced. */
  past: readonly PastPrices[];
}

/** Prices between their first and their last sight. */
export interface PastPrices {
  from: number;
  until: number;
  prices: readonly number[];
}

/** What a move is measured against. */
export interface Move {
  previous: PastPrices | null;
  /** Prices of about a day before the present ones were last seen. */
  dayAgo: readonly number[] | null;
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** How far from a whole day a price may lie to be "about a day ago". */
const TOLERANCE_MS = 6 * HOUR_MS;
/** Prices nearer to one another than this are not all kept. */
const SPACING_MS = 4 * HOUR_MS;

/** The history after `prices`, last seen at `seenUntil`, were replaced by others at `now`. */
export function recordMove(
  { since, past }: PriceHistory,
  replaced: { prices: readonly number[]; seenUntil: number },
  now: number,
): PriceHistory {
  // A price of the future was written while the clock ran ahead.
  const needed = past.filter(({ until }) => until <= now && until >= now - DAY_MS - TOLERANCE_MS);
  const last = { from: since, until: replaced.seenUntil, prices: replaced.prices };
  return { since: now, past: [...thinOut(needed), last] };
}

/** From the oldest on, so that what was once kept stays until nobody needs it. */
function thinOut(past: readonly PastPrices[]): PastPrices[] {
  const kept: PastPrices[] = [];
  for (const each of past) {
    const before = kept.at(-1);
    if (before === undefined || each.until >= before.until + SPACING_MS) kept.push(each);
  }
  return kept;
}

/** `present` are the prices last seen at `seenAt`. */
export function findMove(
  { since, past }: PriceHistory,
  present: readonly number[],
  seenAt: number,
): Move {
  const dayAgo = seenAt - DAY_MS;
  const all = [...past, { from: since, until: seenAt, prices: present }];
  const distances = all.map((each) => distanceTo(each, dayAgo));
  const least = Math.min(...distances);
  return {
    previous: past.at(-1) ?? null,
    dayAgo: least <= TOLERANCE_MS ? (all[distances.indexOf(least)]?.prices ?? null) : null,
  };
}

function distanceTo({ from, until }: PastPrices, moment: number): number {
  return Math.max(from - moment, moment - until, 0);
}
