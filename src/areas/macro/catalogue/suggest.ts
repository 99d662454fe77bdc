import { nearest } from '../../../core/input.ts';
import { findBySynonym, type Matchable, matchIndicators, normalise, wordsOf } from './match.ts';

/** More names than this are no hint but a list. */
const MAX_SUGGESTIONS = 3;
/** Two words are of one stem where the shorter has as many letters and begins the longer. */
const MIN_STEM = 3;

/** A series that may be suggested. */
interface Suggestible extends Matchable {
  category: string;
}

/**
 * What a name that no series has may mean, best first: the first of the category that it names, else
 * the series that its words find, else the one whose alias or id is a slip away, else those that
 * share its rarest words.
 */
export function suggestSeries<T extends Suggestible>(rows: readonly T[], name: string): T[] {
  const words = wordsOf(name).filter((word) => word !== 'us' && word.length > 1);
  if (words.length === 0) return [];
  const ofCategory = rows.filter(({ category }) => normalise(category) === words.join(' '));
  if (ofCategory.length > 0) return ofCategory.slice(0, MAX_SUGGESTIONS);
  const meant = matchIndicators(rows, words.join(' '));
  if (meant.length > 0) return meant.slice(0, MAX_SUGGESTIONS);
  const slip = findSlip(rows, name);
  return slip === undefined ? findSharing(rows, words) : [slip];
}

/** An alias has dots and an id has none, so that neither is a slip of the other. */
function findSlip<T extends Matchable>(rows: readonly T[], name: string): T | undefined {
  const nameOf = (row: T) => (name.includes('.') ? bare(row.indicator) : row.seriesId);
  const near = nearest(bare(name), rows.map(nameOf)) ?? nearest(bare(name), rows.map(aliasOf));
  return rows.find((row) => nameOf(row) === near || aliasOf(row) === near);
}

/** All aliases begin alike, which makes short ones look nearer than they are. */
function bare(name: string): string {
  return name.replace(/^us\./, '');
}

function aliasOf(row: Matchable): string {
  return bare(row.indicator);
}

/** The rows that share most with the words; a word counts the less, the more rows have it. */
function findSharing<T extends Matchable>(rows: readonly T[], words: readonly string[]): T[] {
  const scores = new Map<T, number>();
  for (const word of words) {
    const named = findBySynonym(rows, word);
    const shares = rows.map((row) => {
      if (named.length === 0) return closeness(row, word);
      return named.includes(row) ? PART : 0;
    });
    const holders = shares.filter((share) => share > 0).length;
    for (const [index, row] of rows.entries()) {
      const share = shares[index] ?? 0;
      if (share > 0) scores.set(row, (scores.get(row) ?? 0) + share / holders);
    }
  }
  const best = Math.max(...scores.values());
  return rows.filter((row) => scores.get(row) === best).slice(0, MAX_SUGGESTIONS);
}

/** How much a word says of a row: it is a part of the alias, a word of it, or of the title. */
const PART = 3;
const WORD = 2;
const TITLE = 1;

function closeness(row: Matchable, word: string): number {
  if (row.indicator.split('.').includes(word)) return PART;
  if (wordsOf(aliasOf(row)).some((held) => isAkin(held, word))) return WORD;
  return wordsOf(row.title).some((held) => isAkin(held, word)) ? TITLE : 0;
}

function isAkin(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return a === b || (short.length >= MIN_STEM && long.startsWith(short));
}
