import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from './float32.ts';
import {
  bm25Share,
  idfOf,
  meanLengthOf,
  rankedColumns,
  readStems,
  type SearchColumns,
  saturate,
} from './terms.ts';
import { isStopStem } from './tokenise.ts';
import { addScaled, cosinesOf } from './vectors.ts';

/** The best cards, which are taken for answers, and the score gap at which their weight falls to 1/e. */
const BEST = { hybrid: { cards: 20, spread: 0.02 }, lexical: { cards: 10, spread: 0.05 } };
/** Terms that mark the best cards. */
const TERMS = 40;

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
  but: ReadonlySet<string>,
): Map<number, number> {
  const { names, weights } = rankedColumns(columns);
  const ids = ranked.map(({ id }) => id);
  const cards = readStems(db, columns.name, names, ids).map(({ id, texts }) => ({
    id,
    ...countStems(weights, texts),
  }));
  const meanLength = meanLengthOf(cards);
  const { cards: depth, spread } = BEST.lexical;
  const best = new Map(ranked.slice(0, depth).map(({ id, score }) => [id, score]));
  const marks = new Map<string, number>();
  for (const { id, length, frequencies } of cards.filter((card) => best.has(card.id))) {
    const weight = Math.exp(((best.get(id) ?? 0) - (ranked[0]?.score ?? 0)) / spread);
    for (const [stem, frequency] of frequencies) {
      const mark = weight * saturate(frequency, length / meanLength);
      marks.set(stem, (marks.get(stem) ?? 0) + mark);
    }
  }
  const shared = [...marks]
    .filter(([stem]) => !but.has(stem) && !isStopStem(stem))
    .sort(([, a], [, b]) => b - a)
    .slice(0, TERMS)
    .flatMap(([term, mark]) => {
      const holding = cards.filter(({ frequencies }) => frequencies.has(term)).length;
      return holding < 2 ? [] : [{ term, idf: mark * idfOf(holding, cards.length) }];
    });
  return new Map(
    cards.map(({ id, length, frequencies }) => [
      id,
      bm25Share(shared, frequencies, length / meanLength),
    ]),
  );
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

/** Pseudo-relevance feedback: how near a card is to the best ones, of which the first weighs most. */
export function likenessToBest(
  ranked: readonly RankedCard[],
  vectors: ReadonlyMap<number, Int8Array>,
): (id: number) => number {
  const first = ranked[0]?.score ?? 0;
  const weights = ranked
    .slice(0, BEST.hybrid.cards)
    .map(({ id, score }) => ({ id, weight: Math.exp((score - first) / BEST.hybrid.spread) }));
  const total = weights.reduce((sum, { weight }) => sum + weight, 0);
  const centroid = new Float64Array(DIMENSIONS);
  for (const { id, weight } of weights) {
    const stored = vectors.get(id);
    if (stored !== undefined) addScaled(centroid, stored, weight / total);
  }
  const cosines = new Map(
    ranked.flatMap(({ id }) => {
      const stored = vectors.get(id);
      return stored === undefined
        ? []
        : [[id, Math.max(0, cosinesOf(stored, centroid)[0] ?? 0)] as const];
    }),
  );
  const sum = [...cosines.values()].reduce((total, cosine) => total + cosine, 0);
  const meanCosine = sum / Math.max(1, cosines.size);
  return (id) => cosines.get(id) ?? meanCosine;
}
