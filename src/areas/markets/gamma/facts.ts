/**
 * An event of the upstream as facts, free of its wire format: what `source.ts` reads from an
 * answer, what the starter shelf keeps on disk, and what `normalise.ts` makes a card from.
 * Times are ISO 8601 UTC with milliseconds, money is US dollars, prices are fractions 0..1.
 */
export interface EventFacts {
  /** Decimal id of the upstream. */
  id: string;
  slug: string;
  title: string;
  description: string | null;
  /** Tag slugs in lower case, in the upstream's order. */
  tags: readonly string[];
  category: string | null;
  seriesSlug: string | null;
  /** How often the event's series reopens, in the upstream's word: "hourly", "monthly" … */
  recurrence: string | null;
  active: boolean;
  closed: boolean;
  archived: boolean;
  /** The markets exclude one another: at most one resolves to its first outcome. */
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
}

export interface MarketFacts {
  id: string;
  slug: string | null;
  question: string;
  /** What sets the market apart inside its event: "$150,000", "Kevin Warsh". */
  groupLabel: string | null;
  conditionId: string | null;
  /** Outcome labels, token ids and prices share their index; the last two may be shorter. */
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
  /** Null where the upstream does not say (markets of the years before the order book). */
  acceptingOrders: boolean | null;
  endTime: string | null;
  closedTime: string | null;
  /** Stage of the resolution in the upstream's word: "proposed", "disputed", "resolved". */
  resolutionStatus: string | null;
}
