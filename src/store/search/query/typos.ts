import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import trigramFile from '../../../../data/trigrams.json' with { type: 'json' };
import {
  filterByDocumentFrequency,
  readDocumentFrequencies,
} from '../lexical/document-frequency.ts';
import { isStopWord, stemOf } from '../lexical/tokenise.ts';

/**
 * Words that stand for themselves: no ticker, id, number, address or part of a compound with one. Those
 * with a capital are names, which only become other names.
 */
const WORD =
  /(?<![\p{L}\p{M}\p{N}_.@/:#$&+~'’])(?<!\p{Lu}\p{L}*-)(?:\p{Ll}{5}|\p{Lu}\p{Ll}{4})\p{Ll}{0,15}(?![\p{L}\p{M}\p{N}_@/:&+~]|[.'’-]?[\p{Lu}\p{N}]|\.\p{L}|['’](?!s\b))/gu;
const LATIN = /^[a-z]+$/;
const NAME = /^[A-Z]?[a-z]+$/;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** Words corrected in one question, the first ones. */
const MAX_WORDS = 6;
/** Least share of the cards, and least number of them, that hold a word which an unknown one becomes. */
const COMMON_SHARE = 0.001;
const COMMON = 2;
/** The share for a word that may well be right, since all of its trigrams are those of English words. */
const COMMON_SHARE_OF_PLAUSIBLE = 0.005;
/** Without the model's vocabulary a smaller shelf knows too few words to tell an error. */
const LARGE_SHELF = 1_000;
/** Known to any vocabulary. */
const ANY_WORD = 'the';
/** What a kind of error is worth against the logarithm of a document frequency. */
const PRIOR = { swapped: 0.5, missing: 0, extra: 0 } as const;
/** What a word of the model's vocabulary is worth. */
const DICTIONARY = 1.5;
/** Endings of inflected words, with what stands in their place in the base form. */
const ENDINGS: readonly (readonly [ending: RegExp, base: readonly string[]])[] = [
  [/s$/, ['']],
  [/es$/, ['', 'is']],
  [/ies$/, ['y']],
  [/ves$/, ['f', 'fe']],
  [/(?:ed|er|or|ing)s?$/, ['', 'e']],
  [/(?<=([bdgklmnprt]))\1(?:ed|er|or|ing)s?$/, ['']],
  [/ly$/, ['', 'le']],
  [/ally$/, ['']],
];
/** In a shorter name only two letters are put right: Chime is not Chile, nor Bondi a bond. */
const LONG_NAME = 6;
/** A shorter base is found in too many errors. */
const SHORTEST_BASE = 4;

/** Of English; what contains another is hardly a word. */
const TRIGRAMS = new Set(
  trigramFile.followers
    .flatMap((line) => line.split(' '))
    .flatMap((entry) => [...entry.slice(2)].map((letter) => entry.slice(0, 2) + letter)),
);

/** Where words are looked up. */
interface Held {
  /** Of the index. */
  name: string;
  cards: number;
  /** Words in lower case that may be meant though no card holds them. */
  names?: ReadonlySet<string> | undefined;
}

/** A text with its errors corrected, and what was corrected. */
export interface Corrected {
  text: string;
  corrections: { from: string; to: string }[];
}

/**
 * Replaces words that neither a card nor the model's vocabulary holds, nor their base forms, by the
 * most common word of the shelf at one edit, the first letter apart. `isWord` tells whether the
 * vocabulary holds a word.
 */
export async function correctTypos(
  db: Database,
  { name, cards, names = new Set() }: Held,
  text: string,
  isWord: (word: string) => Promise<boolean>,
): Promise<Corrected> {
  const plain = [...new Set(text.match(WORD))].filter(
    (word) => (names.size > 0 ? NAME : LATIN).test(word) && !isStopWord(word),
  );
  const corrections: Corrected['corrections'] = [];
  const canTell = cards >= LARGE_SHELF || (plain.length > 0 && (await isWord(ANY_WORD)));
  if (!canTell) return { text, corrections };
  // The vocabulary is asked first: a look-up on the shelf costs more.
  const words: { word: string; forms: readonly string[] }[] = [];
  for (const word of plain) {
    const forms = [word.toLowerCase(), ...basesOf(word.toLowerCase())];
    if (!(await isAnyWord(forms, isWord))) words.push({ word, forms: forms.map(stemOf) });
  }
  if (words.length === 0) return { text, corrections };
  const forms = words.flatMap((one) => one.forms);
  const held = filterByDocumentFrequency(db, name, forms, 1);
  const unknown = words.filter((one) => !one.forms.some((form) => held.has(form)));
  for (const { word: from } of unknown.slice(0, MAX_WORDS)) {
    const share = looksEnglish(from) ? COMMON_SHARE_OF_PLAUSIBLE : COMMON_SHARE;
    const isSmall = cards < LARGE_SHELF;
    const least = isSmall ? 1 : Math.ceil(Math.max(COMMON, share * cards));
    const to = await bestOf(from, { db, name, names, least, mustBeWord: isSmall, isWord });
    if (to !== null) corrections.push({ from, to });
    // The look-ups of one word take some milliseconds.
    await yieldToEventLoop();
  }
  const replacements = new Map(corrections.map(({ from, to }) => [from, to]));
  return { text: text.replace(WORD, (word) => replacements.get(word) ?? word), corrections };
}

/** What a word may be an inflection of: "hike" for "hikes", "swap" for "swapping". */
function basesOf(word: string): string[] {
  const bases = ENDINGS.flatMap(([ending, endings]) =>
    ending.test(word) ? endings.map((base) => word.replace(ending, base)) : [],
  );
  return bases.filter((base) => base.length >= SHORTEST_BASE);
}

async function isAnyWord(words: readonly string[], isWord: Shelf['isWord']): Promise<boolean> {
  for (const word of words) if (await isWord(word)) return true;
  return false;
}

interface Shelf {
  db: Database;
  name: string;
  names: ReadonlySet<string>;
  /** Cards that must hold a word. */
  least: number;
  /** Whether the vocabulary must hold it, too: on a small shelf the right one may be on a single card. */
  mustBeWord: boolean;
  isWord(word: string): Promise<boolean>;
}

async function bestOf(from: string, shelf: Shelf): Promise<string | null> {
  const { db, name, names, least, mustBeWord, isWord } = shelf;
  const word = from.toLowerCase();
  const isName = word !== from;
  const isShort = isName && word.length < LONG_NAME;
  // A wrong letter is looked for last: it takes as many look-ups as all the others.
  for (const edits of [shiftsOf(word), replacementsOf(word)]) {
    // A look-up costs ten times as much as this.
    const likely = [...edits]
      .filter(({ variant }) => names.has(variant) || (!isName && looksEnglish(variant)))
      .filter(({ variant, prior }) => !isStopWord(variant) && (!isShort || prior === PRIOR.swapped))
      .map((edit) => ({ ...edit, stem: stemOf(edit.variant) }));
    const stems = [...new Set(likely.map(({ stem }) => stem))];
    const common = filterByDocumentFrequency(db, name, stems, least);
    const found: Candidate[] = [];
    for (const candidate of likely) {
      const { stem, variant } = candidate;
      const isHeld = common.has(stem) && (!mustBeWord || (await isWord(variant)));
      if (isHeld || names.has(variant)) found.push(candidate);
    }
    const best = await likeliestOf(found, shelf);
    if (best !== null) return isName ? best.charAt(0).toUpperCase() + best.slice(1) : best;
  }
  return null;
}

async function likeliestOf(
  found: readonly Candidate[],
  { db, name, isWord }: Shelf,
): Promise<string | null> {
  if (found.length < 2) return found[0]?.variant ?? null;
  const stems = [...new Set(found.map(({ stem }) => stem))];
  const frequencies =
    stems.length === 1 ? new Map<string, number>() : readDocumentFrequencies(db, name, stems);
  let best: { variant: string; score: number } | null = null;
  for (const { variant, prior, stem } of found) {
    const commonness = Math.log(frequencies.get(stem) ?? 1);
    const score = commonness + prior + ((await isWord(variant)) ? DICTIONARY : 0);
    if (best === null || score > best.score) best = { variant, score };
  }
  return best?.variant ?? null;
}

/** What a word may have been meant to be, and what that kind of error is worth. */
interface Edit {
  variant: string;
  prior: number;
}
type Candidate = Edit & { stem: string };

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

/** Whether all trigrams of a word in lower case, its end included, are those of English words. */
function looksEnglish(word: string): boolean {
  const closed = `${word}.`;
  for (let at = 0; at <= closed.length - 3; at += 1) {
    if (!TRIGRAMS.has(closed.slice(at, at + 3))) return false;
  }
  return true;
}
