import patternFile from '../../../../data/question-patterns.json' with { type: 'json' };
import { isStopWord } from '../../../store/search/lexical/tokenise.ts';

/** Alternatives of a pattern: what a question may call a paper. */
export const DOCUMENT_NOUNS = patternFile.documentNouns;

const REQUEST = new Set(patternFile.requestWords.flatMap((line) => line.split(' ')));

/** Whether a text without the names of papers, authors and dates says more than that papers are wanted. */
export function hasContent(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => !isStopWord(word) && !REQUEST.has(word.toLowerCase()));
}
