import type { Context } from '../core/context.ts';
import { keepIndexed, readDocumentFrequencies } from './lexical.ts';
import { isStopWord, stemOf } from './tokenise.ts';

/** Plain lower-case words: no names, tickers, numbers, addresses or parts of them. */
const WORD =
  /(?<![\p{L}\p{M}\p{N}_.@/:#$&+~'’-])\p{Ll}{5,20}(?![\p{L}\p{M}\p{N}_@/:&+~-]|\.\p{L}|['’](?!s\b))/gu;
/** Of equally likely variants the first wins: "volatility" before "volatiliti", which has the same stem. */
const LETTERS = [...'syabcdefghijklmnopqrtuvwxz'];
const MAX_WORDS = 6;
/** A correction must occur in at least this share, and at least this number, of the cards. */
const COMMON = { share: 0.001, cards: 2 };
/** On a smaller shelf, a word in the model's vocabulary may be a correction even if only one card has it. */
const LARGE_SHELF = 1_000;
/** A word in every vocabulary, to test whether a vocabulary is available. */
const ANY_WORD = 'the';
/** Log-frequency bonus for a transposition. */
const SWAPPED = 0.5;
/** Log-frequency bonus for a word in the model's vocabulary. */
const VOCABULARY = 1.5;

interface Corrected {
  text: string;
  corrections: { from: string; to: string }[];
}

/**
 * Replaces words that are neither on a card nor in the model's vocabulary, each with the likeliest word
 * on the shelf that is one edit away and has the same first letter.
 */
export async function correctTypos(
  { db, isWord }: Pick<Context, 'db' | 'isWord'>,
  { name, cards }: { name: string; cards: number },
  text: string,
): Promise<Corrected> {
  const words = [...new Set(text.match(WORD))].filter((word) => !isStopWord(word));
  const stored = readDocumentFrequencies(db, name, words.map(stemOf));
  const corrections: Corrected['corrections'] = [];
  const unknown = words.filter((word) => !stored.has(stemOf(word))).slice(0, MAX_WORDS);
  const isSmall = cards < LARGE_SHELF;
  const canTell = unknown.length > 0 && (!isSmall || (await isWord(ANY_WORD)));
  for (const from of canTell ? unknown : []) {
    if ((await isWord(from)) || (await isWord(stemOf(from)))) continue;
    const variants = [...editsOf(from)].filter(([variant]) => !isStopWord(variant));
    const stems = variants.map(([variant]) => stemOf(variant));
    const indexed = keepIndexed(db, name, from.charAt(0), stems);
    const frequencies = readDocumentFrequencies(db, name, indexed);
    const least = Math.max(COMMON.cards, COMMON.share * cards);
    let best = { to: '', score: Number.NEGATIVE_INFINITY };
    for (const [to, prior] of variants) {
      const frequency = frequencies.get(stemOf(to)) ?? 0;
      if (frequency === 0) continue;
      const isEnglish = await isWord(to);
      if (frequency < least && !(isSmall && isEnglish)) continue;
      const score = Math.log(frequency) + prior + (isEnglish ? VOCABULARY : 0);
      if (score > best.score) best = { to, score };
    }
    if (best.to !== '') corrections.push({ from, to: best.to });
  }
  const replacements = new Map(corrections.map(({ from, to }) => [from, to]));
  return { text: text.replace(WORD, (word) => replacements.get(word) ?? word), corrections };
}

/** Words one edit away that keep the first letter, each with a bonus for the kind of edit. */
function* editsOf(word: string): Generator<[variant: string, prior: number]> {
  for (let at = 1; at <= word.length; at += 1) {
    const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    for (const letter of LETTERS) {
      yield [before + letter + here + after, 0];
      if (here !== '') yield [before + letter + after, 0];
    }
    // Keep the last letter: "hedges" for "hedgest" would have the stem of "hedge".
    if (after !== '') yield [before + after, 0];
    yield [before + after.charAt(0) + here + after.slice(1), SWAPPED];
  }
}
