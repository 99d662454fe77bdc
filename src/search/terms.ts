import type { Database } from 'better-sqlite3';
import { readDocumentFrequencies, type WeightedTerm } from './lexical.ts';
import type { Comparison, SearchProfile } from './profile.ts';
import { raiseNames, type SynonymMatch } from './synonyms.ts';
import { isStopStem, type QueryTerm } from './tokenise.ts';

/** BM25 parameters: saturation of term frequencies and length normalisation. */
const K1 = 1.2;
const B = 0.75;
/** Weight of a compound's joined form, relative to its parts. */
const COMPOUND = 0.05;

/** Stems of this length or longer are told apart by their letters alone. */
const MAX_STEM = 64;
/** Lengths of stems by first letter; letters beyond ASCII share places. */
const SHAPES = 128 * MAX_STEM;

/** Name of an index, and its columns with their weights. */
export type SearchColumns = Pick<SearchProfile, 'name' | 'columns'>;

/** The columns that are ranked by. */
export function rankedColumns({ columns }: SearchColumns): { names: string[]; weights: number[] } {
  const ranked = Object.entries(columns).filter(([, weight]) => weight > 0);
  return { names: ranked.map(([name]) => name), weights: ranked.map(([, weight]) => weight) };
}

/** The terms with their weights; compounds and synonyms that no card contains are left out. */
export function weightTerms(
  db: Database,
  name: string,
  terms: readonly QueryTerm[],
  cards: number,
): WeightedTerm[] {
  const frequencies = readDocumentFrequencies(
    db,
    name,
    terms.map(({ term }) => term),
  );
  return terms.flatMap((queryTerm) => {
    const { term, isCompound, isSynonym } = queryTerm;
    const documentFrequency = frequencies.get(term) ?? 0;
    if ((isCompound || isSynonym) && documentFrequency === 0) return [];
    const idf = (isCompound ? COMPOUND : 1) * idfOf(documentFrequency, cards);
    return [{ ...queryTerm, documentFrequency, idf }];
  });
}

/** How rare a term is that so many of the texts contain. */
export function idfOf(documentFrequency: number, texts: number): number {
  const without = Math.max(0, texts - documentFrequency);
  return Math.log(1 + (without + 0.5) / (documentFrequency + 0.5));
}

/** Sum of the terms' idf; compounds count through their parts only. */
export function totalIdf(terms: readonly WeightedTerm[]): number {
  return terms.reduce((sum, { idf, isCompound }) => sum + (isCompound ? 0 : idf), 0);
}

/** How a card's text matches a query. */
export interface LexicalMatch {
  id: number;
  /** BM25 as a share of its upper bound, with every term repeated infinitely often, 0..1. */
  bm25: number;
  /** Share of the query's terms that the card contains, weighted by idf, 0..1. */
  coverage: number;
  /** Share of the title's stems that the query has under any name, 0..1. */
  titleCoverage: number;
  /** In how many names, dates and sides the card differs from the query. */
  mismatches: number;
}

/** A query prepared for matching cards. */
export interface TermQuery {
  terms: readonly WeightedTerm[];
  /** Names in the query, of which a card that has another name has the terms, too. */
  synonyms?: readonly SynonymMatch[];
  comparison?: Comparison | undefined;
}

