import {
  type Catalogue,
  catalogueOf,
  type Entry,
  keyOf,
  type Matchable,
  readLists,
} from './entries.ts';
import {
  correctSpelling,
  keyWordsOf,
  normalise,
  QUALIFIERS,
  VAGUE,
  withoutMovements,
} from './words.ts';

/** What joins several indicators: "interest on reserves" is one. */
const JOINED = /[,&+/]|\b(?:and|or|vs|versus|against|with|plus|minus)\b/iu;
const NOT = /[\s,]+(?:(?:but |and )?not|except|other than)\s+/iu;
/** Most indicators that a part of a query brings. */
const MOST_OF_PART = 2;

/**
 * The rows that match a query, best first: exact names; what the reviewed synonyms give; aliases with
 * a part that starts with the query; rows that contain all its words. Rows with figures come before
 * empty ones, exact names before both. Where nothing matches, words such as "rising" are left out, and
 * one edit per word is forgiven.
 */
export function matchIndicators<T extends Matchable>(rows: readonly T[], query: string): T[] {
  return matchIn(catalogueOf(rows), query);
}

function matchIn<T extends Matchable>(catalogue: Catalogue<T>, query: string): T[] {
  const { entries, vocabulary } = catalogue;
  const [wanted = '', denied = ''] = query.split(NOT);
  const out = keyWordsOf(denied);
  if (out.length > 0 && keyWordsOf(wanted).length > 0) {
    const left = entries.filter(({ words }) => !out.every((word) => words.includes(word)));
    const kept = new Set(left.map(({ row }) => row));
    return matchIn(catalogue, wanted).filter((row) => kept.has(row));
  }
  const found = lookUp(entries, normalise(query));
  if (found.length > 0) return found;
  const withId = findSeriesIds(entries, query);
  if (withId.length > 0) return withId;
  const given = keyWordsOf(query);
  if ([...readLists().absent.keys()].some((key) => takeAll([...given], key.split(' ')))) return [];
  const asked = withoutMovements(given);
  const { synonyms } = readLists();
  // "Growth" moves a figure, but "economic growth" is one.
  const phrases = [...synonyms.keys()].filter((key) => takeAll([...given], key.split(' ')));
  const named = new Set(phrases.flatMap((key) => key.split(' ')));
  const kept = given.filter((word) => named.has(word) || asked.includes(word));
  for (const words of [kept, asked, ...correctSpelling(asked, vocabulary)]) {
    const meant = words.length === 0 ? [] : lookUp(entries, words.join(' '));
    if (meant.length > 0) return meant;
  }
  return [];
}

function lookUp<T extends Matchable>(entries: readonly Entry<T>[], wanted: string): T[] {
  const asked = keyWordsOf(wanted);
  const key = asked.toSorted().join(' ');
  const { synonyms, absent } = readLists();
  const ranked = entries.map((entry) => ({ ...entry, rank: rankOf(entry, wanted, asked) }));
  const ofRank = (wantedRank: number) =>
    ranked.filter(({ rank }) => rank === wantedRank).map(({ row }) => row);
  const meant = [...ofAliases(entries, synonyms.get(key)), ...ofRank(1), ...ofRank(2)];
  const rest = absent.has(key) ? [] : heldFirst(meant);
  return [...new Set([...heldFirst(ofRank(0)), ...rest])];
}

/**
 * The rows whose series id, in capitals, stands in a longer query or in an address of FRED; not an id
 * that is also a word: "SOFR curve".
 */
function findSeriesIds<T extends Matchable>(entries: readonly Entry<T>[], query: string): T[] {
  const words = new Set(query.match(/[A-Z0-9]{3,}/g));
  const rows = entries.map(({ row }) => row);
  return rows.filter(
    ({ indicator, seriesId }) => words.has(seriesId) && !indicator.includes(seriesId.toLowerCase()),
  );
}

/** 0 exact, 1 prefix of an alias part, 2 all words, 3 no match. */
function rankOf(
  { row, names, words, subject }: Entry<Matchable>,
  wanted: string,
  asked: readonly string[],
): number {
  if (names.includes(wanted)) return 0;
  // Parts are written with underscores; people write "fed funds" and "fed-funds".
  const key = wanted.replace(/[ -]/g, '_');
  if (`.${row.indicator}`.includes(`.${key}`)) return 1;
  const isExcluding = asked.includes('less') || asked.includes('excluding');
  const held = isExcluding ? words : subject;
  return asked.length > 0 && asked.every((word) => held.includes(word)) ? 2 : 3;
}

