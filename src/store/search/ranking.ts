import type { Database } from 'better-sqlite3';
import {
  averageLength,
  rarityOf,
  readCards,
  readPassages,
  type Sought,
  scoreWords,
  shareHeld,
  type Totals,
} from './cards.ts';
import { bestCosines } from './kernel.ts';
import type { Background, Matrix } from './matrix.ts';
import type { Name } from './names.ts';

/**
 * The weights of ranking, chosen on the train halves of `npm run eval`. Each part is absolute, a
 * number that means the same for every query, so that scores of different queries compare.
 */
export const RANKING = {
  /** bm25 as a share of what is possible. */
  words: 0.5,
  /** Cosine of the card. */
  card: 0.15,
  /** Cosine of its best passage. */
  passage: 0.35,
  /** Cosine of the card with the middle of the best cards: it favours what they agree on. */
  feedback: 0.2,
  /** How many cards that middle is made of, */
  feedbackCards: 20,
  /** and how far behind the first a card may be and still weigh 1/e of it. */
  feedbackSpread: 0.02,
} as const;

/** So many of the best, by their words and the cosine of the card, are looked at passage by passage. */
const FINALISTS = 60;
/** The place over which the best is ahead. */
const LEAD_OVER = 10;
/** Cosines that differ less than this do not differ. */
const FLAT = 0.02;
const NONE = new Uint8Array();

/** A card with what speaks for it. */
export interface Match {
  id: number;
  /** Weighted mean of the parts, 0..1; matches come in its descending order. */
  score: number;
  /** Cosine of query and card; null when vectors did not take part or the card has none. */
  cosine: number | null;
  /** The best cosine of query and card or passage; null likewise. */
  closeness: number | null;
  /** How far the closeness stands above the cosines of all cards, in their standard deviations. */
  lift: number | null;
  /** bm25 as a share of what is possible, 0..1. */
  words: number;
  /** Share of the query's stems that the card contains, each weighed by its rarity, 0..1. */
  held: number;
  /**
   * How much the query says, whatever the card: ln(1 + the rarities of its stems as multiples of
   * ln(2 + cards), about that of a stem which one card holds).
   */
  asked: number;
  /** Share of what the query names that the card speaks of, 0..1; 1 where it names nothing. */
  named: number;
  /**
   * By how much the best score is ahead of the tenth, or of what a card usually has where there are
   * fewer, before the best cards were asked what they agree on: the first agrees with itself.
   */
  lead: number;
}

export interface Ranking {
  sought: readonly Sought[];
  names: readonly Name[];
  /** Sums over all cards of the index. */
  totals: Totals;
  /** The query's vector; with it comes the matrix that has scored it. Null: words alone. */
  vector: Float32Array | null;
  matrix: Matrix | null;
  limit: number;
}

/** Ranks candidates as wholes; those that neither share a word nor have a vector fall out. */
export function rankCandidates(
  db: Database,
  name: string,
  candidates: ReadonlySet<number>,
  ranking: Ranking,
): Match[] {
  const { vector, matrix, limit } = ranking;
  const matches = matchCandidates(db, name, candidates, ranking);
  if (matrix === null || vector === null) {
    const ranked = rank(matches, ({ words }) => words);
    return withLead(ranked.slice(0, limit), leadOf(ranked, ranked.at(-1)?.score ?? 0));
  }
  const { words, card, passage, feedback } = RANKING;
  // A card whose vector is still to come stands with what is usual among the others.
  const usual = average(matches.flatMap(({ cosine }) => cosine ?? []));
  const direct = (match: Match) =>
    words * match.words +
    card * Math.max(0, match.cosine ?? usual) +
    passage * Math.max(0, match.closeness ?? usual);
  const finalists = rank(matches, direct).slice(0, Math.max(FINALISTS, limit));
  const ids = finalists.map(({ id }) => id);
  const background = matrix.background();
  lookCloser(finalists, vector, readPassages(db, name, ids), background);
  const leaders = rank(finalists, direct);
  // A search among few has no tenth: then a card that has nothing to do with the question stands in.
  const lead = leadOf(leaders, (card + passage) * Math.max(0, background.mean));
  const middle = matrix.sumOf(middleWeights(leaders));
  const whole = words + card + passage + feedback;
  const agreements = new Map(
    leaders
      .filter(({ cosine }) => cosine !== null)
      .map(({ id }) => [id, Math.max(0, matrix.dot(id, middle))]),
  );
  const usualAgreement = average([...agreements.values()]);
  const ranked = rank(
    leaders,
    (match) => (direct(match) + feedback * (agreements.get(match.id) ?? usualAgreement)) / whole,
  );
  return withLead(ranked.slice(0, limit), lead);
}

/** What speaks for each candidate by its words and by the cosine of the card. */
function matchCandidates(
  db: Database,
  name: string,
  candidates: ReadonlySet<number>,
  { sought, names, totals, matrix }: Ranking,
): Match[] {
  const asked = Math.log(1 + rarityOf(sought) / Math.log(2 + totals.cards));
  return readCards(db, name, candidates).flatMap((card) => {
    const cosine = matrix?.cosineOf(card.id) ?? null;
    const scored = scoreWords(card, sought, averageLength(totals));
    if (cosine === null && scored.held === 0) return [];
    const still = { score: 0, lead: 0, lift: null, closeness: cosine };
    return { id: card.id, cosine, named: shareHeld(card, names), asked, ...scored, ...still };
  });
}

/** Sets the closeness of matches, and its lift, by their passages. */
function lookCloser(
  matches: readonly Match[],
  vector: Float32Array,
  passages: readonly (Uint8Array | null)[],
  { mean, deviation }: Background,
): void {
  const cosines = bestCosines(
    vector,
    passages.map((packed) => packed ?? NONE),
  );
  for (const [index, match] of matches.entries()) {
    if (match.cosine === null) continue;
    match.closeness = Math.max(match.cosine, cosines[index] ?? -1);
    match.lift = (match.closeness - mean) / Math.max(deviation, FLAT);
  }
}

/** The best cards by their scores: the first counts alone where it is far ahead. Sums to 1. */
function middleWeights(leaders: readonly Match[]): (readonly [id: number, weight: number])[] {
  const first = leaders[0]?.score ?? 0;
  const weights = leaders
    .slice(0, RANKING.feedbackCards)
    .map(({ id, score }) => [id, Math.exp((score - first) / RANKING.feedbackSpread)] as const);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return weights.map(([id, weight]) => [id, weight / sum] as const);
}

/** Gives the matches their scores and sorts them, best first, ties to the smaller id. */
function rank(matches: Match[], scoreOf: (match: Match) => number): Match[] {
  for (const match of matches) match.score = Math.min(1, Math.max(0, scoreOf(match)));
  return matches.sort((a, b) => b.score - a.score || a.id - b.id);
}

/** How far the first of a ranking is ahead of the tenth, or of a score where there is none. */
function leadOf(ranked: readonly Match[], otherwise: number): number {
  return (ranked[0]?.score ?? 0) - (ranked[LEAD_OVER - 1]?.score ?? otherwise);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function withLead(matches: readonly Match[], lead: number): Match[] {
  return matches.map((match) => ({ ...match, lead }));
}
