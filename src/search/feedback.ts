import type { Database } from 'better-sqlite3';
import {
  bm25Share,
  idfOf,
  meanLengthOf,
  rankedColumns,
  readStems,
  type SearchColumns,
  saturate,
  stemCounter,
  type TermQuery,
} from './terms.ts';
import { isStopStem } from './tokenise.ts';

/** The best cards, which are taken for answers, and how many of their terms are. */
const CARDS = 10;
const TERMS = 40;
/** Score gap to the first card at which a card's weight falls to 1/e. */
const SPREAD = 0.05;

interface RankedCard {
  id: number;
  score: number;
}

/**
 * Pseudo-relevance feedback: how much each of the ranked cards has of the terms that mark the best of
 * them, but for those of the query, as a share of BM25, 0..1. A term is rare if few of these cards
 * contain it: to look up how many on the shelf do would take longer than the search.
 */
export function feedbackShares(
  db: Database,
  columns: SearchColumns,
  ranked: readonly RankedCard[],
  { terms }: Pick<TermQuery, 'terms'>,
): Map<number, number> {
  const { names, weights } = rankedColumns(columns);
  const ids = ranked.map(({ id }) => id);
  const texts = new Map(
    readStems(db, columns.name, names, ids).map((card) => [card.id, card.texts]),
  );
  const cards = ranked.map((card) => ({
    ...card,
    ...countStems(weights, texts.get(card.id) ?? []),
    texts: texts.get(card.id) ?? [],
  }));
  const meanLength = meanLengthOf(cards);
  const marks = new Map<string, number>();
  for (const { score, length, frequencies } of cards.slice(0, CARDS)) {
    const weight = Math.exp((score - (cards[0]?.score ?? 0)) / SPREAD);
    for (const [stem, frequency] of frequencies) {
      const mark = weight * saturate(frequency, length / meanLength);
      marks.set(stem, (marks.get(stem) ?? 0) + mark);
    }
  }
  const best = bestOf(marks, new Set(terms.map(({ term }) => term)));
  const count = stemCounter(weights, new Set(best.map(([stem]) => stem)));
  const counted = cards.map(({ id, texts }) => ({ id, ...count(texts) }));
  const shared = best.flatMap(([term, mark]) => {
    const holding = counted.filter(({ frequencies }) => frequencies.has(term)).length;
    return holding < 2 ? [] : [{ term, idf: mark * idfOf(holding, cards.length) }];
  });
  return new Map(
    counted.map(({ id, length, frequencies }) => [
      id,
      bm25Share(shared, frequencies, length / meanLength),
    ]),
  );
}

function bestOf(marks: ReadonlyMap<string, number>, but: ReadonlySet<string>) {
  return [...marks]
    .filter(([stem]) => !but.has(stem) && !isStopStem(stem))
    .sort(([, a], [, b]) => b - a)
    .slice(0, TERMS);
}

/** The weighted frequencies of all stems in a card's texts, and the weighted length. */
function countStems(weights: readonly number[], texts: readonly string[]) {
  const frequencies = new Map<string, number>();
  let length = 0;
  for (const [column, text] of texts.entries()) {
    const weight = weights[column] ?? 0;
    for (const stem of text === '' ? [] : text.split(' ')) {
      frequencies.set(stem, (frequencies.get(stem) ?? 0) + weight);
      length += weight;
    }
  }
  return { length, frequencies };
}
