import { type Asked, type Asking, ask, NOTHING } from '../../../store/search/ask.ts';
import { isSameTitle, verdictOfNamed } from '../../../store/search/query/named.ts';
import { withoutSyntax } from '../../../store/search/query/syntax.ts';
import { filterOf, isWithin } from '../cards/filter-queries.ts';
import type { EventFilters } from '../cards/filters.ts';
import { aliasOf, parseAlias } from '../cards/ids.ts';
import { describeUnheld } from '../notices.ts';
import { type EventRow, findEventByCardId, getEventById } from '../queries.ts';
import { eventIndex } from '../tables.ts';

export interface FoundEvents extends Pick<Asked, 'verdict' | 'understood' | 'notices'> {
  /** Best first, with scores of 0..1. */
  found: { event: EventRow; score: number }[];
}

const ID = /\bpme_\d+\b|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

/** The best events for a question inside the filters: those that it names, then the others by rank. */
export async function findEvents(
  context: Asking,
  question: string,
  filters: EventFilters,
  { limit, now }: { limit: number; now: Date },
): Promise<FoundEvents> {
  const { db } = context;
  const ids = [...new Set(question.match(ID)?.map((id) => id.toLowerCase()))];
  const events = ids.map((id) => {
    const eventId = parseAlias(id);
    return eventId === null ? findEventByCardId(db, id) : getEventById(db, eventId);
  });
  const named = events.flatMap((event) => event ?? []);
  const held = named.filter(({ id }) => isWithin(db, id, filters, now));
  const rest = withoutSyntax(question.replace(ID, ' ').trim());
  // A bare id is followed by the events nearest to its own.
  const text = rest === '' ? (named[0]?.title ?? '') : rest;
  const filter = filterOf(filters, now);
  const asked = text === '' ? NOTHING : await ask(context, eventIndex, { text, limit, filter });
  const ranked = asked.matches.flatMap(({ id, score }) => {
    const event = getEventById(db, id);
    return event === undefined ? [] : [{ event, score }];
  });
  const titled = ranked.map(({ event }) => event).filter(({ title }) => isSameTitle(text, title));
  const first = [...new Map([...held, ...titled].map((event) => [event.id, event])).values()];
  const others = ranked.filter(({ event }) => first.every(({ id }) => id !== event.id));
  return {
    found: [...first.map((event) => ({ event, score: 1 })), ...others].slice(0, limit),
    verdict: verdictOfNamed(asked.verdict, {
      isHeld: first.length > 0,
      isMissing: held.length < ids.length,
    }),
    understood: [...held.map(({ id }) => `id: ${aliasOf(id)}`), ...asked.understood],
    notices: [
      describeUnheld(
        ids.filter((_, at) => events[at] === undefined),
        named
          .filter(({ id }) => held.every((event) => event.id !== id))
          .map(({ id }) => aliasOf(id)),
      ),
      ...asked.notices,
    ],
  };
}
