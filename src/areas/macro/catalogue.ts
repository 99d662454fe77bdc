import { notFound } from '../../core/errors.ts';
import { nearest } from '../../core/input.ts';
import { type Completer, MAX_COMPLETIONS } from '../../core/resource.ts';
import { foldName } from '../../core/text.ts';
import { INDICATOR_OF } from './agencies/indicators.ts';
import { listSeries, type SeriesNames } from './queries.ts';

/** The categories of the catalogue, as in the contract. */
export const CATEGORIES = [
  'Inflation',
  'Rates',
  'Labor',
  'Growth',
  'Housing',
  'Liquidity',
  'Conditions',
  'FX',
  'Credit',
  'Sentiment',
  'Energy',
  'Inflation Expectations',
  'Consumption',
] as const;

/** Native cadences, as in the contract. */
export const FREQUENCIES = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'Annual'] as const;

/** What catalogue search matches against. */
interface Matchable {
  indicator: string;
  seriesId: string;
  title: string;
  /** Null where no figures are stored. */
  observationEnd?: string | null;
}

/** Words that tell no series from another. */
const FILLERS = new Set(
  'a an and at by data for from in is latest of on or per series since the to u s us versus vs'.split(
    ' ',
  ),
);
const UNITS: Readonly<Record<string, string>> = { y: 'year', yr: 'year', m: 'month', mo: 'month' };
/** What a series is without: core prices are no match for "food prices". */
const LEFT_OUT = /\b(?:less|excluding|without) .*/iu;
/** Shorter words have too many neighbours at one edit. */
const MIN_LETTERS = 5;

/** The words that tell series apart, in one form: "the 10yr Treasury yields" → 10year treasury yield. */
function wordsOf(text: string): string[] {
  const joined = foldName(text)
    .replace(/['’]/gu, '')
    .replace(/[._]/g, ' ')
    .replace(/\b(\d+)[ -]?(y|yr|year|m|mo|month)s?\b/gu, (_, count, unit) => {
      return `${count}${UNITS[unit] ?? unit}`;
    });
  const words = joined.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => !FILLERS.has(word)).map(toSingular))];
}

