import type { HeldShelf } from '../../core/context.ts';
import { type Completer, MAX_COMPLETIONS } from '../../core/resource.ts';
import { aliasOf } from './event-ids.ts';
import { readFilters } from './filters.ts';
import { browseEvents, type EventRow, listEventsFrom } from './queries.ts';

/** One value more than a completion carries shows that there are more. */
const LIMIT = MAX_COMPLETIONS + 1;
/** Words of what is typed that are looked for: each is sought in the text of every open event. */
const MAX_WORDS = 8;
const ALIAS = /^(?:p|pm|pme|pme_?)?([1-9]\d*)?$/i;

/** Aliases that begin as typed; for other words, those of events that hold them. In browse order. */
export const completeEvent: Completer = (typed, shelf) => {
  const digits = ALIAS.exec(typed.trim());
  if (digits !== null) return listEventsFrom(shelf.db, digits[1] ?? '', LIMIT).map(aliasOf);
  return browseWith(shelf, typed).map(({ id }) => aliasOf(id));
};

/** Titles of open events that hold the words, the most liquid first. */
export const completeQuestion: Completer = (typed, shelf) => [
  ...new Set(browseWith(shelf, typed).map(({ title }) => title)),
];

function browseWith({ db, now }: HeldShelf, typed: string): readonly EventRow[] {
  const status = 'active_or_recently_closed';
  const words = typed.trim();
  const filters = readFilters({ status, ...(words === '' ? {} : { q: words }) });
  const sought = { ...filters, words: filters.words.slice(0, MAX_WORDS) };
  return browseEvents(db, sought, now(), { limit: LIMIT, after: null });
}
