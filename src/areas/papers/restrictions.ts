import { invalidRequest } from '../../core/errors.ts';
import { isCalendarDay } from '../../core/fields.ts';
import { printable } from '../../core/input.ts';
import type { Reader } from '../../core/reader.ts';
import { toAscii } from '../../core/text.ts';
import { type Filter, readDocumentFrequencies } from '../../search/lexical.ts';
import { type Field, hasSubject } from '../../search/query.ts';
import { isStopWord, plainStems } from '../../search/tokenise.ts';
import { ownIdIn } from './own-hidden.ts';
import { paperIndex } from './tables.ts';

/** Fields in a question that filter papers, each with an example. */
const EXAMPLES: Readonly<Record<string, string>> = {
  author: 'author:cont',
  since: 'since:2024-05',
  until: 'until:2025',
  year: 'year:2024',
  cat: 'cat:q-fin.PR',
  source: 'source:own',
};
export const FIELDS = Object.keys(EXAMPLES);

const DATE = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/;

/** The filter for the fields, if any. Throws `invalid_request` for an invalid value. */
export function filterOf(fields: readonly Field[]): Filter | undefined {
  const conditions = fields.map(({ name, value, isExcluded }, at) => {
    if (value === '') {
      throw invalidRequest(`"${name}:" needs a value, such as ${EXAMPLES[name]}.`, 'query');
    }
    const condition = conditionOf(name, value, `field${at}`);
    return isExcluded ? { ...condition, where: `NOT (${condition.where})` } : condition;
  });
  const given = (date: string) =>
    fields.find(({ name, isExcluded }) => name === date && !isExcluded)?.value;
  const [since = '', until = '9'] = ['since', 'until'].map(given);
  if (since.slice(0, until.length) > until) {
    throw invalidRequest(`since:${since} is after until:${until}: swap them or drop one.`, 'query');
  }
  return conditions.length === 0 ? undefined : allOf(conditions);
}

function conditionOf(name: string, value: string, key: string): Condition {
  if (name === 'author') return isBy([value], key);
  if (name === 'cat') return isInCategory(value, key);
  if (name === 'source') return isFrom(value);
  const isReal = value.length < 10 || isCalendarDay(value);
  if (!DATE.test(value) || !isReal || (name === 'year' && value.length > 4)) {
    throw invalidRequest(
      `${name}:${printable(value)} is not valid: write year:2024, since:2024-05 or until:2024-05-31.`,
      'query',
    );
  }
  const span = { from: name === 'until' ? null : value, to: name === 'since' ? null : value };
  return isPublished(span, key);
}

/** The authors that a question names in prose, and its subject. */
export interface Authors {
  /** '' if the question names only authors. */
  subject: string;
  /** Matches papers by `names` that pass the fields' filter; undefined without names. */
  preferred: Filter | undefined;
  names: readonly string[];
  /** The name after "by" in the question, if no stored author has it; else ''. */
  missing: string;
  /** Whether the question asks only for papers by the `missing` author. */
  isAbsent: boolean;
  /** Stored authors whose papers the question asks to leave out. */
  unwanted: readonly string[];
}

