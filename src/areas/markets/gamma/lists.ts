import { listScopeSlugs } from '../scope/scope.ts';
import type { EventList } from '../source.ts';

/** Tags by whose ids most of the finance events are found; their site's slugs are not reliable. */
export const MAIN_TAGS: readonly { id: string; slug: string }[] = [
  { id: '120', slug: 'finance' },
  { id: '21', slug: 'crypto' },
  { id: '100328', slug: 'economy' },
  { id: '107', slug: 'business' },
  { id: '604', slug: 'stocks' },
  { id: '100196', slug: 'fed-rates' },
];

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Closed events are looked for among those that end or ended so long ago at most. */
const ENDED_MS = 45 * DAY_MS;
/** An event may close long after its end date, or have none: so long ago at most. */
const CLOSED_MS = 30 * DAY_MS;

/** Closed events that ended, or that closed, before these moments are in no list. */
export function reachOfLists(now: Date): { endedSince: Date; closedSince: Date } {
  return {
    endedSince: new Date(now.getTime() - ENDED_MS),
    closedSince: new Date(now.getTime() - CLOSED_MS),
  };
}

/**
 * Every list that together hold all finance events that are open, or that closed of late; the open
 * ones of the main tags come first.
 */
export function listWholeShelf(now: Date): EventList[] {
  const { endedSince: endSince, closedSince } = reachOfLists(now);
  const known = new Set(MAIN_TAGS.map(({ slug }) => slug));
  const tags = [
    ...MAIN_TAGS.map(({ id }) => ({ id })),
    ...listScopeSlugs()
      .filter((slug) => !known.has(slug))
      .map((slug) => ({ slug })),
  ];
  return [
    ...tags.map((tag) => ({ closed: false, tag })),
    ...MAIN_TAGS.map(({ id }) => {
      return { closed: true, tag: { id }, order: 'closing', closedSince } as const;
    }),
    ...tags.map((tag) => ({ closed: true, tag, endSince })),
  ];
}

/** Lists whose first pages hold the open events with the most trade. */
export function listBusiest(): EventList[] {
  return MAIN_TAGS.map(({ id }) => ({ closed: false, tag: { id }, order: 'busiest' }));
}
