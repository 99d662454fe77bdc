import type { Database } from 'better-sqlite3';
import { invalidRequest } from '../../core/errors.ts';
import { isCalendarDay } from '../../core/fields.ts';
import type { Filter } from '../../search/lexical.ts';
import { type Field, hasSubject } from '../../search/query.ts';
import type { Preference } from '../../search/search.ts';
import { expressionFor, findAuthors } from './authors.ts';
import { allOf, type Condition, isBy, isInCategory, isPublished } from './search-queries.ts';

/** Fields of a question about papers, which filter. */
const EXAMPLES: Readonly<Record<string, string>> = {
  author: 'author:cont',
  since: 'since:2024-05',
  until: 'until:2025',
  year: 'year:2024',
  cat: 'cat:q-fin.PR',
};
export const FIELDS = Object.keys(EXAMPLES);

/** What a paper gains in score where prose names its author or the years of its publication. */
const BOOSTS = { author: 0.3, years: 0.1 } as const;

const DATE = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/;
/** Authors of one question that are preferred, the first ones: each is searched for by itself. */
const MAX_AUTHORS = 3;
/** arXiv began in 1991: earlier years are subjects. */
const YEARS = /\b(since|before|in) ((?:199[1-9]|20\d\d))\b/iu;

/** The filter of the fields; undefined without fields. Throws `invalid_request` for an impossible date. */
export function filterOf(fields: readonly Field[]): Filter | undefined {
  const conditions = fields.map(({ name, value, isExcluded }, at) => {
    if (value === '') {
      throw invalidRequest(`${name}: needs a value, such as ${EXAMPLES[name]}.`, 'query');
    }
    const condition = conditionOf(name, value, `field${at}`);
    return isExcluded ? { ...condition, where: `NOT (${condition.where})` } : condition;
  });
  return conditions.length === 0 ? undefined : allOf(conditions);
}

function conditionOf(name: string, value: string, key: string): Condition {
  if (name === 'author') return isBy(expressionFor(value), key);
  if (name === 'cat') return isInCategory(value, key);
  const isReal = value.length < 10 || isCalendarDay(value);
  if (!DATE.test(value) || !isReal || (name === 'year' && value.length > 4)) {
    throw invalidRequest(
      `${name}:${value} is not a date: write year:2024, since:2024-05 or until:2024-05-31.`,
      'query',
    );
  }
  const span = { from: name === 'until' ? null : value, to: name === 'since' ? null : value };
  return isPublished(span, key);
}

/** What a question prefers in prose, and its subject. */
interface Preferred {
  subject: string;
  preferences: Preference[];
  /** For `meta.understood`. */
  understood: string[];
}

/** Reads authors and years of publication from prose, which restrict nothing. */
export function readPreferences(
  db: Database,
  question: string,
  filter: Filter | undefined,
): Preferred {
  const preferences: Preference[] = [];
  const understood: string[] = [];
  const prefer = (condition: Condition, boost: number) => {
    preferences.push({ filter: allOf([filter ?? allOf([]), condition]), boost });
  };
  let subject = question;
  for (const [at, name] of findAuthors(db, question).slice(0, MAX_AUTHORS).entries()) {
    prefer(isBy(expressionFor(name), `author${at}`), BOOSTS.author);
    understood.push(`prefers author: ${name}`);
    const written = name.replaceAll(' ', '\\P{L}+(?:\\p{L}\\.? )?');
    subject = subject
      .replace(new RegExp(`\\bby (?:\\p{L}+\\.? ){0,2}${written}|^${written}$`, 'iu'), ' ')
      .trim();
  }
  const [, how = '', year = ''] = YEARS.exec(question) ?? [];
  if (year !== '') {
    const before = `${Number(year) - 1}`;
    const from = how.toLowerCase() === 'before' ? null : year;
    const to = { since: null, before, in: year }[how.toLowerCase()] ?? null;
    prefer(isPublished({ from, to }, 'years'), BOOSTS.years);
    understood.push(`prefers published: ${how.toLowerCase()} ${year}`);
  }
  return { subject: hasSubject(subject) ? subject : '', preferences, understood };
}
