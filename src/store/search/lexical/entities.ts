import type { SynonymMatch } from './synonyms.ts';
import type { Entity, WeightedTerm } from './terms.ts';
import { isStopWord, plainStems, spellCountry } from './tokenise.ts';

/**
 * Entities in a query: companies, central banks, coins, models, years. A card on the same subject but
 * about another entity is close in meaning, yet does not answer the query.
 */

const WORD = /[\p{L}\p{N}]+(?:[-&.'’][\p{L}\p{N}]+)*/gu;
const YEAR = /^(?:19|20)\d\d$/;
/** A capital after the first letter, as in ECB, JPMorgan or USDC, but not in 10Y. */
const INNER_CAPITAL = /(?:^|-)\p{L}[^-]*\p{Lu}/u;
/** The end of "I'm" or "we've". */
const CONTRACTION = /['’](?:m|d|s|t|ve|ll|re)$/i;
const MONTH =
  /^(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober)?$/i;
const CAPITAL = /^\p{Lu}/u;
const SENTENCE_END = /(?:^|[.?!:,])\s*["'“(]*$/;
const AMOUNT = /[$€£¥]\s?$/;
/** Characters before a word that are checked for the end of a sentence. */
const NEARBY = 8;
/** Shorter words stay in lower case in a heading. */
const LONG = 3;
/**
 * In a heading, capitals mark no names. From this many capitalised words on, a majority makes a
 * heading; below it, all words must be capitalised.
 */
const HEADING = 3;
/** The first word of a sentence, always capitalised, counts as a name only if few cards contain it. */
const RARE_SHARE = 0.002;
const RARE = 2;

/** The entities named in a query, years included. `cards` is the number of cards in the index. */
export function findEntities(
  query: string,
  terms: readonly WeightedTerm[],
  cards: number,
  synonyms: readonly SynonymMatch[],
): Entity[] {
  const text = spellCountry(query.normalize('NFC'));
  const isAllCapitals = text === text.toUpperCase();
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: word.replace(CONTRACTION, ''),
    before: text.slice(Math.max(0, index - NEARBY), index),
  }));
  const isHeading = CAPITAL.test(text.trim()) && looksLikeHeading(words.slice(1));
  const frequencies = new Map(
    terms.map(({ term, documentFrequency }) => [term, documentFrequency]),
  );
  const isRare = (word: string) =>
    plainStems(word).some((stem) => {
      const frequency = frequencies.get(stem) ?? 0;
      return frequency > 0 && frequency <= Math.max(RARE, RARE_SHARE * cards);
    });
  const isEntity = (word: string, before: string): boolean => {
    if (YEAR.test(word)) return !AMOUNT.test(before);
    if (isAllCapitals || word.length < 2 || isStopWord(word) || MONTH.test(word)) return false;
    if (INNER_CAPITAL.test(word)) return true;
    return CAPITAL.test(word) && (SENTENCE_END.test(before) ? isRare(word) : !isHeading);
  };
  const entities = words.filter(({ word, before }) => isEntity(word, before));
  return [...new Set(entities.map(({ word }) => word))].map((word) => {
    const stems = plainStems(word);
    const others = synonyms
      .filter(({ name }) => stems.every((stem) => name.includes(stem)))
      .flatMap((match) => match.others);
    return [stems, ...others];
  });
}

function looksLikeHeading(words: readonly { word: string }[]): boolean {
  const long = words.filter(({ word }) => word.length >= LONG && !isStopWord(word));
  const capital = long.filter(({ word }) => CAPITAL.test(word)).length;
  return capital >= HEADING ? capital > long.length / 2 : capital > 1 && capital === long.length;
}
