import type { Connect } from './venue-client.ts';

/** Facts about a venue, except its base URL, which users may override. */
interface VenueFacts {
  /** The `source` of its events, and its name in the configuration. */
  name: string;
  title: string;
  /** Disabled until the user enables it for a store. */
  isOptional: boolean;
  /** Host of its events' URLs, whose paths contain the slug. */
  host: string;
  /** Matches an alias of its events, folded to lower case. */
  alias: RegExp;
  /** Loads its client lazily; replies from the store do not need it. */
  load(): Promise<{ connect: Connect }>;
}

/** All venues, in the order in which they are queried. */
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

export function titleOfVenue(name: string): string {
  return VENUES.find((venue) => venue.name === name)?.title ?? name;
}

/** The enabled venues, judging by a store's pulls: an optional one is enabled once pulled. */
export function venuesOf(pulls: readonly { source: string }[]): VenueName[] {
  return VENUES.filter(
    ({ name, isOptional }) => !isOptional || pulls.some(({ source }) => source === name),
  ).map(({ name }) => name);
}
