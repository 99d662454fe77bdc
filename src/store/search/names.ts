import { hashStem } from './cards.ts';
import type { CountedStem } from './holders.ts';
import type { Saying } from './synonyms.ts';
import { isStopWord, plainStems, spellCountry } from './tokens.ts';

/**
 * What a question names: a company, a central bank, a coin, a model, a year. A card on the same
 * subject that speaks of another name is near in meaning, and no answer.
 */

/** The ways to say one name: a card that holds all stems of one of them speaks of it. */
export type Name = readonly (readonly number[])[];

const WORD = /[\p{L}\p{N}]+(?:[-&.'’][\p{L}\p{N}]+)*/gu;
const YEAR = /^(?:19|20)\d\d$/;
/** Capitals inside a part, as in ECB, JPMorgan or USDC, but not in 10Y. */
const MARKED = /(?:^|-)\p{L}[^-]*\p{Lu}/u;
/** "I'm", "we've": what is said so names nothing. */
const CONTRACTION = /['’](?:m|d|s|t|ve|ll|re)$/i;
const MONTH =
  /^(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober)?$/i;
const CAPITAL = /^\p{Lu}/u;
const SENTENCE_END = /(?:^|[.?!:,])\s*["'“(]*$/;
const AMOUNT = /[$€£¥]\s?$/;
/** Characters before a word that tell whether it opens a sentence. */
const NEARBY = 8;
/** Short words keep their small letters in a heading. */
const LONG = 3;
/** So many capitals at least make a heading, in which they mark nothing. */
const HEADING = 3;
/** The first word of a sentence has a capital anyway; one that only so few cards hold is yet a name. */
const RARE_SHARE = 0.002;
const RARE = 2;

/** The names in a query; years are among them. `cards` is how many cards the index holds. */
export function namesIn(
  query: string,
  counted: readonly CountedStem[],
  cards: number,
  sayings: readonly Saying[],
): Name[] {
  const text = spellCountry(query.normalize('NFC'));
  const isLoud = text === text.toUpperCase();
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: word.replace(CONTRACTION, ''),
    before: text.slice(Math.max(0, index - NEARBY), index),
  }));
  const isHeading = CAPITAL.test(text.trim()) && looksLikeHeading(words.slice(1));
  const holders = new Map(counted.map((stem) => [stem.stem, stem.holders]));
  const isRare = (word: string) =>
    plainStems(word).some((stem) => {
      const count = holders.get(stem) ?? 0;
      return count > 0 && count <= Math.max(RARE, RARE_SHARE * cards);
    });
  const isName = (word: string, before: string): boolean => {
    if (YEAR.test(word)) return !AMOUNT.test(before);
    if (isLoud || word.length < 2 || isStopWord(word) || MONTH.test(word)) return false;
    if (MARKED.test(word)) return true;
    return CAPITAL.test(word) && (SENTENCE_END.test(before) ? isRare(word) : !isHeading);
  };
  const named = words.filter(({ word, before }) => isName(word, before));
  return [...new Set(named.map(({ word }) => word))].map((word) => {
    const stems = plainStems(word);
    const others = sayings
      .filter(({ said }) => stems.every((stem) => said.includes(stem)))
      .flatMap(({ others }) => others);
    return [stems, ...others].map((way) => way.map(hashStem));
  });
}

function looksLikeHeading(words: readonly { word: string }[]): boolean {
  const long = words.filter(({ word }) => word.length >= LONG && !isStopWord(word));
  const capital = long.filter(({ word }) => CAPITAL.test(word)).length;
  return capital >= HEADING ? capital > long.length / 2 : capital > 1 && capital === long.length;
}