function heldFirst<T extends Matchable>(rows: readonly T[]): T[] {
  const emptiness = (row: T) => Number(row.observationEnd === null);
  return rows.toSorted((a, b) => emptiness(a) - emptiness(b));
}

/** The rows with these aliases, in their order. */
function ofAliases<T extends Matchable>(
  entries: readonly Entry<T>[],
  aliases: readonly string[] = [],
): T[] {
  const rows = entries.map(({ row }) => row);
  return aliases.flatMap((alias) => rows.filter((row) => row.indicator === alias));
}

/** What a search of the catalogue finds. */
export interface Found<T> {
  rows: T[];
  /** Words, such as "revisions", that belong to no row. */
  unmatched: readonly string[];
  /** Where there are no rows, the indicators that parts of the query name, or those nearest to what is absent. */
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
  const catalogue = catalogueOf(rows);
  const plain = matchIn(catalogue, query);
  if (plain.length > 0) return { ...nothing, rows: plain };
  const { isWhole, ...named } = partsOf(catalogue, query);
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
  return partsOf(catalogueOf(rows), query);
}

function partsOf<T extends Matchable>({ entries, vocabulary }: Catalogue<T>, query: string) {
  const { synonyms, absent } = readLists();
  const given = keyWordsOf(query);
  const asked = correctSpelling(given, vocabulary)[0] ?? given;
  const left = [...asked];
  const placeOf = (key: string) => Math.max(...key.split(' ').map((word) => asked.indexOf(word)));
  const parts = phrasesOf(entries, asked)
    .filter((key) => takeAll(left, key.split(' ')))
    .sort((a, b) => placeOf(a) - placeOf(b));
  const held = parts
    .filter((key) => !absent.has(key))
    .map((key) =>
      synonyms.has(key) ? ofAliases(entries, synonyms.get(key)) : lookUp(entries, key),
    );
  const lacking = parts.flatMap((key) => absent.get(key) ?? []);
  const isJoined = JOINED.test(query);
  const isNearest = lacking.length > 0 && !isJoined;
  const isAbsent = held.length < parts.length && (held.length === 0 || isNearest);
  const rest = withoutMovements(left).filter((word) => !QUALIFIERS.has(word));
  const common = (held[0] ?? [])
    .filter((row) => held.every((some) => some.includes(row)))
    .filter(
      (row) =>
        rest.length === 0 ||
        entries.some((entry) => entry.row === row && takeAll([...entry.subject], rest)),
    );
  const isWhole =
    held.length === parts.length && (isJoined ? rest.length === 0 : common.length > 0);
  const each = held.flatMap((some) => some.slice(0, MOST_OF_PART));
  const found = isAbsent ? ofAliases(entries, lacking) : isWhole && !isJoined ? common : each;
  return {
    rows: [...new Set(found)],
    unmatched: left.filter((word) => QUALIFIERS.has(word)),
    isWhole,
    isAbsent,
  };
}

/** The phrases of these words that name series, as keys: those of most words, then of near words first. */
function phrasesOf(entries: readonly Entry<Matchable>[], asked: readonly string[]): string[] {
  const { synonyms, absent } = readLists();
  const names = entries.flatMap(({ row: { indicator, seriesId, title } }) => [
    indicator,
    seriesId,
    title,
    ...indicator.split('.'),
  ]);
  const keys = [...new Set(names)].map(keyOf);
  return [...absent.keys(), ...synonyms.keys(), ...keys]
    .filter((key) => !VAGUE.has(key) && takeAll([...asked], key.split(' ')))
    .map((key) => ({ key, at: key.split(' ').map((word) => asked.indexOf(word)) }))
    .sort((a, b) => b.at.length - a.at.length || spanOf(a.at) - spanOf(b.at))
    .map(({ key }) => key);
}

function spanOf(places: readonly number[]): number {
  return Math.max(...places) - Math.min(...places);
}

/** Takes `words` out of `left`, if all of them are there. */
function takeAll(left: string[], words: readonly string[]): boolean {
  if (!words.every((word) => left.includes(word))) return false;
  const rest = [...left];
  for (const word of words) {
    if (!rest.includes(word)) return false;
    rest.splice(rest.indexOf(word), 1);
  }
  left.splice(0, left.length, ...rest);
  return true;
}
