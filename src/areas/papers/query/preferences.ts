import type { Database } from 'better-sqlite3';
import type { Filter, Preference } from '../../../store/search/filter.ts';
import { describeUnfit } from '../notices.ts';
import { type Author, findAuthor } from './authors.ts';
import { type Constraints, readConstraints } from './constraints.ts';
import {
  allOf,
  type Condition,
  findDayOfShare,
  isAmong,
  isInCategories,
  isMet,
  isPublishedWithin,
} from './restriction-queries.ts';

/**
 * What a paper gains in score by what the question asks of it. Fitted on the train half of
 * `npm run eval -- --asked`: more of it brings forward papers of another subject where the user
 * errs in a year or category.
 */
const BOOSTS = { authors: 0.3, dates: 0.1, categories: 0.1 } as const;

/** Names looked up while a question is read; each costs up to some milliseconds at 24,000 papers. */
const MAX_LOOKUPS = 24;

/** How a question restricts its answer, and what it is without these words. */
export interface Restriction {
  /** '' if it asks for nothing else. */
  rest: string;
  filter?: Filter;
  preferences: Preference[];
  understood: string[];
  notices: string[];
  /** Papers of this kind are not on the shelf. */
  isUnmet: boolean;
}

interface Asked extends Condition {
  kind: keyof typeof BOOSTS;
  /** For `meta.understood`. */
  label: string;
  isOnly: boolean;
}

/** Reads authors, dates and categories from a question; null where it names none. */
export function findRestriction(db: Database, question: string, now: Date): Restriction | null {
  const found = new Map<string, Author>();
  const authorOf = (name: string) => {
    const author = found.get(name) ?? findAuthor(db, name);
    found.set(name, author);
    return author;
  };
  const isHeld = (name: string) =>
    (found.has(name) || found.size < MAX_LOOKUPS) && authorOf(name).ids.length > 0;
  const sinceShare = (share: number) => findDayOfShare(db, share);
  const constraints = readConstraints(question, isHeld, { now, sinceShare });
  if (constraints === null) return null;
  const { conditions, unknown } = conditionsOf(constraints, authorOf);
  const met = conditions.filter((condition) => isMet(db, [condition]));
  const unmet = conditions.filter((condition) => !met.includes(condition));
  const isAll = constraints.rest === '';
  const only = met.filter(({ isOnly }) => isOnly || isAll);
  const isFiltered = only.length > 0 && isMet(db, only);
  const fixed = isFiltered ? only : [];
  return {
    rest: constraints.rest,
    ...(isFiltered ? { filter: allOf(fixed) } : {}),
    preferences: met
      .filter((condition) => !fixed.includes(condition))
      .map((condition) => ({
        filter: allOf([...fixed, condition]),
        boost: BOOSTS[condition.kind],
        leads: condition.kind === 'authors',
      })),
    understood: met.map(
      (condition) => `${condition.label}${condition.isOnly && isFiltered ? ', only' : ''}`,
    ),
    notices: [
      describeUnfit([...unknown, ...unmet.map(({ label }) => label)]),
      !isFiltered && only.length > 0
        ? describeUnfit([only.map(({ label }) => label).join(' with ')])
        : '',
    ],
    isUnmet: unknown.length + unmet.length > 0,
  };
}

function conditionsOf(
  { authors, dates, categories }: Constraints,
  authorOf: (name: string) => Author,
): { conditions: Asked[]; unknown: string[] } {
  const conditions: Asked[] = [];
  const found = (authors?.value.names ?? []).map(authorOf);
  const known = found.filter(({ ids }) => ids.length > 0);
  if (authors !== null && known.length > 0) {
    const { isAny } = authors.value;
    const names = [...new Set(known.map(({ name }) => name))].join(isAny ? ' or ' : ', ');
    const ids = known.map((author) => author.ids);
    conditions.push({
      ...{ kind: 'authors', label: `author: ${names}`, isOnly: authors.isOnly },
      ...isAmong(joint(ids, isAny)),
    });
  }
  if (dates !== null) {
    const label = `published: ${dates.value.label}`;
    const { isOnly } = dates;
    conditions.push({ kind: 'dates', label, isOnly, ...isPublishedWithin(dates.value) });
  }
  if (categories !== null) {
    const label = `category: ${categories.value.join(' or ')}`;
    const { isOnly } = categories;
    conditions.push({ kind: 'categories', label, isOnly, ...isInCategories(categories.value) });
  }
  const unknown = found.filter(({ ids }) => ids.length === 0);
  return { conditions, unknown: unknown.map(({ name }) => `author: ${name}`) };
}

/** The papers that all authors wrote, or where there are none, those that one of them wrote. */
function joint(lists: readonly (readonly number[])[], isAny: boolean): number[] {
  const any = [...new Set(lists.flat())];
  const sets = lists.map((ids) => new Set(ids));
  const all = any.filter((id) => sets.every((ids) => ids.has(id)));
  return isAny || all.length === 0 ? any : all;
}
