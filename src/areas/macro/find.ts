import { notFound } from '../../core/errors.ts';
import { nearest, printable } from '../../core/input.ts';
import { type Completer, MAX_COMPLETIONS } from '../../core/resource.ts';
import { foldName } from '../../core/text.ts';
import { isStopWord } from '../../search/tokenise.ts';
import { INDICATOR_OF, INDICATORS } from './facts/indicators.ts';
import { listSeries, type SeriesNames } from './queries.ts';

/** The categories, in catalogue order. */
export const CATEGORIES = [...new Set(INDICATORS.map(({ category }) => category))];

export const FREQUENCIES = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'Annual'] as const;

/** The fields that a search reads; `observationEnd` is null if no figures are stored. */
type Matchable = SeriesNames & { observationEnd?: string | null };

/** Words in titles and questions that do not distinguish series, in addition to stop words. */
const FILLERS = new Set('data fred latest per s series since u us versus vs'.split(' '));
const NUMBERS: Readonly<Record<string, string>> = {
  one: '1',
  two: '2',
  three: '3',
  five: '5',
  seven: '7',
  ten: '10',
  twenty: '20',
  thirty: '30',
};
const IN_WORDS = new RegExp(`\\b(?:${Object.keys(NUMBERS).join('|')})\\b`, 'gu');
const UNITS: Readonly<Record<string, string>> = { y: 'year', yr: 'year', m: 'month', mo: 'month' };
/** What a series excludes; if that were matched, "food prices" would find core prices. */
const LEFT_OUT = /\b(?:less|excluding|without) .*/iu;

/** "How high is …" asks for a figure, not for high yields. */
const HOW = /\bhow (?:big|expensive|far|fast|high|large|low|many|much|strong)\b/gu;

