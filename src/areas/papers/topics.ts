import topicsFile from '../../../data/topics.json' with { type: 'json' };
import { toAscii } from '../../core/text.ts';
import { cosineOf } from '../../search/vectors.ts';

/** The parts of a card that determine its topics, with TeX removed. */
interface Card {
  title: string;
  abstract: string;
  /** arXiv categories, the primary one first. */
  categories: readonly string[];
}

interface Topic {
  topic: string;
  /** The arXiv categories that favour it. */
  categories: readonly string[];
  /** Words and phrases that name it. */
  words: readonly string[];
}

/** The taxonomy, in file order. */
export const TOPICS: readonly Topic[] = Object.entries(topicsFile.topics).map(
  ([topic, { categories, words }]) => ({ topic, categories, words: words.split(', ') }),
);

/** The text from which a topic's vector is computed. */
export function topicText({ topic, words }: Topic): string {
  return `${topic}: ${words.join(', ')}.`;
}

const WEIGHTS = {
  title: 0.5,
  /** For each mention in the abstract, up to three. */
  mention: 0.2,
  primaryCategory: 0.1,
  cosine: 1.4,
  /** Cosines below this are noise. */
  cosineFrom: 0.3,
} as const;
/** Minimum points for a tag; all but the first also need a share of the first tag's points. */
const ENOUGH = 0.45;
const SHARE_OF_FIRST = 0.4;
const MAX_TAGS = 5;

/**
 * The topics of a card, best first: at most five, and at least one for a quantitative-finance
 * paper. `vector` is the card's; without it, words and categories decide. Deterministic.
 */
export function assignTopics(
  { title, abstract, categories }: Card,
  vector: Float32Array | null,
  topicVectors: readonly Float32Array[] | null,
): string[] {
  const inTitle = countMentions(title);
  const inAbstract = countMentions(abstract);
  const [first, ...others] = TOPICS.map((topic, index) => {
    const ofTopic = topicVectors?.[index];
    const cosine = vector === null || ofTopic === undefined ? 0 : cosineOf(vector, ofTopic);
    const points =
      (inTitle.has(topic) ? WEIGHTS.title : 0) +
      Math.min(3, inAbstract.get(topic) ?? 0) * WEIGHTS.mention +
      (topic.categories.includes(categories[0] ?? '') ? WEIGHTS.primaryCategory : 0) +
      Math.max(0, cosine - WEIGHTS.cosineFrom) * WEIGHTS.cosine;
    // Round, so that tiny differences between processors do not change the order.
    return { name: topic.topic, points: Math.round(points * 1_000) / 1_000, index };
  }).sort((a, b) => b.points - a.points || a.index - b.index);
  if (first === undefined) return [];
  if (first.points < ENOUGH) {
    const isFinance = categories.some((category) => category.startsWith('q-fin.'));
    return isFinance ? [first.name] : [];
  }
  const least = Math.max(ENOUGH, SHARE_OF_FIRST * first.points);
  return [first, ...others.filter(({ points }) => points >= least)]
    .slice(0, MAX_TAGS)
    .map(({ name }) => name);
}

/**
 * The words of a text in the singular and in American spelling. The search's stemmer strips more:
 * with it, over 40% of the papers recorded for evaluation would get other tags.
 */
function stemsOf(text: string): string {
  return toAscii(text.replace(/['’]s\b/g, ''))
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/ies\b/g, 'y')
    .replace(/(ss|sh|ch|x)es\b/g, '$1')
    .replace(/\b(?!news\b)([a-z]{2,}[^aisu ])s\b/g, '$1')
    .replace(/is(e|ed|ing|ation)\b/g, 'iz$1')
    .replace(/our(al)?\b/g, 'or$1')
    .trim();
}

/** Topics by stemmed phrase; none for a phrase that uses a topic's word in a different sense. */
const TOPICS_OF = new Map<string, Topic[]>(topicsFile.neutral.map((each) => [stemsOf(each), []]));
for (const topic of TOPICS) {
  for (const key of new Set(topic.words.map(stemsOf))) {
    TOPICS_OF.set(key, [...(TOPICS_OF.get(key) ?? []), topic]);
  }
}
const LONGEST_FIRST = [...TOPICS_OF.keys()].sort((a, b) => b.length - a.length);
const MENTION = new RegExp(`\\b(?:${LONGEST_FIRST.join('|')})\\b`, 'g');

/**
 * Counts each topic's phrases in a text. A phrase inside a longer one does not count: an automated
 * market maker is not a market maker.
 */
function countMentions(text: string): ReadonlyMap<Topic, number> {
  const counts = new Map<Topic, number>();
  for (const [stems] of stemsOf(text).matchAll(MENTION)) {
    for (const topic of TOPICS_OF.get(stems) ?? []) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  }
  return counts;
}
