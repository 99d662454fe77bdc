import type { Verdict } from '../../core/envelope.ts';
import type { Match } from './ranking.ts';

/**
 * Nearest neighbours always exist; this says whether the nearest ones are near. Two logistic models,
 * fitted by `npm run eval -- --calibrate` on the train halves of judged questions, over papers and
 * events, large shelf and small alike: `field` tells questions with an answer from off-topic ones,
 * `answer` tells them from questions that the shelf does not answer, those of a word or two that say
 * nothing among them. `none` is what nothing on the shelf is near, `strong` what looks answered,
 * `weak` the rest, as where the matches speak of another bank, coin or year than the question.
 */
export const VERDICT = {
  withVectors: {
    field: {
      bias: -9.1,
      closeness: 11.52,
      words: 2.24,
      lift: -0.44,
      held: 4.38,
      asked: 2.9,
    },
    answer: {
      bias: -7.97,
      closeness: 3.77,
      words: -0.55,
      lift: 0.23,
      lead: 5.57,
      held: 2.02,
      asked: 2.41,
    },
    /**
     * What the chances must reach: to be of the field at all; to be so for sure, which no off-topic
     * question of the train halves does that looks answered; to be answered.
     */
    least: { field: 0.15, sure: 0.91, answer: 0.7 },
  },
  wordsAlone: {
    field: { bias: -7.27, words: 4.18, held: 4.77, asked: 3.11 },
    answer: { bias: -4.73, words: 0.92, lead: 3.18, held: 1.58, asked: 2.11 },
    least: { field: 0.12, sure: 0.91, answer: 0.6 },
  },
} as const;

/** What the verdict looks at: the best of each measure among the matches. */
export interface Evidence {
  /** Cosine with a card or passage; null where vectors took no part. */
  closeness: number | null;
  words: number;
  /**
   * By how many standard deviations the closeness stands above all cards. At the same closeness a
   * question of the field stands out less, for it is near to many cards.
   */
  lift: number;
  /** By how much the best score is ahead of the tenth: an answer stands out from its neighbours. */
  lead: number;
  /** Share of the question, by the rarity of its words, that one of the first matches holds. */
  held: number;
  /** How much the question says: at the same closeness one of few words is answered less often. */
  asked: number;
  /** Share of what the question names that one of the first matches speaks of. */
  named: number;
}

/** Matches of which one should speak of all that the question asks and names. */
const FIRST = 3;
/** A question of which they miss so much of what it names is about something else. */
const HALF = 0.5;

export function evidenceOf(matches: readonly Match[]): Evidence {
  const best = (of: (match: Match) => number | null) =>
    Math.max(0, ...matches.map((match) => of(match) ?? 0));
  const first = matches.slice(0, FIRST);
  return {
    closeness: matches.some(({ closeness }) => closeness !== null)
      ? best(({ closeness }) => closeness)
      : null,
    words: best(({ words }) => words),
    lift: best(({ lift }) => lift),
    lead: best(({ lead }) => lead),
    held: Math.max(0, ...first.map(({ held }) => held)),
    asked: best(({ asked }) => asked),
    named: Math.max(0, ...first.map(({ named }) => named)),
  };
}

/** So many matches, where there are as many, the models were fitted on. */
export const JUDGED = 10;

/** Judges a ranking: does it hold an answer, a neighbour, or nothing? */
export function judgeMatch(matches: readonly Match[]): Verdict {
  if (matches.length === 0) return 'none';
  const evidence = evidenceOf(matches);
  const { closeness, named } = evidence;
  const { least } = closeness === null ? VERDICT.wordsAlone : VERDICT.withVectors;
  const field = chanceOf('field', evidence);
  if (field < least.field) return 'none';
  if (named <= HALF || field < least.sure) return 'weak';
  return chanceOf('answer', evidence) >= least.answer ? 'strong' : 'weak';
}

/** The chance that a question is of the field, or answered, 0..1. */
export function chanceOf(
  model: 'field' | 'answer',
  { closeness, words, lift, lead, held, asked }: Evidence,
): number {
  const { wordsAlone, withVectors } = VERDICT;
  const by = closeness === null ? wordsAlone[model] : withVectors[model];
  const ahead = 'lead' in by ? by.lead * lead : 0;
  const near = 'closeness' in by ? by.closeness * (closeness ?? 0) + by.lift * lift : 0;
  return logistic(by.bias + by.words * words + by.held * held + by.asked * asked + ahead + near);
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}
