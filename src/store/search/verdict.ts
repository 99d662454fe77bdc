import type { Verdict } from '../../core/envelope.ts';
import { type TermQuery, totalIdf } from './lexical/terms.ts';
import type { Match } from './match.ts';
import { lengthOf } from './weights.ts';

/** Weights of a logistic model over the evidence. */
type Model = Readonly<{ bias: number } & Partial<Record<Feature, number>>>;

/**
 * Nearest neighbours always exist; the verdict says whether they are near. Logistic models are
 * fitted by `npm run eval -- --calibrate` on the train halves of judged queries, over papers and
 * events, large shelves and small, plain and in frames. `onTopic` separates queries of the field
 * from those of others; `answered` separates answered queries from the same ones on a shelf whose
 * answers were taken away, and from others that are not held; `eventAnswered` does so for events. In
 * lexical-only search `onTopic` was fitted on the papers; that of its events is older.
 */
export const VERDICT = {
  hybrid: {
    onTopic: {
      bias: 1.6,
      passageCosine: 1.14,
      backgroundCosine: 14.15,
      scoreMargin: 14.67,
      missingTerm: -4.21,
      fieldScore: 5.19,
    },
    answered: {
      bias: -9.36,
      score: 11.85,
      scoreMargin: 4.95,
      backgroundCosine: -4.96,
      specificity: 3.41,
      length: -1.81,
    },
    eventAnswered: {
      bias: -9.62,
      scoreMargin: 10.83,
      specificity: 2.68,
      titleCoverage: 2.44,
      idfCoverage: 3.9,
      size: -1.5,
    },
    thresholds: {
      onTopic: 0.25,
      surelyOnTopic: 0.6,
      answered: { prose: 0.82, event: 0.75 },
    },
  },
  lexical: {
    onTopic: {
      bias: -5.79,
      score: 12.49,
      specificity: 2.35,
      unheldTerms: -5.21,
    },
    onTopicOfEvents: {
      bias: -4.29,
      score: 13.41,
      specificity: 1.36,
      unheldTerms: -4.6,
    },
    answered: {
      bias: -6.65,
      score: 4.66,
      scoreMargin: 5.25,
      missingTerm: -0.65,
      specificity: 3.2,
      length: -1.57,
    },
    eventAnswered: {
      bias: -7.68,
      scoreMargin: 3.23,
      specificity: 1.93,
      titleCoverage: 2.86,
      idfCoverage: 5.07,
      size: -1.5,
    },
    thresholds: {
      onTopic: 0.25,
      surelyOnTopic: 0.6,
      answered: { prose: 0.8, event: 0.75 },
    },
  },
} as const satisfies Record<string, RankerModels>;

/** Cards that are not prose share names, and their twins differ in a word or a date. */
type Threshold = Readonly<Record<'prose' | 'event', number>>;

interface RankerModels {
  onTopic: Model;
  /** For cards that are not prose, if they differ. */
  onTopicOfEvents?: Model;
  answered: Model;
  eventAnswered: Model;
  /** Minimum probabilities; chosen on the train halves, see data/eval/README.md. */
  thresholds: {
    onTopic: number;
    surelyOnTopic: number;
    answered: Threshold;
  };
}

/** Input of the models. Letter case does not matter. */
export interface Evidence {
  /** The best score, before feedback, which favours the first match. */
  score: number;
  /** That score less the tenth: an answer stands out from its neighbours. */
  scoreMargin: number;
  /** The largest cosine of the first match or its passages; null in lexical-only search. */
  passageCosine: number | null;
  /**
   * Mean cosine of the query with all cards; 0 in lexical-only search. A query of another field is
   * far from all of them; a broad one of the field is near to many, answered or not.
   */
  backgroundCosine: number;
  /** The largest idf of a term that the first match lacks, over that of the rarest term. */
  missingTerm: number;
  /**
   * How specific the query is: ln(1 + total idf over the idf of the rarest term). With the same
   * score, a query of few terms is answered less often.
   */
  specificity: number;
  /**
   * Share of the query's terms, by idf, that no card contains, 0..1, times the size of the shelf from
   * 0 to 1: a small one lacks many words of its own field.
   */
  unheldTerms: number;
  /**
   * What the rarest term that the first match lacks is of all that the query says, 0..1, times the size
   * of the shelf likewise; 0 for a term that is not rare, or for cards that are not prose.
   */
  missingShare: number;
  /** Number of the query's details, such as a month or place, that the first match lacks. */
  missingDetails: number;
  /**
   * How much nearer the query is to questions of the field than to those of others: the cosine with
   * their difference, 0 halfway, or if the model is not the one that it was measured with.
   */
  fieldScore: number;
  /** 1 if cards are prose, 0 if not. */
  isProse: number;
  /** Share of the first match's title that the query names; 0 for prose. */
  titleCoverage: number;
  /**
   * Share of the query's terms, by idf, that the first match has under any name; 0 for prose, and for
   * a single term, which many cards may have.
   */
  idfCoverage: number;
  /** How long the query is, from 0, short, to 1. */
  length: number;
  /** Size of the shelf, from 0 to 1: a large one has more twins of what is asked for. */
  size: number;
}

