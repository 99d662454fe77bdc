// Nothing above this folder knows one venue from another.

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
