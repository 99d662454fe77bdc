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
import { countSections, findSectionAt, listWithPhrase, listWithSome } from './queries.ts';

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
/** Rare words by which sections that may hold a changed quote are found. */
const RARE_WORDS = 8;
/** Entries of the index that a search for rare words may read, at about a microsecond each. */
const MAX_POSTINGS = 5_000;
/** The share of the quote's sequences from which a passage counts as near. */
const MIN_SHARE = 0.4;

/**
 * The sections that hold a quote word for word; if none does, those that come near. Best first. Only
 * what callers may read is looked at, in one paper if one is given.
 */
export function findQuote(
  shelf: HeldShelf,
  quote: string,
  within: PaperRow | undefined,
): QuoteMatch[] {
  const words = wordsOf(quote);
  if (words.length < MIN_WORDS) return [];
  if (within !== undefined) {
    const sections = listSections(shelf.db, within.id).map((section) => ({
      paper: within,
      section,
    }));
    return bestOf(compare(shelf, words, sections));
  }
  const phrase = listWithPhrase(shelf.db, words, MAX_COMPARED);
  const exact = compare(shelf, words, readPlaces(shelf, phrase));
  if (exact.some(({ isExact }) => isExact)) return bestOf(exact);
  const rare = rareWords(shelf, words);
  const places = rare.length === 0 ? [] : listWithSome(shelf.db, rare, MAX_COMPARED);
  return bestOf(compare(shelf, words, readPlaces(shelf, places)));
}

interface Candidate {
  paper: PaperRow;
  section: SectionRow;
}

function* readPlaces(
  { db }: HeldShelf,
  places: readonly { paperId: number; order: number }[],
): Generator<Candidate> {
  for (const place of places) {
    const paper = getPaperById(db, place.paperId);
    const section = findSectionAt(db, place);
    if (paper !== undefined && section !== undefined) yield { paper, section };
  }
}

function compare(
  shelf: HeldShelf,
  words: readonly string[],
  candidates: Iterable<Candidate>,
): QuoteMatch[] {
  const matches: QuoteMatch[] = [];
  for (const { paper, section } of candidates) {
    if (paper.withdrawn === 1 || !servedBy(paper, shelf)(section)) continue;
    const likeness = findPassage(section.content, words);
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

/** The rarest words of the quote that the shelf knows, as many as may be looked up. */
function rareWords({ db }: HeldShelf, words: readonly string[]): string[] {
  const known = [...new Set(words)]
    .filter((word) => !isStopWord(word))
    .map((word) => ({ word, sections: countSections(db, word) }))
    .filter(({ sections }) => sections > 0)
    .sort((a, b) => a.sections - b.sections)
    .slice(0, RARE_WORDS);
  let postings = 0;
  const affordable = known.filter(({ sections }) => {
    postings += sections;
    return postings <= MAX_POSTINGS;
  });
  // Words that are all common still find something.
  return (affordable.length > 0 ? affordable : known.slice(0, 1)).map(({ word }) => word);
}