export type Feature = keyof Evidence;
const FEATURES = [
  'score',
  'scoreMargin',
  'passageCosine',
  'backgroundCosine',
  'missingTerm',
  'specificity',
  'unheldTerms',
  'length',
  'fieldScore',
  'titleCoverage',
  'idfCoverage',
  'size',
] as const satisfies readonly Feature[];

/** Cards of the smallest and the largest shelf that the models were fitted on: sizes 0 and 1. */
const FITTED_CARDS = { least: 37, most: 2_000 };

/** What does not depend on the match that is first in the end. */
export interface RankingEvidence extends Pick<Evidence, 'score' | 'scoreMargin'> {
  query: TermQuery;
  /** Null in lexical-only search. */
  backgroundCosine: number | null;
  fieldScore: number;
  isProse: boolean;
}

/** From this idf, over that of the rarest term, a term is rare; from this share on it is the question. */
const MISSING = { idf: 0.8, share: 0.25 };

/** The evidence of a ranking, best match first; null for an empty one. */
export function evidenceOf(
  [first]: readonly Match[],
  { query, backgroundCosine, score, scoreMargin, fieldScore, isProse }: RankingEvidence,
): Evidence | null {
  if (first === undefined) return null;
  const asked = query.terms.filter(({ isSynonym }) => !isSynonym);
  const unheld = asked.filter(({ documentFrequency }) => documentFrequency === 0);
  // About the idf of a term that only one card contains.
  const rarest = Math.log(2 + query.totals.cards);
  const missingTerm = first.missingIdf / rarest;
  const size = sizeOf(query.totals.cards);
  return {
    score,
    scoreMargin,
    passageCosine: backgroundCosine === null ? null : Math.max(0, first.maxPassageCosine ?? 0),
    backgroundCosine: backgroundCosine ?? 0,
    missingTerm,
    specificity: Math.log(1 + totalIdf(asked) / rarest),
    unheldTerms: (size * totalIdf(unheld)) / (totalIdf(asked) || 1),
    missingShare:
      isProse && missingTerm >= MISSING.idf ? (size * first.missingIdf) / totalIdf(asked) : 0,
    missingDetails: first.missingDetails,
    fieldScore,
    isProse: Number(isProse),
    titleCoverage: isProse ? 0 : first.titleCoverage,
    idfCoverage: isProse || asked.length < 2 ? 0 : first.idfCoverage,
    length: lengthOf(query),
    size,
  };
}

function sizeOf(cards: number): number {
  const { least, most } = FITTED_CARDS;
  const fitted = Math.min(most, Math.max(least, cards));
  return Math.log(fitted / least) / Math.log(most / least);
}

/** `none` if nothing on the shelf is near, `strong` if the query looks answered, otherwise `weak`. */
export function judge(evidence: Evidence | null): Verdict {
  if (evidence === null) return 'none';
  const { onTopic, surelyOnTopic, answered } = modelsFor(evidence).thresholds;
  const kind = evidence.isProse === 1 ? 'prose' : 'event';
  const topicality = probabilityOf('onTopic', evidence);
  if (topicality < onTopic) return 'none';
  const isNearMiss = evidence.missingDetails > 0 || evidence.missingShare >= MISSING.share;
  if (topicality < surelyOnTopic || isNearMiss) return 'weak';
  return probabilityOf('answered', evidence) >= answered[kind] ? 'strong' : 'weak';
}

/** The probability that a query is on topic, or answered, 0..1. */
export function probabilityOf(model: 'onTopic' | 'answered', evidence: Evidence): number {
  const models: RankerModels = modelsFor(evidence);
  const isEvent = evidence.isProse === 0;
  const onTopic = (isEvent && models.onTopicOfEvents) || models.onTopic;
  const answered = isEvent ? models.eventAnswered : models.answered;
  const weights = model === 'onTopic' ? onTopic : answered;
  const logit = FEATURES.reduce(
    (sum, feature) => sum + (weights[feature] ?? 0) * (evidence[feature] ?? 0),
    weights.bias,
  );
  return 1 / (1 + Math.exp(-logit));
}

function modelsFor({ passageCosine }: Evidence): RankerModels {
  return passageCosine === null ? VERDICT.lexical : VERDICT.hybrid;
}
