import type { MarketFacts } from '../gamma/facts.ts';

export interface OutcomeCard {
  label: string;
  /** Up to 78 digits. */
  tokenId: string;
  /** 0..1. */
  probability: number;
}

/** A closed market's last price this near to 0 or 1 is its result; old books end at 0.9999996. */
const RESULT_TOLERANCE = 1e-3;
/** Decimals kept of a price that we compute ourselves. */
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

/** The label that won a closed market, or null while none or no single one has. */
export function winnerOf(market: MarketFacts, outcomes: readonly OutcomeCard[]): string | null {
  const winners = outcomes.filter(({ probability }) => probability === 1);
  return market.closed && winners.length === 1 ? (winners[0]?.label ?? null) : null;
}

/**
 * The listed price; where none is listed for an open market of two outcomes, the middle of its
 * book, and where that is empty, the last trade. Null when nobody has named a price.
 */
function probabilityOf(market: MarketFacts, index: number): number | null {
  const listed = market.prices[index] ?? null;
  // Old markets say "0" for every outcome when they mean that there is no price.
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

/** An empty book reads 0 and 1, or lacks a side: its middle would be an invented price. */
function midOf({ bestBid, bestAsk }: MarketFacts): number | null {
  if (bestBid === null || bestAsk === null) return null;
  const isBook = bestBid > 0 && bestAsk < 1 && bestBid <= bestAsk;
  return isBook ? (bestBid + bestAsk) / 2 : null;
}

/** A last price of 0 stands for "never traded". */
function lastTradeOf({ lastTradePrice }: MarketFacts): number | null {
  return lastTradePrice !== null && lastTradePrice > 0 && lastTradePrice <= 1
    ? lastTradePrice
    : null;
}
