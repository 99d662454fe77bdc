import type { Database } from 'better-sqlite3';
import { invalidRequest } from '../../core/errors.ts';
import { isCalendarDay } from '../../core/fields.ts';
import { toAscii } from '../../core/text.ts';
import { type Filter, readDocumentFrequencies } from '../../search/lexical.ts';
import { type Field, hasSubject } from '../../search/query.ts';
import type { Preference } from '../../search/search.ts';
import { isStopWord, plainStems } from '../../search/tokenise.ts';
import { paperIndex } from './tables.ts';

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
  if (name === 'author') return isBy(value, key);
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
    prefer(isBy(name, `author${at}`), BOOSTS.author);
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

/** A condition that a paper `p` meets or not. */
type Condition = Pick<Filter, 'where' | 'params'>;

/** By an author, as a question names him. `key` keeps its parameter apart from those of others. */
function isBy(author: string, key: string): Condition {
  const { name } = paperIndex;
  const { first, last } = partsOf(author);
  return {
    where: `p.id IN (SELECT rowid FROM ${name}_terms WHERE ${name}_terms MATCH @${key})`,
    // "Rama Cont" may be stored as "R. Cont".
    params: { [key]: `names : ("${keyOf(last, first)}" OR "${keyOf(last, first.charAt(0))}")` },
  };
}

/**
 * Published within a span, both ends included: YYYY, YYYY-MM or YYYY-MM-DD. Of some papers the month alone
 * is known: days are compared as far as both sides have them.
 */
export function isPublished(
  { from, to }: { from: string | null; to: string | null },
  key: string,
): Condition {
  return {
    where: `
      p.published >= substr(@${key}From, 1, length(p.published))
      AND substr(p.published, 1, length(@${key}To)) <= @${key}To`,
    params: { [`${key}From`]: from ?? '', [`${key}To`]: to ?? '9999' },
  };
}

/** In a category such as q-fin.PR, first or not, or in any of an archive such as q-fin. */
function isInCategory(code: string, key: string): Condition {
  const [whole, archive] = [`"${code.toLowerCase()}"`, `"${code.toLowerCase()}.`];
  return {
    where: `instr(lower(p.categories), @${key}) > 0 OR instr(lower(p.categories), @${key}Archive) > 0`,
    params: { [key]: whole, [`${key}Archive`]: archive },
  };
}

/** The papers that meet all conditions. */
export function allOf(conditions: readonly Condition[]): Filter {
  return {
    from: 'paper p',
    id: 'p.id',
    where: conditions.map(({ where }) => `(${where})`).join(' AND ') || 'true',
    params: Object.assign({}, ...conditions.map(({ params }) => params)),
  };
}

/** The ids of the newest papers that pass a filter; arXiv numbers its papers by date. */
export function listNewest(db: Database, { from, where, params }: Filter, limit: number): number[] {
  return db
    .prepare<object, number>(`
      SELECT p.id FROM ${from}
      WHERE (${where}) AND p.withdrawn = 0
      ORDER BY p.published DESC, p.source_id DESC LIMIT @limit`)
    .pluck()
    .all({ ...params, limit });
}

/*
 * Authors are looked up by keys: a word for the surname, and one each for the surname with the given
 * name, with its initial, and with the name before it. They are in a column of the index of their own, so
 * that a name is found as fast as a word, however many papers there are.
 */

const SUFFIX = /^(?:jr|sr|ii|iii)$/;

/** The keys of an author, who is written "Rama Cont" or "Cont, Rama". */
export function authorKeys(name: string): string[] {
  const { first, before, last } = partsOf(name);
  return last === ''
    ? []
    : [...new Set(['', first, first.charAt(0), before])].map((one) => keyOf(last, one));
}

/** The authors whose given name and surname stand side by side in a question, as it spells them. */
function findAuthors(db: Database, question: string): string[] {
  const words = (question.match(/\p{L}[\p{L}\p{M}'’]+(?:-[\p{L}\p{M}'’]+)*/gu) ?? []).filter(
    (word) => !isStopWord(word),
  );
  const pairs = words.slice(1).flatMap((last, at) => {
    const name = `${words[at]} ${last}`;
    const { first, last: surname } = partsOf(name);
    // Of a word in another script nothing is left.
    return surname === '' || first === '' ? [] : [{ name, key: keyOf(surname, first) }];
  });
  const stored = readDocumentFrequencies(
    db,
    paperIndex.name,
    pairs.map(({ key }) => key),
  );
  return [...new Set(pairs.filter(({ key }) => stored.has(key)).map(({ name }) => name))];
}

function partsOf(name: string): { first: string; before: string; last: string } {
  const inOrder = name.replace(/^([^,]+), *(.+)$/u, '$2 $1').replace(/\.(?=\p{L})/gu, '. ');
  const words = toAscii(inOrder)
    .split(/[^a-z]+/u)
    .filter((word) => word !== '' && !SUFFIX.test(word));
  const [last = '', before = '', ...others] = words.toReversed();
  return { first: others.at(-1) ?? before, before, last };
}

/** As it is indexed; the digit keeps it apart from words. */
function keyOf(last: string, first: string): string {
  return plainStems(`${last}0${first}`)[0] ?? '';
}
