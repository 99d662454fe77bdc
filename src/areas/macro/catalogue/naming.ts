import { notFound } from '../../../core/errors.ts';
import { nearest } from '../../../core/input.ts';
import type { SeriesNames } from '../queries.ts';
import type { Matchable } from './entries.ts';
import { findByParts, matchIndicators } from './match.ts';
import { normalise, wordsOf } from './words.ts';

/**
 * The series with that alias, id or title, whichever of the two arguments it came in; a title that two
 * series share names neither. Throws `not_found` with suggestions when there is none.
 */
export function findNamed(
  catalogue: readonly SeriesNames[],
  param: 'indicator' | 'series_id',
  name: string,
): SeriesNames {
  const wanted = normalise(name);
  const isAlias = param === 'indicator';
  const found = catalogue.find(({ indicator, seriesId }) =>
    [indicator, seriesId].some((each) => normalise(each) === wanted),
  );
  const titled = found ? [] : catalogue.filter(({ title }) => normalise(title) === wanted);
  const named = found ?? (titled.length === 1 ? titled[0] : undefined);
  if (named !== undefined) return named;
  const near = suggestSeries(catalogue, wanted).map(
    (series) => `"${isAlias ? series.indicator : series.seriesId}"`,
  );
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  throw notFound(
    `No series in the catalogue has this "${param}".${meant} Find one with macro_indicator_search.`,
    param,
  );
}

/** Most names in a suggestion. */
const MAX_SUGGESTIONS = 3;

interface Suggestible extends Matchable {
  category: string;
}

/**
 * Suggestions for an unknown name, best first: the first series of the category that it names, else
 * those that its words match, else the one whose alias or id is closest by edit distance, else those
 * that its parts name.
 */
export function suggestSeries<T extends Suggestible>(rows: readonly T[], name: string): T[] {
  const words = wordsOf(name).filter((word) => word !== 'us' && word.length > 1);
  if (words.length === 0) return [];
  const ofCategory = rows.filter(({ category }) => normalise(category) === words.join(' '));
  if (ofCategory.length > 0) return ofCategory.slice(0, MAX_SUGGESTIONS);
  const meant = matchIndicators(rows, words.join(' '));
  if (meant.length > 0) return meant.slice(0, MAX_SUGGESTIONS);
  const misspelt = findMisspelt(rows, name);
  return misspelt === undefined
    ? findByParts(rows, words.join(' ')).rows.slice(0, MAX_SUGGESTIONS)
    : [misspelt];
}

/** Aliases have dots and ids have none, so each is compared with its own kind. */
function findMisspelt<T extends Matchable>(rows: readonly T[], name: string): T | undefined {
  const nameOf = (row: T) => (name.includes('.') ? bare(row.indicator) : row.seriesId);
  const near = nearest(bare(name), rows.map(nameOf)) ?? nearest(bare(name), rows.map(aliasOf));
  return rows.find((row) => nameOf(row) === near || aliasOf(row) === near);
}

/** Drops the common prefix, which would make short aliases look closer than they are. */
function bare(name: string): string {
  return name.replace(/^us\./, '');
}

function aliasOf(row: Matchable): string {
  return bare(row.indicator);
}
