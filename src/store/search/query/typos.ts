import type { Database } from 'better-sqlite3';
import { isStopWord, stemOf } from '../lexical/tokenise.ts';
import { looksEnglish } from './trigrams.ts';

/**
 * Words in lower case that stand for themselves: no name, ticker, id, number, address or part of a
 * compound with one.
 */
const WORD =
  /(?<![\p{L}\p{M}\p{N}_.@/:#$&+~'’])(?<!\p{Lu}\p{L}*-)\p{Ll}{5,20}(?![\p{L}\p{M}\p{N}_@/:&+~]|[.'’-]?[\p{Lu}\p{N}]|\.\p{L}|['’](?!s\b))/gu;
const LATIN = /^[a-z]+$/;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** Words corrected in one question, the first ones. */
const MAX_WORDS = 6;
/** Least share of the cards, and least number of them, that hold a word which an unknown one becomes. */
const COMMON_SHARE = 0.001;
const COMMON = 2;
/** Without the model's vocabulary a smaller shelf knows too few words to tell an error. */
const LARGE_SHELF = 1_000;
/** Known to any vocabulary. */
const ANY_WORD = 'the';
/** What a kind of error is worth against the logarithm of a document frequency. */
const PRIOR = { swapped: 0.5, missing: 0, extra: 0 } as const;
/** What a word of the model's vocabulary is worth. */
const DICTIONARY = 1.5;

/** A text with its errors corrected, and what was corrected. */
export interface Corrected {
  text: string;
  corrections: { from: string; to: string }[];
}

/**
 * Replaces words that neither a card nor the model's vocabulary holds by the most common word of the
 * shelf at one edit, the first letter apart. `isWord` tells whether the vocabulary holds a word.
 */
export async function correctTypos(
  db: Database,
  { name, cards }: { name: string; cards: number },
  text: string,
  isWord: (word: string) => Promise<boolean>,
): Promise<Corrected> {
  const isHeld = db
    .prepare<{ stem: string }, 1>(
      `SELECT 1 FROM ${name}_terms WHERE ${name}_terms MATCH @stem LIMIT 1`,
    )
    .pluck();
  const frequencyOf = db
    .prepare<{ term: string }, number>(`SELECT doc FROM ${name}_vocabulary WHERE term = @term`)
    .pluck();
  const words = [...new Set(text.match(WORD))].filter(
    (word) =>
      LATIN.test(word) && !isStopWord(word) && isHeld.get({ stem: `"${stemOf(word)}"` }) !== 1,
  );
  const corrections: Corrected['corrections'] = [];
  const canTell = cards >= LARGE_SHELF || (words.length > 0 && (await isWord(ANY_WORD)));
  if (!canTell) return { text, corrections };
  for (const from of words.slice(0, MAX_WORDS)) {
    if (await isWord(from)) continue;
    const least = Math.max(COMMON, COMMON_SHARE * cards);
    const to = await bestOf(from, (term) => frequencyOf.get({ term }) ?? 0, least, isWord);
    if (to !== null) corrections.push({ from, to });
  }
  const known = new Map(corrections.map(({ from, to }) => [from, to]));
  return { text: text.replace(WORD, (word) => known.get(word) ?? word), corrections };
}

async function bestOf(
  word: string,
  frequencyOf: (stem: string) => number,
  least: number,
  isWord: (word: string) => Promise<boolean>,
): Promise<string | null> {
  // A wrong letter is looked for last: it takes as many look-ups as all the others.
  for (const edits of [shiftsOf(word), replacementsOf(word)]) {
    const frequencies = new Map<string, number>();
    let best: { variant: string; score: number } | null = null;
    for (const { variant, prior } of edits) {
      // A look-up costs ten times as much.
      if (!looksEnglish(variant)) continue;
      const stem = stemOf(variant);
      const frequency = frequencies.get(stem) ?? frequencyOf(stem);
      frequencies.set(stem, frequency);
      if (frequency < least) continue;
      const score = Math.log(frequency) + prior + ((await isWord(variant)) ? DICTIONARY : 0);
      if (best === null || score > best.score) best = { variant, score };
    }
    if (best !== null) return best.variant;
  }
  return null;
}

interface Edit {
  variant: string;
  prior: number;
}

/** The word with one letter more or less, or two exchanged; the first letter stays. */
function* shiftsOf(word: string): Generator<Edit> {
  for (let at = 1; at <= word.length; at += 1) {
    const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    for (const letter of LETTERS) {
      yield { variant: before + letter + here + after, prior: PRIOR.missing };
    }
    yield { variant: before + after, prior: PRIOR.extra };
    yield { variant: before + after.charAt(0) + here + after.slice(1), prior: PRIOR.swapped };
  }
}

/** The word with another letter in one place, the first apart. */
function* replacementsOf(word: string): Generator<Edit> {
  for (let at = 1; at < word.length; at += 1) {
    for (const letter of LETTERS) {
      yield { variant: word.slice(0, at) + letter + word.slice(at + 1), prior: 0 };
    }
  }
}
