import absent from '../../../../data/macro-absent.json' with { type: 'json' };
import synonyms from '../../../../data/macro-synonyms.json' with { type: 'json' };
import { keyWordsOf, normalise, QUALIFIERS, wordsOf } from './words.ts';

/** The fields that catalogue search matches against. */
export interface Matchable {
  indicator: string;
  seriesId: string;
  title: string;
  /** Null where no figures are held. */
  observationEnd?: string | null;
}

type Phrases = ReadonlyMap<string, readonly string[]>;

/** The reviewed lists by key words. */
interface Lists {
  synonyms: Phrases;
  /** What the catalogue lacks, with the nearest that it holds. */
  absent: Phrases;
  words: ReadonlySet<string>;
}

let lists: Lists | undefined;

/** Read on first use: a program that is asked nothing starts sooner. */
export function readLists(): Lists {
  if (lists === undefined) {
    const read = { synonyms: byKeyWords(synonyms), absent: byKeyWords(absent) };
    const keys = [...read.synonyms.keys(), ...read.absent.keys()];
    const words = new Set([...keys.flatMap((key) => key.split(' ')), ...QUALIFIERS]);
    lists = { ...read, words };
  }
  return lists;
}

/** The rows as they are searched. */
export interface Catalogue<T> {
  entries: readonly Entry<T>[];
  /** The words of all rows and lists. */
  vocabulary: ReadonlySet<string>;
}

/** A row with what it is matched by. */
export interface Entry<T> {
  row: T;
  /** Alias, series id and title, normalised. */
  names: readonly string[];
  /** Also as they are written: "10y" and "10" as well as "10year". */
  words: readonly string[];
  /** Those of its subject, not of what it is without: no "food prices". */
  subject: readonly string[];
}

const LEFT_OUT = /\b(?:less|excluding) .*/iu;

export function catalogueOf<T extends Matchable>(rows: readonly T[]): Catalogue<T> {
  const entries = rows.map((row) => {
    const { indicator, seriesId, title } = row;
    const kept = title.replace(LEFT_OUT, '');
    const words = rowWords(row);
    const subject = kept === title ? words : rowWords({ ...row, title: kept });
    return { row, names: [indicator, seriesId, title].map(normalise), words, subject };
  });
  const vocabulary = new Set([...entries.flatMap(({ words }) => words), ...readLists().words]);
  return { entries, vocabulary };
}

function rowWords({ indicator, seriesId, title }: Matchable): string[] {
  const words = keyWordsOf(`${indicator} ${title} ${seriesId}`);
  return [...words, ...wordsOf(indicator), ...(title.match(/\d+/g) ?? [])];
}

function byKeyWords(phrases: Readonly<Record<string, readonly string[]>>): Phrases {
  return new Map(Object.entries(phrases).map(([phrase, aliases]) => [keyOf(phrase), aliases]));
}

/** Two phrases with the same key words, in any order, mean the same. */
export function keyOf(phrase: string): string {
  return keyWordsOf(phrase).sort().join(' ');
}
