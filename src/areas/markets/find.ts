import type { Reader } from '../../core/reader.ts';
import { findByTitleWords } from '../../search/lexical.ts';
import { hasSubject, isSameTitle, readQuery, writeExclusion } from '../../search/query.ts';
import {
  describeHolding,
  listCards,
  type SearchContext,
  type SearchResult,
  search,
} from '../../search/search.ts';
import { DEFAULT_STATUS, type EventFilters, filterOf } from './filters.ts';
import { describeUnheld } from './notices.ts';
import { type EventRow, findEvent, getEventById, isWithin } from './queries.ts';
import { VENUES } from './sources/venues.ts';
import { eventIndex } from './tables.ts';

interface EventResult extends Pick<SearchResult, 'verdict' | 'understood' | 'notices'> {
  /** How many events within the filters have all the question's terms; null if it has an id. */
  holding: number | null;
  /** Best first; scores from 0 to 1. */
  matches: { event: EventRow; score: number }[];
}

const HOSTS = VENUES.map(({ host }) => host.replaceAll('.', '\\.')).join('|');
const ADDRESS = new RegExp(`(?:https?://)?(?:www\\.)?((?:${HOSTS})/([\\w/-]+))\\S*`, 'gi');
const CARD_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
const IDS = [CARD_ID, ...VENUES.map(({ alias }) => alias)].map(({ source }) => source).join('|');
const ID = new RegExp(`\\b(?:${IDS})\\b`, 'gi');

/** Finds the best events for a question: those that it names, then the others by rank. */
export async function findEvents(
  context: SearchContext,
  question: string,
  filters: EventFilters,
  { limit, now }: { limit: number; now: Date },
): Promise<EventResult> {
  const { db } = context;
  // Even if the event is not stored, the slug in its address describes its subject.
  const text = question.replace(ADDRESS, (_, address: string, path: string) => {
    const [slug = ''] = path.split('/').sort((a, b) => b.length - a.length);
    return findEvent(db, address)?.alias ?? slug.replaceAll('-', ' ');
  });
  const ids = [...new Set(text.match(ID)?.map((id) => id.toLowerCase()))];
  const events = ids.map((id) => findEvent(db, id));
  const named = events.flatMap((event) => event ?? []);
  const { subject, without } = readQuery(text.replace(ID, ' ').trim(), []);
  const within = named.filter(({ id }) => isWithin(db, id, filters, now));
  const ended = findOutsideDefault(db, subject, filters, now);
  const stored = [...within, ...(ended === undefined ? [] : [ended])];
  // If the question has only ids, rank the other events by the first event's title.
  const topic = ids.length > 0 && !hasSubject(subject) ? (named[0]?.title ?? '') : subject;
  const filter = filterOf(filters, now);
  const result = await search(context, eventIndex, { text: topic, limit, filter, without });
  const best = getEventById(db, result.matches[0]?.id ?? -1);
  // An event past its end but not closed says nothing about the future, so it is no strong match.
  const isOver = best?.status !== 'closed' && (best?.end_time ?? '9') <= now.toISOString();
  const { cards, verdict, notice } = listCards(
    { ...result, verdict: isOver && result.verdict === 'strong' ? 'weak' : result.verdict },
    { stored, isMissing: within.length < ids.length, title: topic },
    { read: (id) => getEventById(db, id), limit },
  );
  return {
    matches: cards.map(({ card, score }) => ({ event: card, score })),
    verdict,
    holding: ids.length > 0 ? null : result.holding,
    understood: [
      ...within.map(({ alias }) => `id: ${alias}`),
      ...(ended === undefined ? [] : [`title: ${ended.title}`, `status: ${ended.status}`]),
      ...without.map(writeExclusion),
      ...result.understood,
    ],
    notices: [
      describeUnheld(
        ids.filter((_, at) => events[at] === undefined),
        named
          .filter(({ id }) => stored.every((event) => event.id !== id))
          .map(({ alias }) => alias),
      ),
      ...result.notices,
      notice,
      ids.length > 0 || verdict === 'none'
        ? ''
        : describeHolding(result.holding, cards.length, 'events'),
    ],
  };
}

/** The event with exactly this title, if only the default status excludes it. */
function findOutsideDefault(
  db: Reader,
  title: string,
  filters: EventFilters,
  now: Date,
): EventRow | undefined {
  if (filters.status !== DEFAULT_STATUS) return undefined;
  const events = findByTitleWords(db, eventIndex.name, title)
    .flatMap((id) => getEventById(db, id) ?? [])
    .filter((event) => isSameTitle(title, event.title));
  if (events.some(({ id }) => isWithin(db, id, filters, now))) return undefined;
  return events.find(({ id, status }) => isWithin(db, id, { ...filters, status }, now));
}
