/**
 * An event independent of the wire format: the source returns it, the starter shelf stores it, and
 * cards are made from it. Times are ISO 8601 UTC with milliseconds, money is US dollars, prices are
 * fractions from 0 to 1.
 */
export interface EventFacts {
  /** Polymarket's id, decimal digits. */
  id: string;
  slug: string;
  title: string;
  description: string | null;
  /** Tag slugs in lower case, in the upstream's order. */
  tags: readonly string[];
  category: string | null;
  /** How often the event's series recurs, in the upstream's terms: "hourly", "monthly" … */
  recurrence: string | null;
  active: boolean;
  closed: boolean;
  archived: boolean;
  /** At most one market resolves to its first outcome. */
  mutuallyExclusive: boolean;
  startTime: string | null;
  endTime: string | null;
  closedTime: string | null;
  volume: number | null;
  volume24h: number | null;
  liquidity: number | null;
  openInterest: number | null;
  resolutionSource: string | null;
  markets: readonly MarketFacts[];
  /** A market could not be read. */
  lacksMarkets?: true;
}

export interface MarketFacts {
  id: string;
  slug: string | null;
  question: string;
  /** Distinguishes the market within its event: "$150,000", "Kevin Warsh". */
  groupLabel: string | null;
  /** Its place among the outcomes of its event, such as the steps of a ladder. */
  place: number | null;
  /** Labels, token ids and prices are parallel arrays; the last two may be shorter. */
  outcomes: readonly string[];
  /** Up to 78 digits each: never a number. */
  tokenIds: readonly string[];
  prices: readonly (number | null)[];
  /** Best prices of the first outcome; null where that side of the book is empty. */
  bestBid: number | null;
  bestAsk: number | null;
  lastTradePrice: number | null;
  volume: number | null;
  liquidity: number | null;
  active: boolean;
  closed: boolean;
  archived: boolean;
  /** Null where the upstream does not say (markets older than the order book). */
  acceptingOrders: boolean | null;
  endTime: string | null;
  closedTime: string | null;
}
