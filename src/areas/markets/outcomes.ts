import type { MarketFacts } from './sources/gamma.ts';

export interface OutcomeCard {
  label: string;
  /** Up to 78 digits. */
  tokenId: string;
  /** 0..1. */
  probability: number;
}

/** A closed market's last price this close to 0 or 1 is its result; old books end at 0.9999996. */
const RESULT_TOLERANCE = 1e-3;
/** Decimals of prices that we compute ourselves. */
const MID_DECIMALS = 6;

/** The outcomes that have a label, a token id and a price, in the market's order. */
export function listOutcomes(market: MarketFacts): OutcomeCard[] {
  return market.outcomes.flatMap((label, index) => {
    const tokenId = market.tokenIds[index] ?? '';
    const probability = probabilityOf(market, index);
    return label === '' || !/^\d{1,78}$/.test(tokenId) || probability === null
      ? []
      : [{ label, tokenId, probability }];
  });
}

/** The winning label of a closed market; null unless exactly one has won. */
export function winnerOf(market: MarketFacts, outcomes: readonly OutcomeCard[]): string | null {
  const winners = outcomes.filter(({ probability }) => probability === 1);
  return market.closed && winners.length === 1 ? (winners[0]?.label ?? null) : null;
}

/**
 * The listed price; for an open market of two outcomes without one, the mid price of its book, else
 * the last trade. Null when there is no price.
 */
function probabilityOf(market: MarketFacts, index: number): number | null {
  const listed = market.prices[index] ?? null;
  // Old markets list "0" for every outcome when there is no price.
  if (listed !== null && market.prices.some((price) => price !== null && price > 0)) {
    return settle(Math.min(1, Math.max(0, listed)), market.closed);
  }
  if (market.closed || market.outcomes.length !== 2) return null;
  const first = midOf(market) ?? lastTradeOf(market);
  if (first === null) return null;
  const price = index === 0 ? first : 1 - first;
  return Number(price.toFixed(MID_DECIMALS));
}

function settle(price: number, closed: boolean): number {
  if (!closed) return price;
  if (price >= 1 - RESULT_TOLERANCE) return 1;
  return price <= RESULT_TOLERANCE ? 0 : price;
}

/** Null for an empty book, which shows 0 and 1 or lacks a side: its mid price means nothing. */
function midOf({ bestBid, bestAsk }: MarketFacts): number | null {
  if (bestBid === null || bestAsk === null) return null;
  const isBook = bestBid > 0 && bestAsk < 1 && bestBid <= bestAsk;
  return isBook ? (bestBid + bestAsk) / 2 : null;
}

/** A last price of 0 means "never traded". */
function lastTradeOf({ lastTradePrice }: MarketFacts): number | null {
  return lastTradePrice !== null && lastTradePrice > 0 && lastTradePrice <= 1
    ? lastTradePrice
    : null;
}
