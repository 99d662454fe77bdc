import { InvalidResponseError } from '../../../upstream/errors.ts';

/*
 * What a venue of prediction markets delivers. Nothing above this folder knows one venue from another.
 * Times are ISO 8601 UTC with milliseconds, money is US dollars, probabilities are 0..1.
 */

/**
 * An optional venue is asked once the user has turned it on for the store. Of one that forgets, settled
 * markets are gone some months later, so that what is stored of it stays.
 */
export const VENUES = [
  { name: 'polymarket', title: 'Polymarket', isOptional: false, forgets: false },
  { name: 'kalshi', title: 'Kalshi', isOptional: true, forgets: true },
] as const;
export const VENUE_NAMES = VENUES.map(({ name }) => name);
export type VenueName = (typeof VENUES)[number]['name'];

/** The name of a venue for people. */
export function titleOfVenue(name: VenueName): string {
  return VENUES.find((venue) => venue.name === name)?.title ?? name;
}

export function forgets(name: VenueName): boolean {
  return VENUES.some((venue) => venue.name === name && venue.forgets);
}

/** What volumes and open interest are counted in; a contract pays one dollar if it comes true. */
export const VOLUME_UNITS = ['usd', 'contracts'] as const;
/** Where a probability comes from, at a venue that gives no single price. */
export const PRICE_BASES = ['midpoint', 'last_price', 'result'] as const;

/** In browse order. */
export const STATUSES = ['active', 'inactive', 'closed'] as const;
export type Status = (typeof STATUSES)[number];

/** Completeness of an event, apart from its age. */
export const COVERAGES = ['complete', 'partial', 'metadata_only'] as const;

export interface Outcome {
  label: string;
  /** Up to 78 digits: never a number. Empty where the venue has none. */
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
  /** Null where the venue tells the price itself, or none. */
  priceBasis: (typeof PRICE_BASES)[number] | null;
  /** What the figure must do, such as ">110000" or "=-25"; null where no field tells it for certain. */
  strike: string | null;
  status: Status;
  /** Null where the venue tells none. */
  liquidity: number | null;
  volume: number;
  endTime: string | null;
  /** Null where the venue does not tell it. */
  closedTime: string | null;
  /** Null unless the market is closed and exactly one outcome has won. */
  winningOutcome: string | null;
}

export interface VenueEvent {
  source: VenueName;
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
  /** Finance tags by the venue's own categories, none of them: outside finance. Null where only `tags` tell. */
  financeTags: readonly string[] | null;
  /** The venue's name of the series that the event belongs to. */
  series: string | null;
  category: string | null;
  /** How often the event's series recurs: "hourly", "monthly" … */
  recurrence: string | null;
  status: Status;
  coverage: (typeof COVERAGES)[number];
  startTime: string | null;
  endTime: string | null;
  /** That of the event itself; null where the venue does not tell it. */
  closedTime: string | null;
  volumeUnit: (typeof VOLUME_UNITS)[number];
  volume: number;
  volume24h: number | null;
  /** Null where the venue tells none. */
  liquidity: number | null;
  openInterest: number | null;
  /** At most one market resolves to its first outcome. */
  mutuallyExclusive: boolean;
  resolutionSource: string | null;
  markets: readonly VenueMarket[];
  /** How many markets the event has beyond these, the least traded. */
  moreMarkets: number;
}

export interface EventPage {
  events: VenueEvent[];
  /** Number of events that the source left out as outside finance. */
  outside: number;
  /** Number of events skipped because they could not be parsed. */
  unreadable: number;
  /** What was refused, as sentences for users; the page holds the rest. */
  warnings?: readonly string[];
}

/** A page with the cursor of the next; null at the end. */
export type CursorPage = EventPage & { cursor: string | null };

/** A list of events at a venue. */
export interface EventList {
  /** For people, such as "open events of gold". */
  name: string;
  /** Its pages to the end. Rejects with an UpstreamError. */
  pages(signal: AbortSignal | undefined): AsyncIterable<EventPage>;
}

export interface Venue {
  name: VenueName;
  /** Lists that together hold all open events with these tags, and those that closed of late. */
  lists(tags: readonly string[], now: Date): readonly EventList[];
  /** One event; null when the venue does not know it, or no longer its markets. Rejects with an UpstreamError. */
  getEvent(sourceId: string, signal?: AbortSignal): Promise<VenueEvent | null>;
}

export interface VenueOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Overrides the interval between requests, in milliseconds. */
  paceMs: number | undefined;
}

/** The pages of a list to its end. Throws an InvalidResponseError if they repeat or do not end. */
export async function* walkPages(
  venue: VenueName,
  limit: number,
  getPage: (cursor: string | null) => Promise<CursorPage>,
): AsyncGenerator<EventPage> {
  const cursors = new Set<string | null>([null]);
  for (let next: string | null = null; ; ) {
    const { cursor, ...page }: CursorPage = await getPage(next);
    yield page;
    if (cursor === null) return;
    const fault = cursors.has(cursor)
      ? 'the same page again'
      : cursors.size === limit && `more than ${limit} pages`;
    if (fault) throw new InvalidResponseError(`${titleOfVenue(venue)} sent ${fault}.`);
    cursors.add(cursor);
    next = cursor;
  }
}

/** Throws an InvalidResponseError where less than half of what came is valid. */
export function requireHalf(venue: VenueName, valid: number, all: number): void {
  if (valid * 2 < all)
    throw new InvalidResponseError(`${titleOfVenue(venue)} sent mostly invalid data.`);
}
