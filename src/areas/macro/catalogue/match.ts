import absent from '../../../../data/macro-absent.json' with { type: 'json' };
import synonyms from '../../../../data/macro-synonyms.json' with { type: 'json' };
import { gistOf } from '../../../store/search/query/gist.ts';
import {
  correctSpelling,
  keyWordsOf,
  normalise,
  QUALIFIERS,
  VAGUE,
  withoutMovements,
  wordsOf,
} from './words.ts';

/** The fields that catalogue search matches against. */
export interface Matchable {
  indicator: string;
  seriesId: string;
  title: string;
  /** Null where no figures are held. */
  observationEnd?: string | null;
}

/** The reviewed synonyms by their key words. */
const SYNONYMS = byKeyWords(synonyms);
/** What the catalogue lacks, with the nearest that it holds. */
const ABSENT = byKeyWords(absent);
const PHRASE_WORDS = [...SYNONYMS.keys(), ...ABSENT.keys()].flatMap((key) => key.split(' '));

/** What joins several indicators: "interest on reserves" is one. */
const JOINED = /[,&+/]|\b(?:and|or|vs|versus|against|with|plus|minus)\b/iu;
const NOT = /[\s,]+(?:(?:but |and )?not|except|other than)\s+/iu;
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
  const given = keyWordsOf(query);
  if ([...ABSENT.keys()].some((key) => takeAll([...given], key.split(' ')))) return [];
  const asked = withoutMovements(given);
  for (const words of [asked, ...correctSpelling(asked, vocabularyOf(rows))]) {
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
  const meant = [...ofAliases(rows, SYNONYMS.get(keyOf(wanted))), ...ofRank(1), ...ofRank(2)];
  const rest = ABSENT.has(keyOf(wanted)) ? [] : heldFirst(meant);
  return [...new Set([...heldFirst(ofRank(0)), ...rest])];
}

/**
 * The rows whose series id, in capitals, stands in a longer query or in an address of FRED; not an id
 * that is also a word: "SOFR curve".
 */
function findSeriesIds<T extends Matchable>(rows: readonly T[], query: string): T[] {
  const words = new Set(query.match(/[A-Z0-9]{3,}/g));
  return rows.filter(
    ({ indicator, seriesId }) => words.has(seriesId) && !indicator.includes(seriesId.toLowerCase()),
  );
}

/** 0 exact, 1 prefix of an alias part, 2 all words, 3 no match. */
function rankOf(row: Matchable, wanted: string, asked: readonly string[]): number {
  if ([row.indicator, row.seriesId, row.title].some((name) => normalise(name) === wanted)) return 0;
  // Parts are written with underscores; people write "fed funds" and "fed-funds".
  const key = wanted.replace(/[ -]/g, '_');
  if (`.${row.indicator}`.includes(`.${key}`)) return 1;
  const isExcluding = asked.includes('less') || asked.includes('excluding');
  const held = isExcluding ? rowWords(row) : subjectWords(row);
  return asked.length > 0 && asked.every((word) => held.includes(word)) ? 2 : 3;
}

/** Also as they are written: "10y" and "10" as well as "10year". */
function rowWords({ indicator, seriesId, title }: Matchable): string[] {
  const words = keyWordsOf(`${indicator} ${title} ${seriesId}`);
  return [...words, ...wordsOf(indicator), ...(title.match(/\d+/g) ?? [])];
}

/** Those of its subject, not of what it is without: no "food prices". */
const subjectWords = (row: Matchable): string[] =>
  rowWords({ ...row, title: row.title.replace(LEFT_OUT, '') });

function vocabularyOf(rows: readonly Matchable[]): ReadonlySet<string> {
  return new Set([...rows.flatMap(rowWords), ...PHRASE_WORDS, ...QUALIFIERS]);
}

function heldFirst<T extends Matchable>(rows: readonly T[]): T[] {
  const emptiness = (row: T) => Number(row.observationEnd === null);
  return rows.toSorted((a, b) => emptiness(a) - emptiness(b));
}

/** The rows with these aliases, in their order. */
function ofAliases<T extends Matchable>(rows: readonly T[], aliases: readonly string[] = []): T[] {
  return aliases.flatMap((alias) => rows.filter((row) => row.indicator === alias));
}

