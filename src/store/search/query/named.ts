import { foldCase } from '../../../core/clean.ts';
import type { Verdict } from '../../../core/envelope.ts';

/** Fewer words may be a subject as well as a title. */
export const TITLE_WORDS = 3;

/** The verdict of an answer whose question names cards, given that of its ranking. */
export function verdictOfNamed(
  ranked: Verdict,
  { isHeld, isMissing }: { isHeld: boolean; isMissing: boolean },
): Verdict {
  if (isHeld) return isMissing ? 'weak' : 'strong';
  // What was named is not held, so the others are no strong answer.
  return isMissing && ranked === 'strong' ? 'weak' : ranked;
}

/** Whether a text is a title, but for its capitals, accents and punctuation. */
export function isSameTitle(text: string, title: string): boolean {
  const words = wordsOf(text);
  return words.length >= TITLE_WORDS && words.join(' ') === wordsOf(title).join(' ');
}

function wordsOf(text: string): string[] {
  return foldCase(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}
