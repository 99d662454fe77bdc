import { isStopWord } from '../../../store/search/lexical/tokenise.ts';

/** Alternatives of a pattern: what a question may call a paper. */
export const DOCUMENT_NOUNS =
  'papers?|articles?|preprints?|publications?|literature|studies|research|works?';

const WORD = /[\p{L}\p{N}]+/gu;

/** Whether a text says anything besides stop words and the words in `empty`, which are in lower case. */
export function hasContent(text: string, empty: ReadonlySet<string>): boolean {
  const words = text.match(WORD) ?? [];
  return words.some((word) => !isStopWord(word) && !empty.has(word.toLowerCase()));
}
