import synonyms from '../../../../data/macro-synonyms.json' with { type: 'json' };
import { correctSpelling, keyWordsOf, normalise, withoutMovements, wordsOf } from './words.ts';

/** The fields that catalogue search matches against. */
export interface Matchable {
  indicator: string;
  seriesId: string;
  title: string;
  /** Null where no figures are held. */
  observationEnd?: string | null;
}

/** The reviewed synonyms by their key words. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(synonyms).map(([phrase, aliases]) => [keyOf(phrase), aliases]),
);
const SYNONYM_WORDS: readonly string[] = Object.keys(synonyms).flatMap(keyWordsOf);

/** What joins several indicators: "interest on reserves" is one. */
const JOINED = /[,&+/]|\b(?:and|or|vs|versus|against|with|plus)\b/iu;
/** Alone they name too much: "price" in "price of gold". */
const VAGUE: ReadonlySet<string> = new Set(['consumer', 'pay', 'price', 'rate', 'real', 'spread']);
const NOT = /[\s,]+(?:(?:but |and )?not|except|other than)\s+/iu;
/** What an index is without is not its subject: "food prices". */
const LEFT_OUT = /\b(?:less|excluding) .*/iu;
/** Most indicators that a part of a query brings. */
const MOST_OF_PART = 2;

/**
 * The rows that match a query, best first: exact names; what the reviewed synonyms give; aliases with
 * a part that starts with the query; rows that contain all its words. Rows with figures come before
 * empty ones, exact names before both. Where nothing matches, words such as "rising" are left out, and
 * one edit per word is forgiven.
 */
export function matchIndicators<T extends Matchable>(rows: readonly T[], query: string): T[] {
  const [wanted = '', denied = ''] = query.split(NOT);
  const out = keyWordsOf(denied);
  if (out.length > 0 && keyWordsOf(wanted).length > 0) {
    return matchIndicators(rows, wanted).filter((row) => {
      const held = rowWords(row);
      return !out.every((word) => held.includes(word));
    });
  }
  const found = lookUp(rows, normalise(query));
  if (found.length > 0) return found;
  const named = findSeriesIds(rows, query);
  if (named.length > 0) return named;
  const vocabulary = new Set([...rows.flatMap(rowWords), ...SYNONYM_WORDS]);
  const asked = withoutMovements(keyWordsOf(query));
  for (const words of [asked, ...correctSpelling(asked, vocabulary)]) {
    const meant = words.length === 0 ? [] : lookUp(rows, words.join(' '));
    if (meant.length > 0) return meant;
  }
  return [];
}

function lookUp<T extends Matchable>(rows: readonly T[], wanted: string): T[] {
  const asked = keyWordsOf(wanted);
  const ranked = rows.map((row) => ({ row, rank: rankOf(row, wanted, asked) }));
  const ofRank = (wantedRank: number) =>
    ranked.filter(({ rank }) => rank === wantedRank).map(({ row }) => row);
  const rest = [...findBySynonym(rows, wanted), ...ofRank(1), ...ofRank(2)];
  return [...new Set([...heldFirst(ofRank(0)), ...heldFirst(rest)])];
}

/** The rows whose series id, in capitals, stands in a longer query or in an address of FRED. */
function findSeriesIds<T extends Matchable>(rows: readonly T[], query: string): T[] {
  const words = new Set(query.match(/[A-Z0-9]{3,}/g));
  return rows.filter(({ seriesId }) => words.has(seriesId));
}

/** 0 exact, 1 prefix of an alias part, 2 all words, 3 no match. */
function rankOf(row: Matchable, wanted: string, asked: readonly string[]): number {
  if ([row.indicator, row.seriesId, row.title].some((name) => normalise(name) === wanted)) return 0;
  // Parts are written with underscores; people write "fed funds" and "fed-funds".
  const key = wanted.replace(/[ -]/g, '_');
  if (`.${row.indicator}`.includes(`.${key}`)) return 1;
  const isExcluding = asked.some((word) => word === 'less' || word === 'excluding');
  const held = rowWords(isExcluding ? row : { ...row, title: row.title.replace(LEFT_OUT, '') });
  return asked.length > 0 && asked.every((word) => held.includes(word)) ? 2 : 3;
}

/** Aliases also as they are written: "10y" as well as "10 year". */
function rowWords({ indicator, title, seriesId }: Matchable): string[] {
  return [...keyWordsOf(`${indicator} ${title} ${seriesId}`), ...wordsOf(indicator)];
}

function heldFirst<T extends Matchable>(rows: readonly T[]): T[] {
  const isEmpty = (row: T) => row.observationEnd === null;
  return [...rows.filter((row) => !isEmpty(row)), ...rows.filter(isEmpty)];
}

/** The rows that the reviewed synonyms give for a query, in their order. */
function findBySynonym<T extends Matchable>(rows: readonly T[], query: string): T[] {
  const aliases = SYNONYMS.get(keyOf(query)) ?? [];
  return aliases.flatMap((alias) => rows.filter((row) => row.indicator === alias));
}

/**
 * The first indicators that each part of a query names, for a query of which no indicator matches
 * all; the longest part first. No word belongs to two parts. `isWhole` if every word of the query
 * belongs to one, and the query joins several: "house prices and mortgage rates".
 */
export function findByParts<T extends Matchable>(
  rows: readonly T[],
  query: string,
): { rows: T[]; isWhole: boolean } {
  const asked = keyWordsOf(query);
  const left = new Set(asked);
  const found = phrasesWithin(asked, rows).flatMap((words) => {
    if (!words.every((word) => left.has(word))) return [];
    for (const word of words) left.delete(word);
    return lookUp(rows, words.join(' ')).slice(0, MOST_OF_PART);
  });
  return {
    rows: [...new Set(found)],
    isWhole: withoutMovements([...left]).length === 0 && JOINED.test(query),
  };
}

/** The phrases that name series and whose words all stand in a query, those of most words first. */
function phrasesWithin(asked: readonly string[], rows: readonly Matchable[]): string[][] {
  const aliases = rows.flatMap(({ indicator }) => [indicator, ...indicator.split('.')]);
  const phrases = [...SYNONYMS.keys(), ...aliases.map(keyOf)].map((phrase) => phrase.split(' '));
  return phrases
    .filter((words) => words.every((word) => asked.includes(word)))
    .filter((words) => words.some((word) => !VAGUE.has(word)))
    .sort((a, b) => b.length - a.length);
}

/** Two phrases with the same key words, in any order, mean the same. */
function keyOf(phrase: string): string {
  return keyWordsOf(phrase).sort().join(' ');
}
