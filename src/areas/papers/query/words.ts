import wordFile from '../../../../data/question-words.json' with { type: 'json' };
import { isStopWord } from '../../../store/search/lexical/tokenise.ts';
import { setOf } from '../../../store/search/query/words.ts';

/** Alternatives of a pattern: what a question may call a paper. */
export const DOCUMENT_NOUNS =
  'papers?|articles?|preprints?|publications?|literature|studies|research|works?';

const REQUEST = setOf(wordFile.requests);

/** Whether a text without the names of papers, authors and dates says more than that papers are wanted. */
export function hasContent(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => !isStopWord(word) && !REQUEST.has(word.toLowerCase()));
}
