import type { Database } from 'better-sqlite3';
import { type Excluded, penaltiesOf } from './exclusion.ts';
import { feedbackShares, likenessToBest } from './feedback.ts';
import type { Fitted, SearchProfile, Weights } from './profile.ts';
import { type LexicalMatch, matchTerms, type TermQuery, totalIdf } from './terms.ts';
import { cosinesOf, readPassages, readVectors } from './vectors.ts';
import type { Evidence } from './verdict.ts';

/** The best candidates, by BM25 and card cosine, whose passages are compared. */
const FINALISTS = 60;
/** The best candidates of lexical-only search, among which feedback ranks. */
const FEEDBACK_DEPTH = 40;
/** The rank against which the lead of the first match is measured. */
const LEAD_RANK = 10;

/** A card with its score and the features it comes from. */
export interface Match extends LexicalMatch {
  /** Weighted mean of the features, 0..1; matches are sorted by it, descending. */
  score: number;
  /** Cosine of query and card; null in lexical-only search and for a card without an embedding. */
  cosine: number | null;
  /** The largest cosine of the query with the card or one of its passages; null likewise. */
  passageCosine: number | null;
}

export interface RankingQuery extends TermQuery {
  limit: number;
  /** Number of cards in the index. */
  cards: number;
  excluded?: Excluded | undefined;
  /** What preferred cards gain in score. */
  boosts: ReadonlyMap<number, number>;
}

export interface Ranking {
  /** Best first. */
  matches: Match[];
  /** Null without a match. */
  evidence: Evidence | null;
}

/** Ranks candidates by their text only; drops those that share no term with the query. */
export function rankByTerms(
  db: Database,
  profile: SearchProfile,
  ids: readonly number[],
  query: RankingQuery,
): Ranking {
  const weights = weightsFor(profile.fitted.lexical, query);
  const penalties = penaltiesOf(db, profile, ids, query);
  const matches = matchTerms(db, profile, ids, query)
    .filter(({ coverage }) => coverage > 0)
    .map((match) => ({ ...match, score: 0, cosine: null, passageCosine: null }));
  const ranked = rank(
    matches,
    (match) => lexicalScore(match, weights) - (penalties.get(match.id) ?? 0),
  );
  const excluded = query.excluded?.terms ?? [];
  const shares =
    weights.feedback === 0
      ? new Map<number, number>()
      : feedbackShares(
          db,
          profile,
          ranked.slice(0, FEEDBACK_DEPTH),
          new Set([...query.terms, ...excluded].map(({ term }) => term)),
        );
  const scoreOf = ({ id, score }: Match) => withFeedback(score, shares.get(id) ?? 0, weights);
  return finish(ranked, scoreOf, { query, weights, boost: profile.fitted.lexical.boost });
}

/**
 * Ranks candidates by text and vector; drops those that neither share a term nor have a vector.
 * `background` is the mean cosine of the query with all cards.
 */
export function rankHybrid(
  db: Database,
  profile: SearchProfile,
  ids: readonly number[],
  query: RankingQuery & { vector: Float32Array; background: number },
): Ranking {
  const vector = Float64Array.from(query.vector);
  const vectors = readVectors(db, profile.name, ids);
  const weights = weightsFor(profile.fitted.hybrid, query);
  const penalties = penaltiesOf(db, profile, ids, query, { vectors, vector });
  const matches = matchTerms(db, profile, ids, query)
    .map((match): Match => {
      const stored = vectors.get(match.id);
      const cosine = stored === undefined ? null : (cosinesOf(stored, vector)[0] ?? 0);
      return { ...match, score: 0, cosine, passageCosine: cosine };
    })
    .filter(({ cosine, coverage }) => cosine !== null || coverage > 0);
  // A card that has no vector yet is scored with the mean of the others.
  const meanCosine = mean(matches.flatMap(({ cosine }) => cosine ?? []));
  const scoreOf = (match: Match) =>
    lexicalScore(match, weights) +
    weights.card * Math.max(0, match.cosine ?? meanCosine) +
    weights.passage * Math.max(0, match.passageCosine ?? meanCosine) -
    (penalties.get(match.id) ?? 0);
  const { boost } = profile.fitted.hybrid;
  const finalists = rank(
    matches,
    (match) => scoreOf(match) + gainOf(match, query, weights, boost),
  ).slice(0, Math.max(FINALISTS, query.limit));
  comparePassages(db, profile.name, finalists, vector);
  const ranked = rank(finalists, scoreOf);
  const likeness = likenessToBest(ranked, vectors);
  return finish(ranked, ({ id, score }) => withFeedback(score, likeness(id), weights), {
    ...{ query, weights, boost },
    background: query.background,
  });
}

