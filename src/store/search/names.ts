import { hashStem } from './cards.ts';
import type { CountedStem } from './holders.ts';
import type { Saying } from './synonyms.ts';
import { isStopWord, plainStems } from './tokens.ts';

/**
 * What a question names: a company, a central bank, a coin, a model, a year. A card on the same
 * subject that speaks of another name is near in meaning, and no answer.
 */

/** The ways to say one name: a card that holds all stems of one of them speaks of it. */
export type Name = readonly (readonly number[])[];

const WORD = /[\p{L}\p{N}]+(?:[-&.'’][\p{L}\p{N}]+)*/gu;
const YEAR = /^(?:19|20)\d\d$/;
/** Capitals inside, as in ECB, JPMorgan or USDC, but not in 10Y. */
const MARKED = /^\p{L}.*\p{Lu}/u;
const CAPITAL = /^\p{Lu}/u;
const SENTENCE_END = /(?:^|[.?!:])\s*["'“(]*$/;
/** Short words keep their small letters in a heading. */
const LONG = 4;
/** So many capitals at least make a heading, in which they mark nothing. */
const HEADING = 3;
/** The first word of a sentence has a capital anyway; one that so few cards hold is yet a name. */
const RARE_SHARE = 0.002;
const RARE = 2;

/** The names in a query; years are among them. `cards` is how many cards the index holds. */
export function namesIn(
  query: string,
  counted: readonly CountedStem[],
  cards: number,
  sayings: readonly Saying[],
): Name[] {
  const words = [...query.matchAll(WORD)].map(({ 0: word, index }) => ({
    word,
    isFirst: SENTENCE_END.test(query.slice(0, index)),
  }));
  const isHeading = looksLikeHeading(words.filter(({ isFirst }) => !isFirst));
  const holders = new Map(counted.map((stem) => [stem.stem, stem.holders]));
  const isRare = (word: string) =>
    plainStems(word).some(
      (stem) => (holders.get(stem) ?? cards) <= Math.max(RARE, RARE_SHARE * cards),
    );
  const named = words.filter(({ word, isFirst }) => {
    if (YEAR.test(word)) return true;
    if (isStopWord(word) || query === query.toUpperCase()) return false;
    if (MARKED.test(word)) return true;
    return CAPITAL.test(word) && (isFirst ? isRare(word) : !isHeading);
  });
  const unique = new Set(named.map(({ word }) => word.toLowerCase()));
  return [...unique].map((word) => {
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
  return capital >= HEADING && capital > long.length / 2;
}
