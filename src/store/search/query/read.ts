import type { Context } from '../../../core/context.ts';
import type { SearchIndex } from '../index.ts';
import { filterByDocumentFrequency } from '../lexical/document-frequency.ts';
import { readTotals } from '../lexical/terms.ts';
import { splitExclusion } from './exclusion.ts';
import { gistOf } from './gist.ts';
import { foreignLanguageOf } from './language.ts';
import { correctTypos } from './typos.ts';

/*
 * How a question is read, step by step. Each step takes a text and returns what is left of it:
 *
 *   findPapers, areas/papers/query          findEvents, areas/markets/query
 *     findNamed        ids, DOIs, titles      addresses and ids
 *     spellFields      author:cont
 *     withoutSyntax    NOT, -word, JSON       withoutSyntax
 *     findRestriction  authors, dates
 *   readQuestion, for both
 *     translate        terms of a question that is not in English
 *     splitExclusion   "not about crypto"
 *     gistOf           "could you find papers about", and what else is not the subject
 *     correctTypos     "voltility"
 *   search, for both
 *     synonyms, amounts, names, details and relative dates, which only add to the text
 */

/** A question as it is ranked. */
export interface Reading {
  /** The subject; '' where the question only says what it is not about. */
  text: string;
  /** What counts against a card; null for nothing. */
  excluded: string | null;
  /** The language that the question is in, if it is not English. */
  language: string | null;
  isTranslated: boolean;
  /** What was read beyond the words, for `meta.understood`. */
  understood: string[];
}

/** Reads a question in plain words. */
export async function readQuestion(
  { db, isWord }: Pick<Context, 'db' | 'isWord'>,
  index: SearchIndex,
  asked: string,
): Promise<Reading> {
  const { name, isProse = false, words } = index;
  const isHeld = (stem: string) => filterByDocumentFrequency(db, name, [stem], 1).has(stem);
  const language = foreignLanguageOf(asked);
  // The dictionary is large, and most questions are in English.
  const translated =
    language === null ? null : (await import('./dictionary.ts')).translate(asked, language, isHeld);
  const { text, excluded } = splitExclusion(translated ?? asked, isProse);
  const corrected = await correctTypos(
    db,
    { name, cards: readTotals(db, index).cards, names: isProse ? undefined : words },
    gistOf(text, isProse),
    async (word) => language !== null || words?.has(word) === true || (await isWord(word)),
  );
  return {
    text: corrected.text,
    excluded,
    language,
    isTranslated: translated !== null,
    understood: [
      ...(translated === null ? [] : [`${language}: ${translated}`]),
      ...(excluded === null ? [] : [`not: ${excluded}`]),
      ...corrected.corrections.map(({ from, to }) => `word: ${from} → ${to}`),
    ],
  };
}
