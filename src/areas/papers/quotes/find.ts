import type { HeldShelf } from '../../../core/context.ts';
import { isStopWord } from '../../../store/search/lexical/tokenise.ts';
import { servedBy } from '../cards/served.ts';
import {
  getPaperById,
  listSections,
  type ManifestRow,
  type PaperRow,
  type SectionRow,
} from '../queries.ts';
import { findPassage, type Likeness, wordsOf } from './match.ts';
import {
  countSections,
  findSectionAt,
  listWithPhrase,
  listWithSome,
  type Place,
} from './queries.ts';

/** A section that holds a quote, or something like it. */
export interface QuoteMatch extends Likeness {
  paper: PaperRow;
  section: ManifestRow;
}

/** Fewer words stand in many texts by chance. */
export const MIN_WORDS = 3;
/** Matches returned. */
const MAX_MATCHES = 5;
/** Sections that are compared word by word. */
const MAX_COMPARED = 30;
/** Characters that are compared for one quote, of all sections together. */
export const MAX_CHARACTERS = 2_000_000;
/** Different words of the quote whose sections are counted. */
const MAX_COUNTED = 60;
/** A phrase is looked up if its rarest word stands in at most as many sections. */
const MAX_PHRASE_SECTIONS = 20_000;
/** Words of the quote that are looked up as a phrase. */
const PHRASE = 12;
/** Rare words by which sections that may hold a changed quote are found. */
const RARE_WORDS = 8;
/** Entries of the index that a search for rare words may read, at about a microsecond each. */
const MAX_POSTINGS = 5_000;
/** The share of the quote's sequences from which a passage counts as near. */
const MIN_SHARE = 0.4;

/** What the search for a quote found. */
export interface FoundQuote {
  /** Best first. */
  matches: QuoteMatch[];
  /** MAX_CHARACTERS were compared before all sections that may hold the quote. */
  isCutShort: boolean;
}

/**
 * The sections that hold a quote word for word; if none does, those that come near. Only what callers
 * may read is looked at, in one paper if one is given. Yields after each look into the index and each
 * slice of a text, so that nothing else waits for long.
 */
export function* findQuote(
  shelf: HeldShelf,
  quote: string,
  within: PaperRow | undefined,
): Generator<undefined, FoundQuote> {
  const words = wordsOf(quote);
  const reading = { left: MAX_CHARACTERS, isCutShort: false };
  const search = (candidates: Iterable<Candidate>) => compare(shelf, words, candidates, reading);
  const found = (matches: readonly QuoteMatch[]) => ({
    matches: bestOf(matches),
    isCutShort: reading.isCutShort,
  });
  if (words.length < MIN_WORDS) return found([]);
  if (within !== undefined) {
    const sections = listSections(shelf.db, within.id);
    return found(yield* search(sections.map((section) => ({ paper: within, section }))));
  }
  const known = yield* countWords(shelf, words);
  const phrase = phraseOf(words, known);
  const withPhrase = phrase === undefined ? [] : listWithPhrase(shelf.db, phrase, MAX_COMPARED);
  yield;
  const exact = yield* search(readPlaces(shelf, withPhrase));
  if (exact.some(({ isExact }) => isExact)) return found(exact);
  yield;
  const rare = rareWords(known);
  const places = rare.length === 0 ? [] : listWithSome(shelf.db, rare, MAX_COMPARED);
  yield;
  return found(yield* search(readPlaces(shelf, places)));
}

interface Candidate {
  paper: PaperRow;
  section: SectionRow;
}

function* readPlaces({ db }: HeldShelf, places: readonly Place[]): Generator<Candidate> {
  for (const place of places) {
    const paper = getPaperById(db, place.paperId);
    const section = findSectionAt(db, place);
    if (paper !== undefined && section !== undefined) yield { paper, section };
  }
}

/** How many characters may still be compared, and whether some were not. */
interface Reading {
  left: number;
  isCutShort: boolean;
}

function* compare(
  shelf: HeldShelf,
  words: readonly string[],
  candidates: Iterable<Candidate>,
  reading: Reading,
): Generator<undefined, QuoteMatch[]> {
  const matches: QuoteMatch[] = [];
  for (const { paper, section } of candidates) {
    if (paper.withdrawn === 1 || !servedBy(paper, shelf)(section)) continue;
    yield;
    const likeness = yield* findPassage(take(reading, section.content), words);
    if (likeness === undefined) continue;
    matches.push({ paper, section, ...likeness });
    if (matches.filter(({ isExact }) => isExact).length === MAX_MATCHES) break;
  }
  return matches;
}

function bestOf(matches: readonly QuoteMatch[]): QuoteMatch[] {
  const exact = matches.filter(({ isExact }) => isExact);
  const near = matches
    .filter(({ share }) => share >= MIN_SHARE)
    .toSorted((a, b) => b.share - a.share);
  return (exact.length > 0 ? exact : near).slice(0, MAX_MATCHES);
}

/** As much of a text as may still be compared, without a part of a word. */
function take(reading: Reading, text: string): string {
  const { left } = reading;
  reading.left = Math.max(0, left - text.length);
  if (text.length <= left) return text;
  reading.isCutShort = true;
  return text.slice(0, Math.max(0, text.lastIndexOf(' ', left)));
}

/** A word that the shelf knows. */
interface KnownWord {
  word: string;
  /** How many sections contain it. */
  sections: number;
}

/** The words of the quote that the shelf knows, the rarest first. */
function* countWords(
  { db }: HeldShelf,
  words: readonly string[],
): Generator<undefined, KnownWord[]> {
  // Counting reads every entry of a word, and long words have fewer.
  const counted = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, MAX_COUNTED);
  const known: KnownWord[] = [];
  for (const word of counted) {
    const sections = countSections(db, word);
    if (sections > 0) known.push({ word, sections });
    yield;
  }
  return known.sort((a, b) => a.sections - b.sections);
}

/**
 * The words around the rarest one, by which the whole quote is found; undefined where even that one
 * is too common, since a phrase takes as long as its words have entries.
 */
function phraseOf(words: readonly string[], known: readonly KnownWord[]): string[] | undefined {
  const [rarest] = known;
  if (rarest === undefined || rarest.sections > MAX_PHRASE_SECTIONS) return undefined;
  const middle = words.indexOf(rarest.word);
  const latest = Math.max(0, words.length - PHRASE);
  const from = Math.min(latest, Math.max(0, middle - PHRASE / 2));
  return words.slice(from, from + PHRASE);
}

/** The rarest words that mean something, as many as may be looked up. */
function rareWords(known: readonly KnownWord[]): string[] {
  const meaningful = known.filter(({ word }) => !isStopWord(word)).slice(0, RARE_WORDS);
  let postings = 0;
  const affordable = meaningful.filter(({ sections }) => {
    postings += sections;
    return postings <= MAX_POSTINGS;
  });
  // Words that are all common still find something.
  return (affordable.length > 0 ? affordable : meaningful.slice(0, 1)).map(({ word }) => word);
}
