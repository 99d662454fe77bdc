import * as z from 'zod';
import topicsFile from '../../../data/topics.json' with { type: 'json' };
import { cosineOf } from '../../search/vectors.ts';

const topic = z.object({
  topic: z.string(),
  /** Its home categories at arXiv. */
  categories: z.array(z.string()),
  /** Words and phrases that name it. */
  words: z.array(z.string()),
});
export type Topic = z.output<typeof topic>;

const taxonomy = z
  .object({
    topics: z.array(topic),
    // Phrases in which a topic's word has another meaning.
    neutral: z.array(z.string()),
  })
  .parse(topicsFile);

/** The taxonomy, in file order. */
export const TOPICS: readonly Topic[] = taxonomy.topics;

/** The text that a topic's vector is computed from. */
export function topicText({ topic, words }: Topic): string {
  return `${topic}: ${words.join(', ')}.`;
}

/** Points for each kind of evidence. */
const WEIGHTS = {
  title: 0.5,
  furtherInTitle: 0.1,
  abstract: 0.3,
  /** A single mention in the abstract may be an aside. */
  onlyMention: 0.2,
  furtherWord: 0.12,
  repeated: 0.05,
  mostInAbstract: 0.5,
  primaryCategory: 0.1,
  otherCategory: 0.05,
  cosine: 1.4,
  /** Cosines below this are noise. */
  cosineFrom: 0.3,
} as const;
/** Minimum points of a tag; all but the first also need a share of the first's points. */
const ENOUGH = 0.45;
const SHARE_OF_FIRST = 0.4;
const MAX_TAGS = 5;

interface Card {
  title: string;
  abstract: string;
  categories: readonly string[];
}

/** Occurrences of each word of a topic. */
type Matches = ReadonlyMap<Topic, ReadonlyMap<string, number>>;

/**
 * Up to five topics of a paper, best first, by its words, its categories and, with a model, the
 * cosine between paper and topic. Only a paper outside q-fin may have none. Title and abstract must
 * be free of TeX. Deterministic.
 */
export function assignTopics(
  card: Card,
  vector: Float32Array | null,
  topicVectors: readonly Float32Array[] | null,
): string[] {
  const inTitle = findWords(card.title);
  const inAbstract = findWords(card.abstract);
  const [first, ...others] = TOPICS.map((topic, index) => {
    const ofTopic = topicVectors?.[index];
    const cosine = vector === null || ofTopic === undefined ? 0 : cosineOf(vector, ofTopic);
    const points =
      weighWords(inTitle.get(topic), inAbstract.get(topic)) +
      weighCategories(topic, card.categories) +
      Math.max(0, cosine - WEIGHTS.cosineFrom) * WEIGHTS.cosine;
    // Rounded, so that the tiny differences of batching do not change the order.
    return { name: topic.topic, points: Math.round(points * 1_000) / 1_000, index };
  }).sort((a, b) => b.points - a.points || a.index - b.index);
  if (first === undefined) return [];
  if (first.points < ENOUGH) {
    const isFinance = card.categories.some((category) => category.startsWith('q-fin.'));
    return isFinance ? [first.name] : [];
  }
  const least = Math.max(ENOUGH, SHARE_OF_FIRST * first.points);
  return [first, ...others.filter(({ points }) => points >= least)]
    .slice(0, MAX_TAGS)
    .map(({ name }) => name);
}

function weighWords(
  inTitle: ReadonlyMap<string, number> | undefined,
  inAbstract: ReadonlyMap<string, number> | undefined,
): number {
  let points = 0;
  if (inTitle !== undefined) {
    points += WEIGHTS.title + (inTitle.size > 1 ? WEIGHTS.furtherInTitle : 0);
  }
  if (inAbstract !== undefined) {
    const times = [...inAbstract.values()].reduce((sum, each) => sum + each, 0);
    const first = times === 1 && inTitle === undefined ? WEIGHTS.onlyMention : WEIGHTS.abstract;
    const further = (inAbstract.size - 1) * WEIGHTS.furtherWord;
    const repeated = (times - inAbstract.size) * WEIGHTS.repeated;
    points += Math.min(WEIGHTS.mostInAbstract, first + further + repeated);
  }
  return points;
}

function weighCategories({ categories }: Topic, [primary, ...others]: readonly string[]): number {
  if (primary !== undefined && categories.includes(primary)) return WEIGHTS.primaryCategory;
  return others.some((each) => categories.includes(each)) ? WEIGHTS.otherCategory : 0;
}

let lexicon: { pattern: RegExp; topics: ReadonlyMap<string, readonly Topic[]> } | undefined;

/** All words of all topics as one pattern, built on first use; the longest match wins. */
function readLexicon(): NonNullable<typeof lexicon> {
  if (lexicon === undefined) {
    const topics = new Map<string, Topic[]>();
    for (const topic of TOPICS) {
      for (const word of topic.words) {
        const key = stem(fold(word));
        const existing = topics.get(key);
        if (existing === undefined) topics.set(key, [topic]);
        else if (!existing.includes(topic)) existing.push(topic);
      }
    }
    for (const phrase of taxonomy.neutral) topics.set(stem(fold(phrase)), []);
    const longestFirst = [...topics.keys()].sort((a, b) => b.length - a.length);
    const source = longestFirst.map((key) => key.replace(/[^a-z0-9 ]/g, '\\$&')).join('|');
    lexicon = { pattern: new RegExp(`(?<![a-z0-9])(?:${source})(?![a-z0-9])`, 'g'), topics };
  }
  return lexicon;
}

/**
 * Counts whole phrases, singular or plural, with or without a hyphen. A phrase inside a longer one
 * does not count: an automated market maker is not a market maker.
 */
function findWords(text: string): Matches {
  const { pattern, topics } = readLexicon();
  const matches = new Map<Topic, Map<string, number>>();
  const words = fold(text).replace(/[a-z]+/g, stem);
  for (const [word] of words.matchAll(pattern)) {
    for (const topic of topics.get(word) ?? []) {
      const counts = matches.get(topic) ?? new Map<string, number>();
      counts.set(word, (counts.get(word) ?? 0) + 1);
      matches.set(topic, counts);
    }
  }
  return matches;
}

function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/['’]s\b/g, '')
    .replace(/[-‐‑–—/]/g, ' ')
    .replace(/\s+/g, ' ');
}

/** Reduces words to the singular and to American spelling. */
function stem(text: string): string {
  return text
    .replace(/\b([a-z]+)ies\b/g, '$1y')
    .replace(/(ss|sh|ch|x)es\b/g, '$1')
    .replace(/\b(?!news\b)([a-z]{2,}[^aisu\W])s\b/g, '$1')
    .replace(/\b([a-z]+)is(e|ed|ing|ation)\b/g, '$1iz$2')
    .replace(/\b([a-z]+)our(al)?\b/g, '$1or$2');
}
