import * as z from 'zod';
import topicsFile from '../../../data/topics.json' with { type: 'json' };
import { cosineOf } from '../../store/vectors.ts';

export interface Topic {
  topic: string;
  /** Categories of arXiv in which it is at home. */
  categories: readonly string[];
  /** Words and phrases that name it. */
  words: readonly string[];
}

/** The taxonomy, in its order. */
export const TOPICS: readonly Topic[] = z
  .object({
    topics: z.array(
      z.object({ topic: z.string(), categories: z.array(z.string()), words: z.array(z.string()) }),
    ),
  })
  .parse(topicsFile).topics;

/** What the vector of a topic is made from. */
export function topicText({ topic, words }: Topic): string {
  return `${topic}: ${words.join(', ')}.`;
}

/** What each kind of evidence is worth. */
const WEIGHTS = {
  title: 0.5,
  firstWord: 0.25,
  furtherWord: 0.12,
  mostWords: 0.5,
  primaryCategory: 0.1,
  otherCategory: 0.05,
  cosine: 1.4,
  /** Below this a cosine says nothing. */
  cosineFrom: 0.25,
} as const;
/** A tag needs this much; those behind the first also a share of what it has. */
const ENOUGH = 0.5;
const SHARE_OF_FIRST = 0.4;
const MAX_TAGS = 5;

interface Card {
  title: string;
  abstract: string;
  categories: readonly string[];
}

/**
 * One to five topics of a paper, best first, from its words, its categories, and (with a model) the
 * cosine between paper and topic; a paper of quantitative finance has at least one. Deterministic.
 */
export function assignTopics(
  card: Card,
  vector: Float32Array | null,
  topicVectors: readonly Float32Array[] | null,
): string[] {
  const title = fold(card.title);
  const abstract = fold(card.abstract);
  const scored = TOPICS.map((topic, index) => {
    const topicVector = topicVectors?.[index];
    const cosine =
      vector === null || topicVector === undefined ? null : cosineOf(vector, topicVector);
    return { topic, score: score(topic, card.categories, title, abstract, cosine), index };
  }).sort((a, b) => b.score - a.score || a.index - b.index);
  const [first] = scored;
  if (first === undefined) return [];
  const enough = scored.filter(
    ({ score: points }) => points >= ENOUGH && points >= SHARE_OF_FIRST * first.score,
  );
  if (enough.length > 0) return enough.slice(0, MAX_TAGS).map(({ topic }) => topic.topic);
  const isFinance = card.categories.some((category) => /^q-fin\.|^econ\./.test(category));
  return isFinance && first.score > 0 ? [first.topic.topic] : [];
}

function score(
  { categories, words }: Topic,
  ofPaper: readonly string[],
  title: string,
  abstract: string,
  cosine: number | null,
): number {
  const inTitle = words.some((word) => patternOf(word).test(title)) ? WEIGHTS.title : 0;
  const inAbstract = words.filter((word) => patternOf(word).test(abstract)).length;
  const byWords = inAbstract === 0 ? 0 : WEIGHTS.firstWord + (inAbstract - 1) * WEIGHTS.furtherWord;
  const byCategory = categories.includes(ofPaper[0] ?? '')
    ? WEIGHTS.primaryCategory
    : categories.some((category) => ofPaper.includes(category))
      ? WEIGHTS.otherCategory
      : 0;
  const byMeaning = cosine === null ? 0 : Math.max(0, cosine - WEIGHTS.cosineFrom) * WEIGHTS.cosine;
  const points = inTitle + Math.min(WEIGHTS.mostWords, byWords) + byCategory + byMeaning;
  return Math.round(points * 1_000) / 1_000;
}

const patterns = new Map<string, RegExp>();

/** The whole phrase, in the plural too, whether or not a hyphen joins its words. */
function patternOf(word: string): RegExp {
  const known = patterns.get(word);
  if (known !== undefined) return known;
  const escaped = fold(word).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![a-z0-9])${escaped}(?:e?s)?(?![a-z0-9])`);
  patterns.set(word, pattern);
  return pattern;
}

function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[-‐‑–]/g, ' ')
    .replace(/\s+/g, ' ');
}
