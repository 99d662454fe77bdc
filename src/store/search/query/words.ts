import wordFile from '../../../../data/question-words.json' with { type: 'json' };
import { isStopWord } from '../lexical/tokenise.ts';

const WORD = /[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu;
const NOTHING = setOf(wordFile.nothing);

/** The words of lists, each of which may be written in several lines. */
export function setOf(...lists: readonly (string | readonly string[])[]): ReadonlySet<string> {
  return new Set(lists.flat().flatMap((line) => line.split(' ')));
}

/** Words with their places. */
export function wordsIn(text: string): RegExpStringIterator<RegExpExecArray> {
  return text.matchAll(WORD);
}

/** Number of words that say something of the subject. */
export function subjectWords(text: string): number {
  const words = text.match(WORD) ?? [];
  return words.filter((word) => !isStopWord(word) && !NOTHING.has(word.toLowerCase())).length;
}
