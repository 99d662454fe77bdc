import { notFound } from '../../core/errors.ts';
import { nearest } from '../../core/input.ts';
import { type Completer, MAX_COMPLETIONS } from '../../core/resource.ts';
import { foldName } from '../../core/text.ts';
import { isStopWord } from '../../search/tokenise.ts';
import { editsOf } from '../../search/typos.ts';
import { INDICATOR_OF, INDICATORS } from './facts/indicators.ts';
import { listSeries, type SeriesNames } from './queries.ts';

/** The categories of the catalogue, as in the contract. */
export const CATEGORIES = [...new Set(INDICATORS.map(({ category }) => category))];

/** Native cadences, as in the contract. */
export const FREQUENCIES = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'Annual'] as const;

/** The text that catalogue search matches. */
interface Matchable {
  indicator: string;
  seriesId: string;
  title: string;
  /** Null where no figures are stored. */
  observationEnd?: string | null;
}

/** Words in titles and questions that do not distinguish series, besides those without a meaning. */
const FILLERS = new Set('data latest per s series since u us versus vs'.split(' '));
const UNITS: Readonly<Record<string, string>> = { y: 'year', yr: 'year', m: 'month', mo: 'month' };
/** Parts that a series excludes: core prices do not match "food prices". */
const LEFT_OUT = /\b(?:less|excluding|without) .*/iu;

/** "How high is" asks for a figure. */
const HOW = /\bhow (?:big|expensive|far|fast|high|large|low|many|much|strong)\b/gu;

