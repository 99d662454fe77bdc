import type { Context } from '../core/context.ts';
import { countCardsWith, readDocumentFrequencies } from './lexical.ts';
import { isStopWord, stemOf } from './tokenise.ts';

/** Words in lower case that stand for themselves: no name, ticker, number, address or part of one. */
const WORD =
  /(?<![\p{L}\p{M}\p{N}_.@/:#$&+~'’-])\p{Ll}{5,20}(?![\p{L}\p{M}\p{N}_@/:&+~-]|\.\p{L}|['’](?!s\b))/gu;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** Words corrected in one question, the first ones. */
const MAX_WORDS = 6;
/** Least share of the cards, and least number of them, that hold a word which an unknown one becomes. */
const COMMON = { share: 0.001, cards: 2 };
/** On a smaller shelf a word of the model's vocabulary may be right though a single card contains it. */
const LARGE_SHELF = 1_000;
/** In any vocabulary. */
const ANY_WORD = 'the';

/** A text with its errors corrected, and what was corrected. */
interface Corrected {
  text: string;
  /** By the misspelt word. */
  corrections: Map<string, string>;
}

/**
 * Replaces words that neither a card nor the model's vocabulary contains by the most common word of the
 * shelf at one edit, the first letter apart.
 */
export async function correctTypos(
  { db, isWord }: Pick<Context, 'db' | 'isWord'>,
  { name, cards }: { name: string; cards: number },
  text: string,
): Promise<Corrected> {
  const words = [...new Set(text.match(WORD))].filter((word) => !isStopWord(word));
  const stored = readDocumentFrequencies(db, name, words.map(stemOf));
  const corrections = new Map<string, string>();
  const unknown = words.filter((word) => !stored.has(stemOf(word))).slice(0, MAX_WORDS);
  const isSmall = cards < LARGE_SHELF;
  const canTell = unknown.length > 0 && (!isSmall || (await isWord(ANY_WORD)));
  for (const from of canTell ? unknown : []) {
    if ((await isWord(from)) || (await isWord(stemOf(from)))) continue;
    const variants = [...editsOf(from)].filter((variant) => !isStopWord(variant));
    const frequencies = new Map(countCardsWith(db, name, variants.map(stemOf)));
    const frequencyOf = (variant: string) => frequencies.get(stemOf(variant)) ?? 0;
    const known = variants.filter((variant) => frequencyOf(variant) > 0);
    const least = Math.max(COMMON.cards, COMMON.share * cards);
    for (const to of known.sort((a, b) => frequencyOf(b) - frequencyOf(a))) {
      if (frequencyOf(to) < least && !(isSmall && (await isWord(to)))) continue;
      corrections.set(from, to);
      break;
    }
  }
  return { text: text.replace(WORD, (word) => corrections.get(word) ?? word), corrections };
}

/** What a word of the letters a to z may have been meant to be; its first letter stays. */
export function editsOf(word: string): Set<string> {
  const edits = new Set<string>();
  for (let at = 1; at <= word.length; at += 1) {
    const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    for (const letter of LETTERS) {
      edits.add(before + letter + here + after).add(before + letter + after);
    }
    // Without its last letter a word that is new to the shelf may be the stem of another: newes(t).
    if (after !== '') edits.add(before + after);
    edits.add(before + after.charAt(0) + here + after.slice(1));
  }
  edits.delete(word);
  return edits;
}