/** Adds what the user prefers to the scores, sorts, and tells what speaks for an answer. */
function finish(
  ranked: readonly Match[],
  scoreOf: (match: Match) => number,
  of: { query: RankingQuery; weights: Weights; boost: number; background?: number },
): Ranking {
  const { query, weights, boost, background = 0 } = of;
  const final = rank(ranked, (match) => scoreOf(match) + gainOf(match, query, weights, boost));
  const [best, tenth] = [ranked[0], ranked[LEAD_RANK - 1] ?? ranked.at(-1)];
  const [first] = final;
  if (first === undefined || best === undefined || tenth === undefined) {
    return { matches: [], evidence: null };
  }
  // About the idf of a term that only one card contains.
  const rarest = Math.log(2 + query.cards);
  const unstored = query.terms.filter(({ documentFrequency }) => documentFrequency === 0);
  const evidence = {
    score: clamp(best.score),
    lead: clamp(best.score) - clamp(tenth.score),
    background,
    specificity: Math.log(1 + totalIdf(query.terms) / rarest),
    unstored: totalIdf(unstored) / (totalIdf(query.terms) || 1),
    coverage: first.coverage,
    title: first.titleCoverage,
    mismatches: first.mismatches,
  };
  const matches = final.slice(0, query.limit);
  return { matches: matches.map((match) => ({ ...match, score: clamp(match.score) })), evidence };
}

/** What a match gains in rank only: the verdict is fitted on scores without it. */
function gainOf(
  { id, titleCoverage }: Match,
  { boosts }: RankingQuery,
  weights: Weights,
  boost: number,
): number {
  return weights.title * titleCoverage + boost * (boosts.get(id) ?? 0);
}

function lexicalScore(match: LexicalMatch, weights: Weights): number {
  const { bm25, coverage, mismatches } = match;
  return weights.bm25 * bm25 + weights.coverage * coverage - weights.mismatch * mismatches;
}

function withFeedback(score: number, share: number, { feedback }: Weights): number {
  return (score + feedback * share) / (1 + feedback);
}

/**
 * The weights for a query of its length. A short query is often answered by one passage; a long one may
 * describe a card as a whole, so that how many of its terms occur tells more than how often they do.
 */
function weightsFor({ weights, long }: Fitted, { terms }: TermQuery): Weights {
  if (long === undefined) return weights;
  const [from = 0, to = 1] = long.terms;
  const count = terms.filter(({ isCompound }) => !isCompound).length;
  const share = Math.min(1, Math.max(0, (count - from) / (to - from)));
  const mix = (name: keyof Weights) => (1 - share) * weights[name] + share * long.weights[name];
  return {
    ...{ bm25: mix('bm25'), coverage: mix('coverage') },
    ...{ card: mix('card'), passage: mix('passage'), feedback: mix('feedback') },
    ...{ title: mix('title'), mismatch: mix('mismatch') },
  };
}

function comparePassages(
  db: Database,
  name: string,
  matches: readonly Match[],
  vector: Float64Array,
): void {
  const passages = readPassages(
    db,
    name,
    matches.map(({ id }) => id),
  );
  for (const match of matches) {
    const stored = passages.get(match.id);
    if (stored === undefined || match.cosine === null) continue;
    match.passageCosine = Math.max(match.cosine, ...cosinesOf(stored, vector));
  }
}

/**
 * Gives the matches their scores and sorts them, best first, ties to the smaller id. Boosts and
 * penalties lead out of 0..1: cut off before the sort, such scores would all tie.
 */
function rank(matches: readonly Match[], scoreOf: (match: Match) => number): Match[] {
  return matches
    .map((match) => ({ ...match, score: scoreOf(match) }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
}

function clamp(score: number): number {
  return Math.min(1, Math.max(0, score));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
