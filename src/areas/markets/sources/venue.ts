/*
 * What a venue of prediction markets delivers. Nothing above this folder knows one venue from another.
 * Times are ISO 8601 UTC with milliseconds, money is US dollars, probabilities are 0..1.
 */

/** In browse order. */
export const STATUSES = ['active', 'inactive', 'closed'] as const;
export type Status = (typeof STATUSES)[number];

/** Completeness of an event, apart from its age. */
export type Coverage = 'complete' | 'partial' | 'metadata_only';

export interface Outcome {
  label: string;
  /** Up to 78 digits: never a number. */
  tokenId: string;
  probability: number;
}

export interface VenueMarket {
  /** The market_card_id. */
  id: string;
  question: string;
  /** Distinguishes the market within its event: "$150,000", "Kevin Warsh". */
  groupLabel: string | null;
  /** Its place among the markets of its event, such as the steps of a ladder. */
  place: number | null;
  outcomes: readonly Outcome[];
  status: Status;
  liquidity: number;
  volume: number;
  endTime: string | null;
  /** Null where the venue does not tell it. */
  closedTime: string | null;
  /** Null unless the market is closed and exactly one outcome has won. */
  winningOutcome: string | null;
}

export interface VenueEvent {
  /** Name of the venue. */
  source: string;
  /** The venue's id; unique within the venue. */
  sourceId: string;
  /** Short id that users may type; unique among all venues. */
  alias: string;
  url: string;
  slug: string;
  title: string;
  description: string | null;
  /** The venue's own tags, as slugs. */
  tags: readonly string[];
  category: string | null;
  /** How often the event's series recurs: "hourly", "monthly" … */
  recurrence: string | null;
  status: Status;
  coverage: Coverage;
  startTime: string | null;
  endTime: string | null;
  /** That of the event itself; null where the venue does not tell it. */
  closedTime: string | null;
  volume: number;
  volume24h: number | null;
  liquidity: number;
  openInterest: number | null;
  /** At most one market resolves to its first outcome. */
  mutuallyExclusive: boolean;
  resolutionSource: string | null;
  markets: readonly VenueMarket[];
}

export interface EventPage {
  events: VenueEvent[];
  /** Number of events skipped because they could not be parsed. */
  unreadable: number;
}

/** A list of events at a venue. */
export interface EventList {
  /** For people, such as "open events of gold". */
  name: string;
  /** Main lists come first and hold most events, some of them open. */
  isMain: boolean;
  /** Other lists make up for a refusal of this one. */
  isSupplement: boolean;
  /** Its pages to the end. Rejects with an UpstreamError. */
  pages(signal: AbortSignal | undefined): AsyncIterable<EventPage>;
}

/** `full`: all events; `top`: the most traded open ones. */
export type PullScope = 'full' | 'top';

export interface Venue {
  name: string;
  /** For people. */
  title: string;
  /** Lists that together hold all events of a scope with these tags. */
  lists(scope: PullScope, tags: readonly string[], now: Date): readonly EventList[];
  /** One event; null when the venue does not know it. Rejects with an UpstreamError. */
  getEvent(sourceId: string, signal?: AbortSignal): Promise<VenueEvent | null>;
}
