import { hasSubject, readQuery } from '../../search/query.ts';
import { type Answer, listCards, type SearchContext, search } from '../../search/search.ts';
import type { EventFilters } from './filters.ts';
import { describeUnheld } from './notices.ts';
import { type EventRow, filterOf, findEvent, getEventById, isWithin } from './queries.ts';
import { VENUES } from './sources/venues.ts';
import { eventIndex } from './tables.ts';

interface FoundEvents extends Pick<Answer, 'verdict' | 'understood' | 'notices'> {
  /** Best first, with scores of 0..1. */
  found: { event: EventRow; score: number }[];
}

const HOSTS = VENUES.map(({ host }) => host.replaceAll('.', '\\.')).join('|');
const ADDRESS = new RegExp(`(?:https?://)?(?:www\\.)?((?:${HOSTS})/([\\w/-]+))\\S*`, 'gi');
const CARD_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
const IDS = [CARD_ID, ...VENUES.map(({ alias }) => alias)].map(({ source }) => source).join('|');
const ID = new RegExp(`\\b(?:${IDS})\\b`, 'gi');

/** The best events for a question inside the filters: those that it names, then the others by rank. */
export async function findEvents(
  context: SearchContext,
  question: string,
  filters: EventFilters,
  { limit, now }: { limit: number; now: Date },
): Promise<FoundEvents> {
  const { db } = context;
  // The address of an event that is not on the shelf still says what it is about.
  const asked = question.replace(ADDRESS, (_, address: string, path: string) => {
    const [slug = ''] = path.split('/').sort((a, b) => b.length - a.length);
    return findEvent(db, address)?.alias ?? slug.replaceAll('-', ' ');
  });
  const ids = [...new Set(asked.match(ID)?.map((id) => id.toLowerCase()))];
  const events = ids.map((id) => findEvent(db, id));
  const named = events.flatMap((event) => event ?? []);
  const stored = named.filter(({ id }) => isWithin(db, id, filters, now));
  const { subject, without } = readQuery(asked.replace(ID, ' ').trim(), []);
  // A bare id is followed by the events nearest to its own.
  const text = ids.length > 0 && !hasSubject(subject) ? (named[0]?.title ?? '') : subject;
  const filter = filterOf(filters, now);
  const answer = await search(context, eventIndex, { text, limit, filter, without });
  const { cards, verdict, notice } = listCards(
    answer,
    { stored, isMissing: stored.length < ids.length, title: text },
    { read: (id) => getEventById(db, id), limit, noun: 'events' },
  );
  return {
    found: cards.map(({ card, score }) => ({ event: card, score })),
    verdict,
    understood: [
      ...stored.map(({ alias }) => `id: ${alias}`),
      ...without.map((word) => `-${word}`),
      ...answer.understood,
    ],
    notices: [
      describeUnheld(
        ids.filter((_, at) => events[at] === undefined),
        named
          .filter(({ id }) => stored.every((event) => event.id !== id))
          .map(({ alias }) => alias),
      ),
      ...answer.notices,
      notice,
    ],
  };
}
