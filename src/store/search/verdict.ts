import type { Verdict } from '../../core/envelope.ts';
import type { Match } from './match.ts';
import type { Background } from './vectors/sample.ts';

/** Weights of a logistic model over the evidence. */
type Model = Readonly<{ bias: number } & Partial<Record<Feature, number>>>;

/**
 * Nearest neighbours always exist; the verdict says whether they are near. Two logistic models are
 * fitted by `npm run eval -- --calibrate` on the train halves of judged queries, over papers and
 * events, large shelves and small. `onTopic` separates answered queries from off-topic ones,
 * `answered` separates them from on-topic queries that the shelf does not answer.
 */
export const VERDICT = {
  hybrid: {
    onTopic: {
      bias: -9.1,
      maxPassageCosine: 11.52,
      bm25: 2.24,
      zScore: -0.44,
      idfCoverage: 4.38,
      specificity: 2.9,
    },
    answered: {
      bias: -7.97,
      maxPassageCosine: 3.77,
      bm25: -0.55,
      zScore: 0.23,
      scoreMargin: 5.57,
      idfCoverage: 2.02,
      specificity: 2.41,
    },
    thresholds: { onTopic: 0.15, surelyOnTopic: 0.91, answered: 0.7 },
  },
  lexical: {
    onTopic: { bias: -7.27, bm25: 4.18, idfCoverage: 4.77, specificity: 3.11 },
    answered: { bias: -4.73, bm25: 0.92, scoreMargin: 3.18, idfCoverage: 1.58, specificity: 2.11 },
    thresholds: { onTopic: 0.12, surelyOnTopic: 0.91, answered: 0.6 },
  },
} as const satisfies Record<string, RankerModels>;

interface RankerModels {
  onTopic: Model;
  answered: Model;
  /**
   * Minimum probabilities. No off-topic query of the train halves that looks answered reaches
   * `surelyOnTopic`.
   */
  thresholds: { onTopic: number; surelyOnTopic: number; answered: number };
}

/** Input of the models: the best value of each feature among the first matches. */
export interface Evidence {
  /** The largest cosine with a card or passage; null in lexical-only search. */
  maxPassageCosine: number | null;
  bm25: number;
  /**
   * `maxPassageCosine` in standard deviations above the mean cosine of all cards; 0 in lexical-only
   * search. At the same cosine an on-topic query stands out less, since it is near many cards.
   */
  zScore: number;
  /**
   * The best score less the tenth: an answer stands out from its neighbours. Taken before feedback,
   * which favours the first match.
   */
  scoreMargin: number;
  /** Share of the query's terms that one of the first matches contains, weighted by idf. */
  idfCoverage: number;
  /**
   * How specific the query is: ln(1 + total idf / ln(2 + cards)), where the divisor is about the idf
   * of a term that only one card contains. At the same cosine, a query of few terms is answered less
   * often.
   */
  specificity: number;
  /** Share of the query's entities that one of the first matches names. */
  entityCoverage: number;
}

const FEATURES = [
  'maxPassageCosine',
  'bm25',
  'zScore',
  'scoreMargin',
  'idfCoverage',
  'specificity',
] as const;
export type Feature = (typeof FEATURES)[number];

/** Matches that the models were fitted on. */
const JUDGED = 10;
/** Matches of which one should contain all terms and entities of the query. */
const FIRST = 3;
/** Lower bound for the standard deviation of cosines. */
const MIN_DEVIATION = 0.02;
/** Up to this entity coverage, the first matches are about other entities. */
const FEW_ENTITIES = 0.5;

/** What is the same for all matches of a query. */
export interface QueryEvidence extends Pick<Evidence, 'specificity' | 'scoreMargin'> {
  /** Null in lexical-only search. */
  background: Background | null;
}

/** The evidence of a ranking, best match first; null for an empty one. */
export function evidenceOf(
  ranked: readonly Match[],
  { specificity, scoreMargin, background }: QueryEvidence,
): Evidence | null {
  if (ranked.length === 0) return null;
  const judged = ranked.slice(0, JUDGED);
  const first = ranked.slice(0, FIRST);
  const cosines = judged.flatMap((match) => match.maxPassageCosine ?? []);
  const maxPassageCosine = cosines.length === 0 ? null : Math.max(0, ...cosines);
  const zScore =
    maxPassageCosine === null || background === null
      ? 0
      : (maxPassageCosine - background.mean) / Math.max(background.deviation, MIN_DEVIATION);
  return {
    maxPassageCosine,
    zScore: Math.max(0, zScore),
    bm25: Math.max(...judged.map(({ bm25 }) => bm25)),
    idfCoverage: Math.max(...first.map(({ idfCoverage }) => idfCoverage)),
    entityCoverage: Math.max(...first.map(({ entityCoverage }) => entityCoverage)),
    specificity,
    scoreMargin,
  };
}

/**
 * `none` if nothing on the shelf is near, `strong` if the query looks answered, otherwise `weak`.
 * At most `weak` if the matches name another bank, coin or year than the query.
 */
export function judge(evidence: Evidence | null): Verdict {
  if (evidence === null) return 'none';
  const { onTopic, surelyOnTopic, answered } = modelsFor(evidence).thresholds;
  const topicality = probabilityOf('onTopic', evidence);
  if (topicality < onTopic) return 'none';
  if (topicality < surelyOnTopic || evidence.entityCoverage <= FEW_ENTITIES) return 'weak';
  return probabilityOf('answered', evidence) >= answered ? 'strong' : 'weak';
}

/** The probability that a query is on topic, or answered, 0..1. */
export function probabilityOf(model: 'onTopic' | 'answered', evidence: Evidence): number {
  const weights = modelsFor(evidence)[model];
  const logit = FEATURES.reduce(
    (sum, feature) => sum + (weights[feature] ?? 0) * (evidence[feature] ?? 0),
    weights.bias,
  );
  return 1 / (1 + Math.exp(-logit));
}

function modelsFor({ maxPassageCosine }: Evidence): RankerModels {
  return maxPassageCosine === null ? VERDICT.lexical : VERDICT.hybrid;
}