/** The name after "by": up to four capitalised words. */
const BY = /\b[Bb]y ((?:\p{Lu}[\p{L}\p{M}.'’-]*(?: |$)){1,4})/u;
/** A name after "by", even in lower case, in a question that asks for nothing else. */
const ALL_BY = /^papers? by (\S+(?: \S+){0,2})$/iu;
const GIVEN = '(?:\\p{L}+\\.? ){0,2}';
const NOT_BY = `\\b(?:(?:not|except|excluding)(?: \\p{L}+)? by|except|other than) (?:.{1,60} (?:and|n?or) )?${GIVEN}`;

/** Reads authors from prose: their papers are preferred, but others are not excluded. */
export function readAuthors(db: Reader, question: string, filter: Filter | undefined): Authors {
  const plain = question.replace(/[?!,;]|\.$/gu, '');
  const [, inAnyCase = ''] = ALL_BY.exec(plain) ?? [];
  const whole = inAnyCase.split(' ').some(isStopWord) ? '' : inAnyCase;
  const after = (BY.exec(plain)?.[1] ?? whole).trim();
  const authors = findAuthors(db, question, after).map((name) => {
    const written = (name.match(NAME) ?? [])
      .map((word) => word.replace('.', '\\.'))
      .join('\\P{L}+(?:\\p{L}\\.? )?');
    const isUnwanted = new RegExp(NOT_BY + written, 'iu').test(question);
    const by = isUnwanted ? NOT_BY : `\\bby ${GIVEN}`;
    return { name, isUnwanted, pattern: new RegExp(`${by}${written}|^${written}$`, 'iu') };
  });
  const namesOf = (some: typeof authors) => some.map(({ name }) => name);
  const names = namesOf(authors.filter(({ isUnwanted }) => !isUnwanted));
  const subject = authors.reduce(
    (text, { pattern }) => text.replace(pattern, ' ').trim(),
    question,
  );
  // "By LLM agents" names no author.
  const isName = authors.length === 0 && /\p{Ll}/u.test(after);
  const missing = isName && !isAuthor(db, after) ? after : '';
  return {
    subject: hasSubject(subject) ? subject : '',
    // For "Yifan He", match only that name, not "Y. He"; a name without a key, as Eric's, matches by its initial.
    preferred:
      names.length === 0 ? undefined : allOf([filter ?? allOf([]), isBy(names, 'authors', true)]),
    names,
    missing,
    isAbsent: missing !== '' && !hasSubject(plain.replace(after, ' ')),
    unwanted: namesOf(authors.filter(({ isUnwanted }) => isUnwanted)),
  };
}

/** An SQL condition on a row of `paper`, aliased `p`. */
type Condition = Pick<Filter, 'where' | 'params'>;

/**
 * Matches papers by any of these authors; unless `isExact`, surname and first initial suffice. `key`
 * names the SQL parameter.
 */
function isBy(authors: readonly string[], key: string, isExact = false): Condition {
  const { name } = paperIndex;
  const keys = authors.map(partsOf).flatMap(({ first, last }) =>
    // "Rama Cont" may be stored as "R. Cont".
    [first, isExact ? first : first.charAt(0)].map((given) => `"${termOf(last, given)}"`),
  );
  return {
    where: `p.id IN (SELECT rowid FROM ${name}_terms WHERE ${name}_terms MATCH @${key})`,
    params: { [key]: `names : (${keys.join(' OR ')})` },
  };
}

/**
 * Matches papers published within a span, both ends included: YYYY, YYYY-MM or YYYY-MM-DD. Some
 * papers have only a month, so dates are compared at the coarser precision.
 */
export function isPublished(
  { from, to }: { from: string | null; to: string | null },
  key: string,
): Condition {
  return {
    where: `
      p.published <> '' AND p.published >= substr(@${key}From, 1, length(p.published))
      AND substr(p.published, 1, length(@${key}To)) <= @${key}To`,
    params: { [`${key}From`]: from ?? '', [`${key}To`]: to ?? '9999' },
  };
}

/** Matches papers in a category such as q-fin.PR, primary or not, or in an archive such as q-fin. */
function isInCategory(code: string, key: string): Condition {
  const [whole, archive] = [`"${code.toLowerCase()}"`, `"${code.toLowerCase()}.`];
  return {
    where: `instr(lower(p.categories), @${key}) > 0 OR instr(lower(p.categories), @${key}Archive) > 0`,
    params: { [key]: whole, [`${key}Archive`]: archive },
  };
}

/** Matches papers for which the user has added a file. */
function isFrom(source: string): Condition {
  if (source.toLowerCase() !== 'own') {
    throw invalidRequest(
      `source:${printable(source)} is unknown: source:own finds your own papers, -source:own all others.`,
      'query',
    );
  }
  const files = 'SELECT paper_id FROM own_file';
  return { where: `p.id < 0 OR ${ownIdIn('p.id')} IN (${files})`, params: {} };
}

export function allOf(conditions: readonly Condition[]): Filter {
  return {
    from: 'paper p',
    id: 'p.id',
    where: conditions.map(({ where }) => `(${where})`).join(' AND ') || 'true',
    params: Object.assign({}, ...conditions.map(({ params }) => params)),
  };
}

export function countUndated(db: Reader): number {
  return countPapers(db, allOf([{ where: "p.published = ''", params: {} }]));
}

export function countPapers(db: Reader, { from, where, params }: Filter): number {
  const count = `SELECT count(*) FROM ${from} WHERE (${where}) AND p.withdrawn = 0`;
  return db.prepare<object, number>(count).pluck().get(params) ?? 0;
}

/** The ids of the newest papers that pass a filter. On the same day, the higher arXiv id is newer. */
export function listNewest(db: Reader, { from, where, params }: Filter, limit: number): number[] {
  return db
    .prepare<object, number>(`
      SELECT p.id FROM ${from}
      WHERE (${where}) AND p.withdrawn = 0
      ORDER BY p.published DESC, p.source_id DESC LIMIT @limit`)
    .pluck()
    .all({ ...params, limit });
}

/*
 * An author is looked up by keys: the surname alone, with the first initial, and with each word
 * before it, such as the "van" of "Jan van der Berg". The index has a column for these keys, so a
 * name is found as fast as a word.
 */

const SUFFIX = /^(?:jr|sr|ii|iii)$/;

/** The keys of an author whose name is written as "Rama Cont" or "Cont, Rama". */
export function authorKeys(name: string): string[] {
  const { first, others, last } = partsOf(name);
  return last === ''
    ? []
    : [...new Set(['', first.charAt(0), ...others])].map((one) => keyOf(last, one));
}

/** A word in a name: a given name, an initial or a surname. */
const NAME = /\p{L}(?:\.|[\p{L}\p{M}'’]*(?:-[\p{L}\p{M}'’]+)*)/gu;
const INITIAL = /^\p{Lu}\.?$/u;

/**
 * The stored authors that a question names, as it spells them: surnames after a given name or
 * initials. If there are none, a name that is the whole question or follows "by" (`after`), but only
 * if at least as many papers are by an author of that name as contain it as a word.
 */
function findAuthors(db: Reader, question: string, after: string): string[] {
  const words = question.match(NAME) ?? [];
  const isMeaningless = (word: string) => isStopWord(word.replace('.', ''));
  // "He" and "An" are also names.
  const isName = (word: string) => /^\p{Lu}\p{Ll}/u.test(word) || !isMeaningless(word);
  const full = words.flatMap((last, at) => {
    if (at === 0 || last.length < 2 || !isName(last)) return [];
    const start = words.slice(0, at).findLastIndex((word) => !INITIAL.test(word)) + 1;
    const given = words.slice(Math.max(0, start - 1), at);
    const froms = [given, words.slice(start < at ? start : Math.max(0, at - 2), at)];
    const isGiven = (word: string) => isName(word) || INITIAL.test(word);
    return froms.filter((some) => some.every(isGiven)).map((some) => [...some, last].join(' '));
  });
  const content = words.filter((word) => !isMeaningless(word));
  const only = content.length > 0 ? content : words;
  const alone = [...(only.length === 1 ? only : []), after];
  const keys = new Map(
    // A name in a non-Latin script has no key.
    [...full, ...alone].flatMap((name) => {
      const { first, last } = partsOf(name);
      return last === '' || (first === '' && /\s/u.test(name)) ? [] : [[name, termOf(last, first)]];
    }),
  );
  const counts = readDocumentFrequencies(db, paperIndex.name, [...keys.values()]);
  const papersOf = (name: string) => counts.get(keys.get(name) ?? '') ?? 0;
  const named = [...new Set(full)].filter((name) => papersOf(name) > 0);
  // A question of stop words only, such as "He", names an author or nothing.
  const isMostlyAuthor = (name: string) =>
    papersOf(name) > 0 && (content.length === 0 || papersOf(name) >= countWithWord(db, name));
  // Not also the "Patrick Kelly" in "Dylan Patrick Kelly".
  const longest = named.filter((name) => !named.some((other) => other.endsWith(` ${name}`)));
  return named.length > 0 ? longest : [...new Set(alone)].filter(isMostlyAuthor);
}

/** The number of papers with a word in title, abstract or tags. */
export function countWithWord(db: Reader, word: string): number {
  const { name } = paperIndex;
  const sql = `SELECT count(*) FROM ${name}_terms WHERE ${name}_terms MATCH @word`;
  const phrase = `{title abstract tags} : "${plainStems(word).join(' ')}"`;
  return db.prepare<object, number>(sql).pluck().get({ word: phrase }) ?? 0;
}

/** Whether a stored author has this name, or its surname and first initial. */
function isAuthor(db: Reader, name: string): boolean {
  const { first, last } = partsOf(name);
  const keys = [first, first.charAt(0)].map((given) => termOf(last, given));
  return last === '' || readDocumentFrequencies(db, paperIndex.name, keys).size > 0;
}

function partsOf(name: string): { first: string; others: string[]; last: string } {
  const inOrder = name
    .replace(/^([^,]+), *(.+)$/u, '$2 $1')
    .replace(/['‘’ʼ]/gu, '')
    .replace(/\.(?=\p{L})/gu, '. ');
  const words = toAscii(inOrder)
    .split(/[^a-z]+/u)
    .filter((word) => word !== '' && !SUFFIX.test(word));
  const others = words.slice(0, -1);
  return { first: others[0] ?? '', others, last: words.at(-1) ?? '' };
}

/**
 * An author's key in the index. Its digits distinguish it from words, and keep the stemmer from
 * stripping an initial such as "s" or "e".
 */
function keyOf(last: string, first: string): string {
  const given = first.length === 1 ? `${first}0` : first;
  return plainStems(`${last}0${given}`)[0] ?? '';
}

/** A key as the index stems it again; a given name that this deletes (Eric) counts as an initial. */
function termOf(last: string, first: string): string {
  const [key = ''] = plainStems(keyOf(last, first));
  return key === keyOf(last, '') ? keyOf(last, first.charAt(0)) : key;
}
