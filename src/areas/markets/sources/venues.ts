import type { Connect } from './venue-client.ts';

/** Facts about a venue, except its base URL, which users may set. */
interface VenueFacts {
  /** The `source` of its events, and its name in the configuration. */
  name: string;
  /** For people. */
  title: string;
  /** Off until the user turns it on for the store. */
  isOptional: boolean;
  /** Host of its events' addresses, whose paths hold the slug. */
  host: string;
  /** Matches the short ids of its events, ignoring case. */
  alias: RegExp;
  /** Loads its client; answers from the store do not need it. */
  load(): Promise<{ connect: Connect }>;
}

/** All venues, in the order of requests. */
export const VENUES = [
  {
    name: 'polymarket',
    title: 'Polymarket',
    isOptional: false,
    host: 'polymarket.com',
    alias: /pme_\d+/,
    load: () => import('./polymarket.ts'),
  },
  {
    name: 'kalshi',
    title: 'Kalshi',
    isOptional: true,
    host: 'kalshi.com',
    alias: /kalshi:[\w.-]*\w/,
    load: () => import('./kalshi.ts'),
  },
] as const satisfies readonly VenueFacts[];
export type Venue = (typeof VENUES)[number];
export type VenueName = Venue['name'];

/** For people. */
export function titleOfVenue(name: string): string {
  return VENUES.find((venue) => venue.name === name)?.title ?? name;
}

/** The venues of a store by its pulls: an optional one is on once it was pulled. */
export function venuesOf(pulls: readonly { source: string }[]): VenueName[] {
  return VENUES.filter(
    ({ name, isOptional }) => !isOptional || pulls.some(({ source }) => source === name),
  ).map(({ name }) => name);
}
