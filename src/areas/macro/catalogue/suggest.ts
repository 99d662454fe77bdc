import { nearest } from '../../../core/input.ts';
import { findByParts, type Matchable, matchIndicators } from './match.ts';
import { normalise, wordsOf } from './words.ts';

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
  if (misspelt !== undefined) return [misspelt];
  return findByParts(rows, words.join(' ')).rows.slice(0, MAX_SUGGESTIONS);
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
