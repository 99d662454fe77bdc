import { mean, sum } from '../core/numbers.ts';
import type { Reader } from '../core/reader.ts';
import { readDocumentFrequencies, type WeightedTerm } from './lexical.ts';
import type { Comparison, SearchProfile } from './profile.ts';
import { raiseNames, type SynonymMatch } from './synonyms.ts';
import { isStopStem } from './tokenise.ts';

/** BM25 parameters: saturation of term frequencies and length normalisation. */
const K1 = 1.2;
const B = 0.75;

/** Weights stems by their rarity in an index of `cards` cards. */
export function weightTerms(
  db: Reader,
  name: string,
  stems: readonly string[],
  cards: number,
): WeightedTerm[] {
  const frequencies = readDocumentFrequencies(db, name, stems);
  return stems.map((term) => {
    const documentFrequency = frequencies.get(term) ?? 0;
    const without = Math.max(0, cards - documentFrequency);
    const idf = Math.log(1 + (without + 0.5) / (documentFrequency + 0.5));
    return { term, documentFrequency, idf };
  });
}

export function totalIdf(terms: readonly WeightedTerm[]): number {
  return sum(terms.map(({ idf }) => idf));
}

export interface LexicalMatch {
  id: number;
  /** BM25 divided by its limit for infinitely frequent terms, 0..1. */
  bm25: number;
  /** Share of the query's terms that the card contains, weighted by idf, 0..1. */
  coverage: number;
  /** Share of the title's stems, without stop words, that the query contains, 0..1; synonyms count. */
  titleCoverage: number;
  /** Number of names, dates and sides in which the card differs from the query. */
  mismatches: number;
}

export interface TermQuery {
  terms: readonly WeightedTerm[];
  /** Names in the query; a card that contains a synonym counts as containing the name. */
  synonyms?: readonly SynonymMatch[];
  comparison?: Comparison | undefined;
}

/** The features of those cards in `ids` that are in the index. */
export function matchTerms(
  db: Reader,
  profile: Pick<SearchProfile, 'name' | 'columns'>,
  ids: readonly number[],
  { terms, synonyms = [], comparison }: TermQuery,
): LexicalMatch[] {
  const relevant = new Set([
    ...terms.map(({ term }) => term),
    ...(comparison?.stems ?? []),
    ...synonyms.flatMap(({ others }) => others.flat()),
  ]);
  const ranked = Object.entries(profile.columns).filter(([, weight]) => weight > 0);
  const weights = ranked.map(([, weight]) => weight);
  const names = ranked.map(([name]) => name);
  const countIn = (texts: readonly string[]) => {
    const counted = countStems(texts, weights, relevant);
    raiseNames(counted.frequencies, synonyms);
    return counted;
  };
  const cards = readStems(db, profile.name, names, ids).map((card) => ({
    ...card,
    ...countIn(card.texts),
  }));
  // The mean length of the candidates is close to that of all cards.
  const meanLength = Math.max(1, mean(cards.map(({ length }) => length)));
  return cards.map(({ id, texts, length, frequencies }) => {
    const [title = ''] = texts;
    const stems = [...new Set(title.split(' '))].filter((stem) => !isStopStem(stem));
    const inFull = texts.filter((_, at) => (weights[at] ?? 0) >= 1);
    const inFullFrequencies = comparison === undefined ? frequencies : countIn(inFull).frequencies;
    return {
      id,
      bm25: bm25Share(terms, frequencies, length / meanLength),
      coverage: coverageOf(terms, frequencies),
      titleCoverage: stems.filter((stem) => relevant.has(stem)).length / Math.max(1, stems.length),
      mismatches:
        comparison?.countMismatches({
          title,
          inFull,
          says: (stem) => inFullFrequencies.has(stem),
          has: (stem) => frequencies.has(stem),
        }) ?? 0,
    };
  });
}

function readStems(
  db: Reader,
  name: string,
  columns: readonly string[],
  ids: readonly number[],
): { id: number; texts: string[] }[] {
  return db
    .prepare<{ ids: string }, [id: number, ...texts: string[]]>(`
      SELECT card.rowid, ${columns.join(', ')}
      FROM json_each(@ids) AS candidate
      CROSS JOIN ${name}_terms AS card ON card.rowid = candidate.value`)
    .raw()
    .all({ ids: JSON.stringify(ids) })
    .map(([id, ...texts]) => ({ id, texts }));
}

/** The weighted frequencies of the relevant stems in a card, and its weighted length. */
function countStems(
  texts: readonly string[],
  weights: readonly number[],
  relevant: ReadonlySet<string>,
): { length: number; frequencies: Map<string, number> } {
  const frequencies = new Map<string, number>();
  let length = 0;
  for (const [column, text] of texts.entries()) {
    const weight = weights[column] ?? 0;
    for (const stem of text === '' ? [] : text.split(' ')) {
      length += weight;
      if (relevant.has(stem)) frequencies.set(stem, (frequencies.get(stem) ?? 0) + weight);
    }
  }
  return { length, frequencies };
}

/** BM25 divided by its upper bound; `relativeLength` is the card's length divided by the mean length. */
function bm25Share(
  terms: readonly WeightedTerm[],
  frequencies: ReadonlyMap<string, number>,
  relativeLength: number,
): number {
  let [score, possible] = [0, 0];
  for (const { term, idf } of terms) {
    const frequency = frequencies.get(term) ?? 0;
    possible += idf;
    score += (idf * frequency) / (frequency + K1 * (1 - B + B * relativeLength));
  }
  return possible === 0 ? 0 : score / possible;
}

function coverageOf(
  terms: readonly WeightedTerm[],
  frequencies: ReadonlyMap<string, number>,
): number {
  const total = totalIdf(terms);
  return total === 0 ? 0 : totalIdf(terms.filter(({ term }) => frequencies.has(term))) / total;
}
