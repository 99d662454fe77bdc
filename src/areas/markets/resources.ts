import { noticeOf } from '../../core/envelope.ts';
import { notFound } from '../../core/errors.ts';
import type { Reader } from '../../core/reader.ts';
import { WHOLE_REPLY } from '../../core/reply.ts';
import { type Completer, MAX_COMPLETIONS, type Resource, toJson } from '../../core/resource.ts';
import { HOUR_MS } from '../../core/time.ts';
import { readEvent } from './card.ts';
import { DEFAULT_STATUS } from './filters.ts';
import { describeReply, describeUnknown } from './notices.ts';
import { listPairs } from './pairs.ts';
import { browseEvents, findEvent, listAliases, listTags, summariseMarkets } from './queries.ts';

const MINUTE_MS = 60_000;
const MAX_TAGS = 500;
/** One extra value signals that there are more. */
const MAX_VALUES = MAX_COMPLETIONS + 1;
/** Maximum number of words per completion, since each is sought in the text of every event. */
const MAX_WORDS = 8;

/**
 * Aliases that contain the typed text or, if none does, those of active or recently closed events
 * with all its words; both in browse order.
 */
export const completeEvent: Completer = (typed, { db, now }) => {
  const aliases = listAliases(db, typed.trim().toLowerCase(), MAX_VALUES);
  if (aliases.length > 0) return aliases;
  const q = typed.trim().split(/\s+/u, MAX_WORDS).join(' ');
  const page = { limit: MAX_VALUES, after: null };
  return browseEvents(db, { status: DEFAULT_STATUS, q }, now(), page).map(({ alias }) => alias);
};

const event: Resource = {
  name: 'event',
  title: 'Prediction-market event',
  description:
    'A prediction-market event on the shelf, by its alias (such as pme_16085) or event_card_id: its markets with the latest stored odds, dates, volumes and winners.',
  area: 'markets',
  uri: 'quantshelf://event/{id}',
  mimeType: 'application/json',
  ttlMs: MINUTE_MS,
  complete: { id: completeEvent },
  read({ id = '' }, { db, now }) {
    const stored = findEvent(db, id);
    if (stored === undefined) throw notFound(describeUnknown(db, id));
    const at = now();
    const { data, hidden } = readEvent(db, stored, at, WHOLE_REPLY);
    const notice = noticeOf(describeReply(db, [stored], { hidden, now: at }));
    return toJson(data, { asOf: stored.synced_at, ...notice });
  },
};

const newestOf = (db: Reader, now: Date) => summariseMarkets(db).newest ?? now.toISOString();

const pairs: Resource = {
  name: 'event_pairs',
  title: 'The same question at two venues',
  description:
    'Pairs of open markets at two venues with the same asset or Fed decision, settlement day and strike, and the difference between their odds. Read the rules of both: one may need only a touch of the level, the other a close above it.',
  area: 'markets',
  uri: 'quantshelf://pairs/events',
  mimeType: 'application/json',
  ttlMs: MINUTE_MS,
  read: (_, { db, now }) => toJson(listPairs(db, null), { asOf: newestOf(db, now()) }),
};

const tags: Resource = {
  name: 'event_tags',
  title: 'Prediction-market tags',
  description:
    'Prediction-market tags on the shelf, with the number of events for each; pass one as `tag` to the event tools.',
  area: 'markets',
  uri: 'quantshelf://tags/events',
  mimeType: 'application/json',
  ttlMs: HOUR_MS,
  read: (_, { db, now }) => toJson(listTags(db, MAX_TAGS), { asOf: newestOf(db, now()) }),
};

export const marketResources: readonly Resource[] = [tags, pairs, event];