/** What a search of the catalogue finds. */
export interface Found<T> {
  rows: T[];
  /** Words, such as "revisions", that belong to no row. */
  unmatched: readonly string[];
  /** Where there are no rows, the indicators that parts of the query name, or the nearest to `isAbsent`. */
  near: T[];
  /** The query names what the catalogue lacks. */
  isAbsent: boolean;
}

/**
 * The rows that match a query, without the sentences around it if need be; else those that its parts
 * name, without words for what no series is. Without a query, all rows.
 */
export function searchCatalogue<T extends Matchable>(
  rows: readonly T[],
  query: string | undefined,
): Found<T> {
  const nothing = { rows: [], unmatched: [], near: [], isAbsent: false };
  if (query === undefined) return { ...nothing, rows: [...rows] };
  const whole = matchIndicators(rows, query);
  if (whole.length > 0) return { ...nothing, rows: whole };
  const asked = gistOf(query, true);
  if (asked.length < query.length) return searchCatalogue(rows, asked);
  const { isWhole, ...named } = findByParts(rows, asked);
  return isWhole ? { ...named, near: [] } : { ...named, rows: [], near: named.rows };
}

/**
 * The first indicators that each part of a query names, for a query of which no indicator matches
 * all, in the order of the query; the longest phrases first, and no word belongs to two parts. `isWhole`
 * if the query joins several ("house prices and mortgage rates") and every word belongs to one, or if all
 * name the same, and other words stand in its name.
 */
export function findByParts<T extends Matchable>(
  rows: readonly T[],
  query: string,
): Omit<Found<T>, 'near'> & { isWhole: boolean } {
  const given = keyWordsOf(query);
  const asked = correctSpelling(given, vocabularyOf(rows))[0] ?? given;
  const left = [...asked];
  const placeOf = (key: string) => Math.max(...key.split(' ').map((word) => asked.indexOf(word)));
  const parts = phrasesOf(rows)
    .filter((key) => takeAll(left, key.split(' ')))
    .sort((a, b) => placeOf(a) - placeOf(b));
  const held = parts
    .filter((key) => !ABSENT.has(key))
    .map((key) => (SYNONYMS.has(key) ? ofAliases(rows, SYNONYMS.get(key)) : lookUp(rows, key)));
  const lacking = parts.flatMap((key) => ABSENT.get(key) ?? []);
  const isJoined = JOINED.test(query);
  const isAbsent = held.length < parts.length && (held.length === 0 || !isJoined);
  const rest = withoutMovements(left).filter((word) => !QUALIFIERS.has(word));
  const common = (held[0] ?? [])
    .filter((row) => held.every((some) => some.includes(row)))
    .filter((row) => rest.length === 0 || takeAll(subjectWords(row), rest));
  const isWhole =
    held.length === parts.length && (isJoined ? rest.length === 0 : common.length > 0);
  const each = held.flatMap((some) => some.slice(0, MOST_OF_PART));
  const found = isAbsent ? ofAliases(rows, lacking) : isWhole && !isJoined ? common : each;
  return {
    rows: [...new Set(found)],
    unmatched: left.filter((word) => QUALIFIERS.has(word)),
    isWhole,
    isAbsent,
  };
}

/** The phrases that name series, as keys, those of most words first. */
function phrasesOf(rows: readonly Matchable[]): string[] {
  const names = rows.flatMap((row) => [row.indicator, row.seriesId, ...row.indicator.split('.')]);
  return [...ABSENT.keys(), ...SYNONYMS.keys(), ...names.map(keyOf)]
    .filter((key) => !VAGUE.has(key))
    .sort((a, b) => b.split(' ').length - a.split(' ').length);
}

/** Takes `words` out of `left`, if all of them are there. */
function takeAll(left: string[], words: readonly string[]): boolean {
  const rest = [...left];
  for (const word of words) {
    if (!rest.includes(word)) return false;
    rest.splice(rest.indexOf(word), 1);
  }
  left.splice(0, left.length, ...rest);
  return true;
}

function byKeyWords(
  phrases: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(phrases).map(([phrase, aliases]) => [keyOf(phrase), aliases]));
}

/** Two phrases with the same key words, in any order, mean the same. */
function keyOf(phrase: string): string {
  return keyWordsOf(phrase).sort().join(' ');
}
