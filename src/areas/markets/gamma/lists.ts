import { listScopeSlugs } from '../scope.ts';
import type { EventList } from '../source.ts';

/** Tags by whose ids most of the finance events are found; their site's slugs are not reliable. */
const MAIN_TAGS: readonly { id: string; slug: string }[] = [
  { id: '120', slug: 'finance' },
  { id: '21', slug: 'crypto' },
  { id: '100328', slug: 'economy' },
  { id: '107', slug: 'business' },
  { id: '604', slug: 'stocks' },
  { id: '100196', slug: 'fed-rates' },
];

/** Closed events are looked for among those that end or ended so long ago at most. */
const RECENT_MS = 45 * 24 * 60 * 60 * 1_000;

/** Every list that together hold all finance events that are open, or that closed of late. */
export function listWholeShelf(now: Date): EventList[] {
  const endSince = new Date(now.getTime() - RECENT_MS);
  const known = new Set(MAIN_TAGS.map(({ slug }) => slug));
  const tags = [
    ...MAIN_TAGS.map(({ id }) => ({ id })),
    ...listScopeSlugs()
      .filter((slug) => !known.has(slug))
      .map((slug) => ({ slug })),
  ];
  return [
    ...tags.map((tag) => ({ closed: false, tag })),
    ...tags.map((tag) => ({ closed: true, tag, endSince })),
  ];
}

/** Lists whose first pages hold the open events with the most trade. */
export function listBusiest(): EventList[] {
  return MAIN_TAGS.map(({ id }) => ({ closed: false, tag: { id }, order: 'busiest' }));
}
