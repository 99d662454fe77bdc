import { bm25Share, idfOf } from '../../search/terms.ts';
import { queryTerms, tokenise } from '../../search/tokenise.ts';
import type { SectionType } from './full-text/sections/sections.ts';

/** Sections that touch on everything: the one that treats a subject should come before them. */
const GENERAL: ReadonlySet<string> = new Set<SectionType>([
  'abstract',
  'introduction',
  'conclusion',
]);
const GENERAL_PENALTY = 0.06;
/** For each factor of e in passages: a longer section has more chances of a close one. */
const LENGTH_PENALTY = 0.02;
/** The words tell sections of one paper apart that are all close to its subject; the rest is cosine. */
const BM25_WEIGHT = 0.4;
/** Characters of a section in which words are counted, */
export const COUNTED_CHARACTERS = 20_000;
/** and of a whole paper: a book among the matches would take long. */
const COUNTED_OF_PAPER = 200_000;
/** Stems of a question that are counted, the first ones: each takes its time in every section. */
const MAX_STEMS = 40;

/** Greek letters are indexed by their names. */
const LAST_ASCII = '\x7f';
const WORD = /[\p{L}\p{N}]+(?:[-‐‑–'’&.][\p{L}\p{N}]+)*/gu;

/** A section with what it is scored by. */
export interface SectionText {
  type: string;
  content: string;
  /** Of the question with its passages, of which it has one. */
  cosines: readonly number[];
}

/** How well each section of one paper answers a question, in their order. */
export type SectionScorer = (sections: readonly SectionText[]) => number[];

/** Reads a question once, for all papers whose sections are scored. */
export function sectionScorer(question: string): SectionScorer {
  const stems = queryTerms(question)
    .flatMap(({ term, isCompound }) => (isCompound ? [] : term))
    .slice(0, MAX_STEMS);
  const count = termCounter(stems);
  return (sections) => {
    const shares = bm25Shares(stems, count, sections);
    return sections.map(({ type, cosines }, at) => {
      const penalty = GENERAL.has(type) ? GENERAL_PENALTY : 0;
      return (
        (1 - BM25_WEIGHT) * Math.max(...cosines) +
        BM25_WEIGHT * (shares[at] ?? 0) -
        LENGTH_PENALTY * Math.log(cosines.length) -
        penalty
      );
    });
  };
}

/** BM25 as a share of its upper bound, among the sections of the paper only. */
function bm25Shares(
  stems: readonly string[],
  count: (text: string) => Map<string, number>,
  sections: readonly SectionText[],
): number[] {
  const counted = Math.min(COUNTED_CHARACTERS, COUNTED_OF_PAPER / Math.max(1, sections.length));
  const texts = sections.map(({ content }) => content.slice(0, counted));
  const counts = texts.map(count);
  const terms = stems.map((term) => {
    const holding = counts.filter((frequencies) => frequencies.has(term)).length;
    return { term, idf: idfOf(holding, texts.length) };
  });
  const meanLength = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length);
  return texts.map((text, at) =>
    bm25Share(terms, counts[at] ?? new Map(), text.length / Math.max(1, meanLength)),
  );
}

/**
 * Counts stems in texts. Only words that begin like one of them are stemmed, and each once: all words of
 * a long paper would take many times as long.
 */
function termCounter(stems: readonly string[]): (text: string) => Map<string, number> {
  const relevant = new Set(stems);
  const starts = new Set(stems.map((stem) => stem.charAt(0)));
  const stemsOf = new Map<string, readonly string[]>();
  return (text) => {
    const counts = new Map<string, number>();
    for (const [word] of text.matchAll(WORD)) {
      const start = word.charAt(0).toLowerCase();
      if (start <= LAST_ASCII && !starts.has(start)) continue;
      const own = stemsOf.get(word) ?? tokenise(word).filter((stem) => relevant.has(stem));
      stemsOf.set(word, own);
      for (const stem of own) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    }
    return counts;
  };
}