/** Matches the cards of `ids` that are in the index. */
export function matchTerms(
  db: Database,
  columns: SearchColumns,
  ids: readonly number[],
  { terms, synonyms = [], comparison }: TermQuery,
): LexicalMatch[] {
  const relevant = new Set([
    ...terms.map(({ term }) => term),
    ...(comparison?.stems ?? []),
    ...synonyms.flatMap(({ others }) => others.flat()),
  ]);
  const { names, weights } = rankedColumns(columns);
  const count = stemCounter(weights, relevant);
  const countIn = (texts: readonly string[]) => {
    const counted = count(texts);
    for (const { term, parts } of terms) raiseParts(counted.frequencies, term, parts);
    raiseNames(counted.frequencies, synonyms);
    return counted;
  };
  const cards = readStems(db, columns.name, names, ids).map((card) => ({
    ...card,
    ...countIn(card.texts),
  }));
  const meanLength = meanLengthOf(cards);
  return cards.map(({ id, texts, length, frequencies }) => {
    const title = texts[0] ?? '';
    const stems = [...new Set(title.split(' '))].filter((stem) => !isStopStem(stem));
    const inFull = texts.filter((_, at) => (weights[at] ?? 0) >= 1);
    const stated = comparison === undefined ? frequencies : countIn(inFull).frequencies;
    return {
      id,
      bm25: bm25Share(terms, frequencies, length / meanLength),
      coverage: coverageOf(terms, frequencies),
      titleCoverage: stems.filter((stem) => relevant.has(stem)).length / Math.max(1, stems.length),
      mismatches:
        comparison?.countMismatches({
          ...{ title, inFull },
          says: (stem) => stated.has(stem),
          has: (stem) => frequencies.has(stem),
        }) ?? 0,
    };
  });
}

/** The mean length of texts, at least 1: candidates are about as long as all cards. */
export function meanLengthOf(texts: readonly { length: number }[]): number {
  return Math.max(
    1,
    texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length),
  );
}

/** The stems of cards, by column. */
export function readStems(
  db: Database,
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

/** A card that has a compound in one word, "nonlinear", has its parts as well. */
function raiseParts(
  frequencies: Map<string, number>,
  compound: string,
  parts: readonly string[],
): void {
  const joined = frequencies.get(compound) ?? 0;
  for (const part of joined > 0 ? parts : []) {
    frequencies.set(part, Math.max(joined, frequencies.get(part) ?? 0));
  }
}

/** Counts the weighted frequencies of the relevant stems in a card's texts, and the weighted length. */
export function stemCounter(
  weights: readonly number[],
  relevant: ReadonlySet<string>,
): (texts: readonly string[]) => { length: number; frequencies: Map<string, number> } {
  // Few other stems begin like a relevant one and are as long: the others need not be cut out.
  const shapeOf = (text: string, start: number, end: number) =>
    (MAX_STEM * text.charCodeAt(start) + Math.min(end - start, MAX_STEM - 1)) % SHAPES;
  const shapes = new Uint8Array(SHAPES);
  for (const stem of relevant) shapes[shapeOf(stem, 0, stem.length)] = 1;
  return (texts) => {
    const frequencies = new Map<string, number>();
    let length = 0;
    for (const [column, text] of texts.entries()) {
      if (text === '') continue;
      const weight = weights[column] ?? 0;
      // Twice as fast as splitting the whole text.
      for (let start = 0; start <= text.length; ) {
        const space = text.indexOf(' ', start);
        const end = space === -1 ? text.length : space;
        if (shapes[shapeOf(text, start, end)] === 1) {
          const stem = text.slice(start, end);
          if (relevant.has(stem)) frequencies.set(stem, (frequencies.get(stem) ?? 0) + weight);
        }
        length += weight;
        start = end + 1;
      }
    }
    return { length, frequencies };
  };
}

/** BM25 as a share of its upper bound; `relativeLength` is that of the text over the mean. */
export function bm25Share(
  terms: readonly Pick<WeightedTerm, 'term' | 'idf'>[],
  frequencies: ReadonlyMap<string, number>,
  relativeLength: number,
): number {
  let [score, possible] = [0, 0];
  for (const { term, idf } of terms) {
    const frequency = frequencies.get(term) ?? 0;
    possible += idf;
    score += idf * saturate(frequency, relativeLength);
  }
  return possible === 0 ? 0 : score / possible;
}

/** What the frequency of a term counts in BM25, 0..1, in a text of a length over the mean. */
export function saturate(frequency: number, relativeLength: number): number {
  return frequency / (frequency + K1 * (1 - B + B * relativeLength));
}

function coverageOf(
  terms: readonly WeightedTerm[],
  frequencies: ReadonlyMap<string, number>,
): number {
  const total = totalIdf(terms);
  return total === 0 ? 0 : totalIdf(terms.filter(({ term }) => frequencies.has(term))) / total;
}
