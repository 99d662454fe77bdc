import { listScopeSlugs } from '../scope/scope.ts';
import type { EventList } from '../source.ts';

/** Tags that cover most finance events, queried by id because filtering by slug is unreliable. */
export const MAIN_TAGS: readonly { id: string; slug: string }[] = [
  { id: '120', slug: 'finance' },
  { id: '21', slug: 'crypto' },
  { id: '100328', slug: 'economy' },
  { id: '107', slug: 'business' },
  { id: '604', slug: 'stocks' },
  { id: '100196', slug: 'fed-rates' },
];

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How far back lists of closed events by end date go. */
const ENDED_MS = 45 * DAY_MS;
/** How far back lists by closing time go, for events that closed long after their end date. */
const CLOSED_MS = 30 * DAY_MS;

/** Closed events that ended, or closed, before these times are in no list. */
export function listCutoffs(now: Date): { endedSince: Date; closedSince: Date } {
  return {
    endedSince: new Date(now.getTime() - ENDED_MS),
    closedSince: new Date(now.getTime() - CLOSED_MS),
  };
}

/** Lists that together cover all open and recently closed finance events, main tags first. */
export function fullLists(now: Date): EventList[] {
  const { endedSince: endSince, closedSince } = listCutoffs(now);
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

/** Lists that start with the most traded open events. */
export function topLists(): EventList[] {
  return MAIN_TAGS.map(({ id }) => ({ closed: false, tag: { id }, order: 'volume' }));
}
