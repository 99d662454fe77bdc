import { type Asked, type Asking, ask, NOTHING } from '../../../store/search/ask.ts';
import { isSameTitle, verdictOfNamed } from '../../../store/search/query/named.ts';
import { withoutSyntax } from '../../../store/search/query/syntax.ts';
import { withoutUnrelated } from '../../../store/search/query/unrelated.ts';
import { subjectWords } from '../../../store/search/query/words.ts';
import { filterOf, isWithin } from '../cards/filter-queries.ts';
import type { EventFilters } from '../cards/filters.ts';
import { aliasOf, parseAlias } from '../cards/ids.ts';
import { describeUnheld } from '../notices.ts';
import { type EventRow, findEventByCardId, findEventIdBySlug, getEventById } from '../queries.ts';
import { eventIndex } from '../tables.ts';

export interface FoundEvents extends Pick<Asked, 'verdict' | 'understood' | 'notices'> {
  /** Best first, with scores of 0..1. */
  found: { event: EventRow; score: number }[];
}

const ADDRESS = /(?:https?:\/\/)?(?:www\.)?polymarket\.com\/event\/([\w-]+)\S*/gi;
const ID = /\bpme_\d+\b|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

const UNRELATED = { cards: 'events', argument: 'limit' };

/** The best events for a question inside the filters: those that it names, then the others by rank. */
export async function findEvents(
  context: Asking,
  question: string,
  filters: EventFilters,
  { limit, now }: { limit: number; now: Date },
): Promise<FoundEvents> {
  const { db } = context;
  // The address of an event that is not held still says what it is about.
  const asked = question.replace(ADDRESS, (_, slug: string) => {
    const id = findEventIdBySlug(db, slug.toLowerCase());
    return id === undefined ? slug.replaceAll('-', ' ') : aliasOf(id);
  });
  const ids = [...new Set(asked.match(ID)?.map((id) => id.toLowerCase()))];
  const events = ids.map((id) => {
    const eventId = parseAlias(id);
    return eventId === null ? findEventByCardId(db, id) : getEventById(db, eventId);
  });
  const named = events.flatMap((event) => event ?? []);
  const held = named.filter(({ id }) => isWithin(db, id, filters, now));
  const rest = withoutSyntax(asked.replace(ID, ' ').trim());
  // A bare id is followed by the events nearest to its own.
  const text = ids.length > 0 && subjectWords(rest) === 0 ? (named[0]?.title ?? '') : rest;
  const filter = filterOf(filters, now);
  const answer = text === '' ? NOTHING : await ask(context, eventIndex, { text, limit, filter });
  const ranked = answer.matches.flatMap(({ id, score }) => {
    const event = getEventById(db, id);
    return event === undefined ? [] : [{ event, score }];
  });
  const titled = ranked.map(({ event }) => event).filter(({ title }) => isSameTitle(text, title));
  const first = [...new Map([...held, ...titled].map((event) => [event.id, event])).values()];
  const others = ranked.filter(({ event }) => first.every(({ id }) => id !== event.id));
  const verdict = verdictOfNamed(answer.verdict, {
    isHeld: first.length > 0,
    isMissing: held.length < ids.length,
  });
  const { nearest, notice } = withoutUnrelated(
    [...first.map((event) => ({ event, score: 1 })), ...others],
    { verdict, limit },
    UNRELATED,
  );
  return {
    found: nearest,
    verdict,
    understood: [...held.map(({ id }) => `id: ${aliasOf(id)}`), ...answer.understood],
    notices: [
      describeUnheld(
        ids.filter((_, at) => events[at] === undefined),
        named
          .filter(({ id }) => held.every((event) => event.id !== id))
          .map(({ id }) => aliasOf(id)),
      ),
      ...answer.notices,
      notice,
    ],
  };
}