function toSingular(word: string): string {
  if (/^\p{L}{2,}ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  return /^\p{L}{3,}(?<![sui])s$/u.test(word) ? word.slice(0, -1) : word;
}

/** The same for phrases of the same words. */
function keyOf(words: readonly string[]): string {
  return words.toSorted().join(' ');
}

interface Entry<T> {
  row: T;
  names: ReadonlySet<string>;
  words: ReadonlySet<string>;
}

function toEntry<T extends Matchable>(row: T): Entry<T> {
  const { indicator, seriesId, title } = row;
  const synonyms = INDICATOR_OF.get(seriesId)?.synonyms ?? [];
  const names = [indicator, seriesId, title, ...synonyms];
  return {
    row,
    names: new Set(names.map((name) => keyOf(wordsOf(name)))),
    words: new Set(names.flatMap((name) => wordsOf(name.replace(LEFT_OUT, '')))),
  };
}

/**
 * The rows that match a query, best first: exact names and synonyms, then aliases with a part that
 * begins with it, then rows that contain all its words. Rows with figures come before empty ones. Where
 * nothing matches, one edit in a word of five letters or more is forgiven; then the rows that contain most
 * words, at least half of them. `isPartial` if only those did.
 */
export function searchCatalogue<T extends Matchable>(
  rows: readonly T[],
  query: string,
): { rows: T[]; isPartial: boolean } {
  const entries = rows.map(toEntry);
  const whole = matchAll(entries, foldName(query), wordsOf(query));
  if (whole.length > 0) return { rows: whole, isPartial: false };
  const words = correct(wordsOf(query), new Set(entries.flatMap((entry) => [...entry.words])));
  const corrected = matchAll(entries, words.join(' '), words);
  if (corrected.length > 0) return { rows: corrected, isPartial: false };
  const counts = entries.map((entry) => words.filter((word) => entry.words.has(word)).length);
  const most = Math.max(0, ...counts);
  const isEnough = most > 0 && most * 2 >= words.length;
  const best = entries.filter((_, index) => isEnough && counts[index] === most);
  return { rows: filledFirst(best.map(({ row }) => row)), isPartial: true };
}

function matchAll<T extends Matchable>(
  entries: readonly Entry<T>[],
  query: string,
  words: readonly string[],
): T[] {
  const key = keyOf(words);
  // Parts are written with underscores; people write "fed funds" and "fed-funds".
  const part = `.${query.replace(/[ -]/g, '_')}`;
  const rankOf = ({ row, names, words: stored }: Entry<T>) => {
    if (key !== '' && names.has(key)) return 0;
    if (words.length === 0) return 3;
    if (`.${row.indicator}`.includes(part)) return 1;
    return words.every((word) => stored.has(word)) ? 2 : 3;
  };
  const ranks = entries.map((entry) => ({ row: entry.row, rank: rankOf(entry) }));
  const ofRank = (rank: number) => ranks.filter((each) => each.rank === rank).map(({ row }) => row);
  return [...filledFirst(ofRank(0)), ...filledFirst([...ofRank(1), ...ofRank(2)])];
}

function filledFirst<T extends Matchable>(rows: readonly T[]): T[] {
  const emptiness = (row: T) => Number(row.observationEnd === null);
  return rows.toSorted((a, b) => emptiness(a) - emptiness(b));
}

/** `words` with each unknown one replaced by a known one at one edit, where there is one. */
function correct(words: readonly string[], vocabulary: ReadonlySet<string>): string[] {
  return words.map((word) => {
    if (vocabulary.has(word) || word.length < MIN_LETTERS || /\p{N}/u.test(word)) return word;
    return [...vocabulary].find((each) => each.length > 3 && isOneEdit(word, each)) ?? word;
  });
}

/** Whether two different words are one edit apart; two neighbours swapped count as one. */
function isOneEdit(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const [x, y] = [a.slice(same), b.slice(same)];
  const edits = [x.slice(1), `${y[0]}${x.slice(1)}`, `${y[0]}${x}`, `${x[1]}${x[0]}${x.slice(2)}`];
  return a !== b && edits.includes(y);
}

/** Most names in a suggestion. */
const MAX_SUGGESTIONS = 3;

/**
 * The series with that alias, id or title, whichever of the two arguments it came in; a title that two
 * series share names neither. Throws `not_found` with suggestions when there is none.
 */
export function resolveSeries(
  catalogue: readonly SeriesNames[],
  param: 'indicator' | 'series_id',
  name: string,
): SeriesNames {
  const query = foldName(name);
  const match = catalogue.find(({ indicator, seriesId }) =>
    [indicator, seriesId].some((each) => foldName(each) === query),
  );
  if (match !== undefined) return match;
  const [titled, ...others] = catalogue.filter(({ title }) => foldName(title) === query);
  if (titled !== undefined && others.length === 0) return titled;
  const near = suggestSeries(catalogue, query).map(
    (series) => `"${param === 'indicator' ? series.indicator : series.seriesId}"`,
  );
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  throw notFound(
    `No series in the catalogue has this "${param}".${hint} Find one with macro_indicator_search.`,
    param,
  );
}

/** What a search finds, else the series whose alias or id is near by edit distance. */
function suggestSeries(rows: readonly SeriesNames[], name: string): SeriesNames[] {
  const query = bare(name);
  const matches = searchCatalogue(rows, query.replace(/[._-]/g, ' '));
  if (!matches.isPartial) return matches.rows.slice(0, MAX_SUGGESTIONS);
  // Aliases have dots and ids have none, so each is compared with its own kind.
  const nameOf = (row: SeriesNames) => (name.includes('.') ? bare(row.indicator) : row.seriesId);
  const near = nearest(query, rows.map(nameOf));
  const misspelt = rows.filter((row) => near !== undefined && nameOf(row) === near);
  return (misspelt.length > 0 ? misspelt : matches.rows).slice(0, MAX_SUGGESTIONS);
}

/** Drops the common prefix, which would make short aliases look closer than they are. */
function bare(name: string): string {
  return name.replace(/^us\./, '');
}

/** Aliases that begin as typed, with or without "us.", then those that a search finds. */
export const completeIndicator: Completer = (typed, { db }) => {
  const catalogue = listSeries(db);
  const query = foldName(typed);
  const begun = catalogue.filter(
    ({ indicator }) => indicator.startsWith(query) || indicator.startsWith(`us.${query}`),
  );
  const matches = query === '' ? [] : searchCatalogue(catalogue, typed).rows;
  const aliases = new Set([...begun, ...matches].map(({ indicator }) => indicator));
  return [...aliases].slice(0, MAX_COMPLETIONS + 1);
};

/** The categories that begin as typed, then the same. */
export const completeTopic: Completer = (typed, shelf, chosen) => {
  const categories = CATEGORIES.filter((each) => each.toLowerCase().startsWith(foldName(typed)));
  return [...categories, ...completeIndicator(typed, shelf, chosen)];
};
