import { kalshi } from './kalshi.ts';
import { polymarket } from './polymarket.ts';
import type { Venue } from './venue.ts';

/** All venues, in the order in which they are asked. */
export const VENUES = [polymarket, kalshi] as const satisfies readonly Venue[];
export type VenueName = (typeof VENUES)[number]['name'];

/** For people. */
export function titleOfVenue(name: string): string {
  return VENUES.find((venue) => venue.name === name)?.title ?? name;
}
