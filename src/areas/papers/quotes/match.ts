import { foldCase } from '../../../core/clean.ts';
import { PassageSearch, type Word } from './passage-search.ts';

/** Characters and words of a text that are compared in one slice: some milliseconds. */
export const SLICE_CHARACTERS = 20_000;
const SLICE_WORDS = 4_000;
/** Characters of the longest word that is read; no quote is longer. */
const LONGEST_WORD = 2_000;
const REMEMBERED_WORDS = 5_000;
/** What stands for a longer one: the same as no word of a quote. */
const NO_WORD = '';
/** Characters of the text shown before and after what matches. */
const MARGIN = 160;
/** Characters of a passage that are shown. */
const MAX_PASSAGE = 1_500;

/** How a text holds a quote. */
export interface Likeness {
  /** Every word in its order, without regard to case, accents, punctuation and white space. */
  isExact: boolean;
  /** Share of the quote's sequences of three words that stand in the passage. */
  share: number;
  /** The passage with what surrounds it. */
  passage: string;
}

/** The words of a text without case and accents. */
export function wordsOf(text: string): string[] {
  return Array.from(readWords(text), ({ word }) => word);
}

function* readWords(text: string): Generator<Word, void> {
  // Taking a word apart costs microseconds, and texts repeat their words.
  const known = new Map<string, readonly string[]>();
  for (const { 0: written, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const end = index + written.length;
    const forms = known.get(written) ?? formsOf(written);
    if (known.size < REMEMBERED_WORDS) known.set(written, forms);
    for (const word of forms) yield { word, start: index, end };
  }
}

/** A written word without case and accents; ligatures and fractions may hold several. */
function formsOf(written: string): readonly string[] {
  if (written.length > LONGEST_WORD) return [NO_WORD];
  if (/^[\x20-\x7e]+$/.test(written)) return [written.toLowerCase()];
  return foldCase(written).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Looks for the passage of a text that is most like a quote; undefined where no sequence of words is the
 * same. Yields after each slice of the text.
 */
export function* findPassage(
  text: string,
  quote: readonly string[],
): Generator<undefined, Likeness | undefined> {
  const search = new PassageSearch(quote);
  let words = 0;
  let from = 0;
  for (const word of readWords(text)) {
    if (words === SLICE_WORDS || word.start - from >= SLICE_CHARACTERS) {
      yield;
      words = 0;
      from = word.start;
    }
    words += 1;
    const whole = search.read(word);
    if (whole === undefined) continue;
    return { isExact: true, share: 1, passage: surround(text, whole.start, whole.end) };
  }
  const { best } = search;
  if (best === undefined) return undefined;
  return { isExact: false, share: best.share, passage: surround(text, best.start, best.end) };
}

/** The passage and its margins, on one line, from one white space to another. */
function surround(text: string, start: number, end: number): string {
  const from = Math.max(0, start - MARGIN);
  const to = Math.min(text.length, end + MARGIN);
  const before = from === 0 ? text.slice(0, start) : text.slice(from, start).replace(/^\S*\s/, '…');
  const after = to === text.length ? text.slice(end) : text.slice(end, to).replace(/\s\S*$/, '…');
  const passage = `${before}${text.slice(start, end).slice(0, MAX_PASSAGE)}${after}`;
  return passage.replace(/\s+/gu, ' ').trim();
}