/** The distinguishing words, normalised: "the ten-yr Treasury yields" becomes 10year treasury yields. */
function wordsOf(text: string): string[] {
  const joined = foldName(text)
    .replace(HOW, '')
    .replace(/['’]/gu, '')
    .replace(/[._]/g, ' ')
    .replace(IN_WORDS, (number) => NUMBERS[number] ?? number)
    .replace(/\b(\d+)[ -]?(y|yr|year|m|mo|month)s?\b/gu, (_, count, unit) => {
      return `${count}${UNITS[unit] ?? unit}`;
    });
  const words = joined.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !FILLERS.has(word) && !isStopWord(word));
}

function singularsOf(text: string): string[] {
  return [...new Set(wordsOf(text).map(toSingular))];
}

/** Handles only plurals: a stemmer would conflate "productivity" with the "product" in GDP. */
function toSingular(word: string): string {
  if (/^\p{L}{2,}ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  return /^\p{L}{3,}(?<![sui])s$/u.test(word) ? word.slice(0, -1) : word;
}

function namesOf({ indicator, seriesId, title }: SeriesNames): string[] {
  return [indicator, seriesId, title, ...(INDICATOR_OF.get(seriesId)?.synonyms ?? [])];
}

/** The same words in any order have the same key. */
function keyOf(words: readonly string[]): string {
  return words.toSorted().join(' ');
}

/** A shorter word is one edit away from too many others. */
const MIN_CORRECTED = 5;
/** A shorter prefix matches too many words. */
const MIN_BEGINNING = 3;
/** A word in more rows than this, such as "rate", is too common to match on its own. */
const COMMON = 5;

export interface CatalogueMatches<T> {
  rows: T[];
  /** True if `rows` contain only some of the query's words, though at least half. */
  isPartial: boolean;
  /** If no row matches, those with the most query words: at least half, and one in the alias or category. */
  nearest: T[];
}

/**
 * The rows that match a query by a name or synonym, by an alias part that begins with it, or by all
 * its words; otherwise those with the largest number of its words: at least half, and one of them rare. Exact
 * matches come first, then rows with figures. A word that no row contains may be a prefix or a
 * misspelling.
 */
export function searchCatalogue<T extends Matchable>(
  rows: readonly T[],
  query: string,
): CatalogueMatches<T> {
  const entries = rows.map((row) => {
    const names = namesOf(row);
    const own = new Set(names.flatMap((name) => singularsOf(name.replace(LEFT_OUT, ''))));
    return { row, own, keys: names.map((name) => keyOf(singularsOf(name))) };
  });
  const vocabulary = new Set(entries.flatMap(({ own }) => [...own]));
  const words = singularsOf(query).map((word) => formsOf(word, vocabulary));
  if (words.length === 0) return { rows: [], isPartial: false, nearest: [] };
  const key = keyOf(words.map(([form = '', ...others]) => (others.length > 0 ? '' : form)));
  // Aliases have underscores where people type "fed funds" or "fed-funds".
  const part = `.${foldName(query).replace(/[ -]/g, '_')}`;
  const hasWord = (forms: readonly string[]) => (entry: (typeof entries)[number]) =>
    forms.some((form) => entry.own.has(form));
  const isRare = (forms: readonly string[]) => entries.filter(hasWord(forms)).length <= COMMON;
  const ranked = entries.map((entry) => {
    const isExact = entry.keys.includes(key);
    const isPart = `.${entry.row.indicator}`.includes(part);
    const matched = words.filter((forms) => hasWord(forms)(entry));
    const missing = isExact || isPart ? 0 : words.length - matched.length;
    const emptiness = Number(entry.row.observationEnd === null);
    return {
      row: entry.row,
      missing,
      // Exact matches precede rows with figures, which precede empty rows; alias matches precede word matches.
      rank: isExact ? emptiness : 2 + 2 * emptiness + Number(!isPart),
      isMatch: missing === 0 || matched.some(isRare),
    };
  });
  const fewest = Math.min(...ranked.map(({ missing }) => missing));
  const best = ranked
    .filter(({ missing }) => missing === fewest && missing * 2 <= words.length)
    .toSorted((a, b) => a.rank - b.rank);
  const matches = best.filter(({ isMatch }) => isMatch).map(({ row }) => row);
  const isNear = ({ indicator, seriesId }: SeriesNames) => {
    const subject = singularsOf(`${indicator} ${INDICATOR_OF.get(seriesId)?.category}`);
    return words.flat().some((word) => subject.includes(word));
  };
  return {
    rows: matches,
    isPartial: matches.length > 0 && fewest > 0,
    nearest: matches.length > 0 ? [] : best.map(({ row }) => row).filter(isNear),
  };
}

/** The words that a query word may mean: itself, else those that begin with it, else the nearest one. */
function formsOf(word: string, vocabulary: ReadonlySet<string>): string[] {
  if (vocabulary.has(word)) return [word];
  const begun = [...vocabulary].filter(
    (each) => word.length >= MIN_BEGINNING && each.startsWith(word),
  );
  if (begun.length > 0) return begun;
  const isCorrected = word.length >= MIN_CORRECTED && !/\p{N}/u.test(word);
  return [(isCorrected ? nearest(word, [...vocabulary]) : undefined) ?? word];
}

const MAX_SUGGESTIONS = 3;

/**
 * The series with this alias, id or title; `param` affects only the error. A title that two series
 * share matches neither. Throws `not_found`, with suggestions, if no series matches.
 */
export function resolveSeries<T extends SeriesNames>(
  catalogue: readonly T[],
  param: 'indicator' | 'series_id',
  name: string,
): T {
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
    `No series in the catalogue is called "${printable(name)}".${hint} Find one with macro_indicator_search.`,
    param,
  );
}

/**
 * The search results that match every word. If there are none, the series whose alias or id is nearest
 * by edit distance; failing that, partial matches.
 */
function suggestSeries(catalogue: readonly SeriesNames[], query: string): SeriesNames[] {
  const { rows, isPartial, nearest: partial } = searchCatalogue(catalogue, query);
  const names = catalogue.flatMap(({ indicator, seriesId }) => [indicator, seriesId]);
  const slip = isPartial || rows.length === 0 ? nearest(query, names) : undefined;
  const misspelt = catalogue.filter((row) => [row.indicator, row.seriesId].includes(slip ?? ''));
  const words = singularsOf(query);
  // A short prefix, such as "foo" of "food", is no hint.
  const isNear = (row: SeriesNames) => {
    const known = singularsOf(namesOf(row).join(' '));
    return words.some((word) => word.length > MIN_BEGINNING || known.includes(word));
  };
  const suggestions = misspelt.length > 0 ? misspelt : [...rows, ...partial].filter(isNear);
  return suggestions.slice(0, MAX_SUGGESTIONS);
}

/**
 * Aliases with the typed prefix, with or without "us."; then search results; then series in which an
 * alias word or the FRED id has that prefix.
 */
export const completeIndicator: Completer = (typed, { db }) => {
  const catalogue = listSeries(db);
  const query = foldName(typed);
  const startingWith = (namesOf: (series: SeriesNames) => string[]) =>
    catalogue.filter((series) => namesOf(series).some((name) => name.startsWith(query)));
  const prefixed = startingWith(({ indicator }) => [indicator, indicator.replace('us.', '')]);
  const matches = query === '' ? [] : searchCatalogue(catalogue, typed).rows;
  const others = startingWith(({ indicator, seriesId }) => [
    seriesId.toLowerCase(),
    ...indicator.split(/[._]/),
  ]);
  const aliases = new Set([...prefixed, ...matches, ...others].map(({ indicator }) => indicator));
  return [...aliases].slice(0, MAX_COMPLETIONS + 1);
};

/** Categories with the typed prefix, then aliases. */
export const completeTopic: Completer = (typed, shelf, chosen) => {
  const categories = CATEGORIES.filter((each) => each.toLowerCase().startsWith(foldName(typed)));
  return [...categories, ...completeIndicator(typed, shelf, chosen)];
};