/** The words that distinguish series, in one form: "the 10yr Treasury yields" → 10year treasury yields. */
function wordsOf(text: string): string[] {
  const joined = foldName(text)
    .replace(HOW, '')
    .replace(/['’]/gu, '')
    .replace(/[._]/g, ' ')
    .replace(/\b(\d+)[ -]?(y|yr|year|m|mo|month)s?\b/gu, (_, count, unit) => {
      return `${count}${UNITS[unit] ?? unit}`;
    });
  const words = joined.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !FILLERS.has(word) && !isStopWord(word));
}

function singularsOf(text: string): string[] {
  return [...new Set(wordsOf(text).map(toSingular))];
}

/** The stemmer would take productivity for the product of GDP. */
function toSingular(word: string): string {
  if (/^\p{L}{2,}ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  return /^\p{L}{3,}(?<![sui])s$/u.test(word) ? word.slice(0, -1) : word;
}

/** The same for phrases of the same words. */
function keyOf(words: readonly string[]): string {
  return words.toSorted().join(' ');
}

/** Shorter words have too many neighbours at one edit. */
const MIN_LETTERS = 5;

/** Rows that have a word such as "rate" or "inflation", by which alone a query matches none of them. */
const COMMON = 5;

export interface CatalogueMatches<T> {
  rows: T[];
  /** Rows that contain at least half of the words, where none contains all. */
  isPartial: boolean;
  /** Where no row matches, those with the most words. */
  nearest: T[];
}

/**
 * The rows that match a query, best first: exact names and synonyms, then aliases with a part that
 * begins with it, then rows that contain all its words. Rows with figures come before empty ones. Where
 * nothing matches, one edit in a word of five letters or more is forgiven; then the rows that contain most
 * words, at least half of them, one of which few rows have.
 */
export function searchCatalogue<T extends Matchable>(
  rows: readonly T[],
  query: string,
): CatalogueMatches<T> {
  const words = singularsOf(query);
  if (words.length === 0) return { rows: [], isPartial: false, nearest: [] };
  // Parts are written with underscores; people write "fed funds" and "fed-funds".
  const part = `.${foldName(query).replace(/[ -]/g, '_')}`;
  const vocabulary = new Map<string, number>();
  const ranked = rows.map((row) => {
    const { indicator, seriesId, title, observationEnd } = row;
    const names = [indicator, seriesId, title, ...(INDICATOR_OF.get(seriesId)?.synonyms ?? [])];
    const own = new Set(names.flatMap((name) => singularsOf(name.replace(LEFT_OUT, ''))));
    for (const word of own) vocabulary.set(word, (vocabulary.get(word) ?? 0) + 1);
    const matched = words.filter((word) => own.has(word));
    const missing = words.length - matched.length;
    const isExact = names.some((name) => keyOf(singularsOf(name)) === keyOf(words));
    const isPart = `.${indicator}`.includes(part);
    const emptiness = Number(observationEnd === null);
    // The order: exact or not, with figures or not, part of an alias or words.
    const rank = isExact ? emptiness : 2 + 2 * emptiness + Number(!isPart);
    return { row, rank, matched, missing: isExact || isPart ? 0 : missing };
  });
  const fewest = Math.min(...ranked.map(({ missing }) => missing));
  if (fewest > 0) {
    const written = wordsOf(query);
    const corrected = written.map((word) => correct(word, vocabulary));
    if (corrected.some((word, at) => word !== written[at])) {
      return searchCatalogue(rows, corrected.join(' '));
    }
  }
  const best =
    fewest * 2 > words.length
      ? []
      : ranked.filter(({ missing }) => missing === fewest).toSorted((a, b) => a.rank - b.rank);
  const telling = best.filter(
    ({ missing, matched }) =>
      missing === 0 || matched.some((word) => (vocabulary.get(word) ?? 0) <= COMMON),
  );
  const rowsOf = (some: typeof best) => some.map(({ row }) => row);
  return {
    rows: rowsOf(telling),
    isPartial: telling.length > 0 && fewest > 0,
    nearest: telling.length > 0 ? [] : rowsOf(best),
  };
}

/** Names the unstored series that a query asks for under a name that would find another; '' for none. */
export function describeUnstored(query: string): string {
  const words = singularsOf(query);
  const isTarget =
    words.includes('target') && words.some((word) => /^(?:fed|fund|fomc|rate)$/.test(word));
  return isTarget && !words.includes('inflation')
    ? 'The federal funds target range is not stored: us.rates.fed_funds is the effective rate.'
    : '';
}

/** A word of the catalogue at one edit, for one that it does not have. */
function correct(word: string, vocabulary: ReadonlyMap<string, number>): string {
  if (vocabulary.has(toSingular(word)) || word.length < MIN_LETTERS || /\p{N}/u.test(word))
    return word;
  const variants = [...editsOf(word, 0)].map(([variant]) => variant);
  return variants.find((variant) => vocabulary.has(toSingular(variant))) ?? word;
}

/** Most names in a suggestion. */
const MAX_SUGGESTIONS = 3;

/**
 * The series with that alias, id or title, whichever of the two arguments it came in; a title that two
 * series share names neither. Throws `not_found` with suggestions when there is none.
 */
export function resolveSeries<T extends SeriesNames>(
  catalogue: readonly T[],
  param: 'indicator' | 'series_id',
  name: string,
): T {
  const series = matchSeries(catalogue, name);
  if (series !== undefined) return series;
  const hint = didYouMean(catalogue, name, param);
  throw notFound(
    `No series in the catalogue has this "${param}".${hint} Find one with macro_indicator_search.`,
    param,
  );
}

/** The series with that alias, id or title; undefined where there is none. */
export function matchSeries<T extends SeriesNames>(
  catalogue: readonly T[],
  name: string,
): T | undefined {
  const query = foldName(name);
  const match = catalogue.find(({ indicator, seriesId }) =>
    [indicator, seriesId].some((each) => foldName(each) === query),
  );
  if (match !== undefined) return match;
  const [titled, ...others] = catalogue.filter(({ title }) => foldName(title) === query);
  return others.length === 0 ? titled : undefined;
}

/** A question that names similar series, after a blank; empty where there are none. */
export function didYouMean(
  catalogue: readonly SeriesNames[],
  name: string,
  param: 'indicator' | 'series_id',
): string {
  const near = suggestSeries(catalogue, foldName(name)).map(
    (series) => `"${param === 'indicator' ? series.indicator : series.seriesId}"`,
  );
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}

/** The results of a search; if only some of the words match, also an alias or id near by edit distance. */
function suggestSeries(catalogue: readonly SeriesNames[], query: string): SeriesNames[] {
  const { rows, isPartial, nearest: partial } = searchCatalogue(catalogue, query);
  const names = catalogue.flatMap(({ indicator, seriesId }) => [indicator, seriesId]);
  const slip = isPartial || rows.length === 0 ? nearest(query, names) : undefined;
  const misspelt = catalogue.filter((row) => [row.indicator, row.seriesId].includes(slip ?? ''));
  return [...misspelt, ...(misspelt.length > 0 ? [] : [...rows, ...partial])].slice(
    0,
    MAX_SUGGESTIONS,
  );
}

/** Aliases that begin as typed, with or without "us.", those that a search finds, then those with such a word or FRED id. */
export const completeIndicator: Completer = (typed, { db }) => {
  const catalogue = listSeries(db);
  const query = foldName(typed);
  const begun = catalogue.filter(
    ({ indicator }) => indicator.startsWith(query) || indicator.startsWith(`us.${query}`),
  );
  const within = catalogue.filter(({ indicator, seriesId }) =>
    [seriesId.toLowerCase(), ...indicator.split(/[._]/)].some((name) => name.startsWith(query)),
  );
  const matches = query === '' ? [] : searchCatalogue(catalogue, typed).rows;
  const aliases = new Set([...begun, ...matches, ...within].map(({ indicator }) => indicator));
  return [...aliases].slice(0, MAX_COMPLETIONS + 1);
};

/** The categories that begin as typed, then the same. */
export const completeTopic: Completer = (typed, shelf, chosen) => {
  const categories = CATEGORIES.filter((each) => each.toLowerCase().startsWith(foldName(typed)));
  return [...categories, ...completeIndicator(typed, shelf, chosen)];
};
