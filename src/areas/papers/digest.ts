import topicsFile from '../../../data/topics.json' with { type: 'json' };
import { toAscii } from '../../core/text.ts';
import { cosineOf, DIMENSIONS } from '../../search/vectors.ts';
import { findFormulas, plainTex } from './latex.ts';

/** Sentences of an abstract that are considered. */
const CONSIDERED = 40;

interface Words {
  title: string;
  abstract: string;
}

interface Card extends Words {
  /** At arXiv, the primary one first. */
  categories: readonly string[];
}

/** The texts to embed for `digestOf`: the title, then the sentences of the abstract. */
export function digestTexts({ title, abstract }: Words): string[] {
  return [title, ...sentencesOf(abstract)].map(plainTex);
}

/**
 * Summary and tags of a card, from the vectors of its `digestTexts` and of the topics, or from its
 * text only if these are null. Deterministic.
 */
export function digestOf(
  card: Card,
  vectors: { texts: readonly Float32Array[]; topics: readonly Float32Array[] } | null,
): { summary: string; tags: string[] } {
  const { title, abstract, categories } = card;
  const centre = vectors && meanVector(vectors.texts);
  const plain = { title: plainTex(title), abstract: plainTex(abstract), categories };
  const sentences = vectors && centre && { sentences: vectors.texts.slice(1), centre };
  return {
    summary: summarise(sentencesOf(abstract), sentences),
    tags: assignTopics(plain, centre, vectors?.topics ?? null),
  };
}

/** The mean of unit vectors, normalised. */
function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(DIMENSIONS);
  for (const vector of vectors) {
    for (const [index, component] of vector.entries()) mean[index] = (mean[index] ?? 0) + component;
  }
  const length = Math.hypot(...mean);
  return length === 0 ? mean : mean.map((component) => component / length);
}

function sentencesOf(abstract: string): string[] {
  return splitSentences(abstract).slice(0, CONSIDERED);
}

/** Weight of similarity to the first sentence against closeness to the card. */
const REPEATED = 0.5;

/**
 * An extractive summary: the two sentences of an abstract that are nearest to the card and do not
 * repeat each other (maximal marginal relevance), in their order; the earlier one of equals. Without
 * `vectors`, those of the sentences and their centre, the first and the last: abstracts tend to start
 * with the subject and end with the findings.
 */
export function summarise(
  sentences: readonly string[],
  vectors: { sentences: readonly Float32Array[]; centre: Float32Array } | null,
): string {
  if (sentences.length <= 2) return sentences.join(' ');
  if (vectors === null) return [sentences[0], sentences.at(-1)].join(' ');
  const { centre } = vectors;
  const bestBy = (score: (vector: Float32Array) => number) => {
    // Rounded, so that the tiny differences between processors change nothing.
    const scores = vectors.sentences.map((vector) => Math.round(1_000 * score(vector)));
    return scores.indexOf(Math.max(...scores));
  };
  const first = bestBy((vector) => cosineOf(vector, centre));
  const chosen = vectors.sentences[first];
  const second = bestBy((vector) =>
    vector === chosen || chosen === undefined
      ? Number.NEGATIVE_INFINITY
      : cosineOf(vector, centre) - REPEATED * cosineOf(vector, chosen),
  );
  return [first, second]
    .sort((a, b) => a - b)
    .map((at) => sentences[at])
    .join(' ');
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Abbreviations, initials and list numbers, which Unicode's rules take for the end of a sentence. */
const UNFINISHED =
  /(?:\b(?:e\.\s?g|i\.\s?e|cf|vs|resp|approx|et al|Figs?|Eqs?|Secs?|Refs?|Tabs?|Nos?|Inc|Ltd|Corp|Co|Dr|Prof|Mrs?|Ms|St|Jan|Feb|Aug|Sept?|Oct|Nov|Dec)|(?<=^|[\s(.])[A-Z]|(?<=^|[.:;,]\s)\(?\d{1,2})\.\s*$/;

export function splitSentences(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .flatMap(splitParagraph)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function splitParagraph(paragraph: string): string[] {
  const line = paragraph.replace(/\s+/g, ' ').trim();
  // Mask formulas, whose full stops end no sentence, except one at the very end.
  let masked = line;
  for (const { index, end, tex } of findFormulas(line)) {
    const mask = 'x'.repeat(end - index - 1) + (/\.\s*$/.test(tex) ? '.' : 'x');
    masked = masked.slice(0, index) + mask + masked.slice(end);
  }
  const sentences: string[] = [];
  let start = 0;
  for (const { index, segment } of segmenter.segment(masked)) {
    const before = masked.slice(Math.max(start, index - 20), index);
    if (index === 0 || /^[\s\p{Ll}),;:\]]/u.test(segment) || UNFINISHED.test(before)) continue;
    sentences.push(line.slice(start, index).trim());
    start = index;
  }
  return [...sentences, line.slice(start).trim()];
}

/** Marks the abstract of a starter card as ours. */
export const DIGEST_MARK = 'Digest of the abstract by QuantShelf: ';

/**
 * The text that a paper's vector is computed from: title, abstract, summary and tags. A summary that
 * the abstract contains is left out.
 */
export function cardText(card: {
  title: string;
  abstract: string;
  summary: string;
  tags: readonly string[];
}): string {
  const summary = card.abstract.includes(card.summary) ? '' : card.summary;
  return joinSentences([card.title, card.abstract, summary, card.tags.join(', ')]);
}

/** The text that a section's vector is computed from; the paper's title supplies the subject. */
export function sectionText(paperTitle: string, sectionTitle: string, content: string): string {
  return joinSentences([paperTitle, sectionTitle, content]);
}

function joinSentences(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

interface Topic {
  topic: string;
  /** Its home categories at arXiv. */
  categories: readonly string[];
  /** Words and phrases that name it. */
  words: readonly string[];
}

/** The taxonomy, in file order. */
export const TOPICS: readonly Topic[] = Object.entries(topicsFile.topics).map(
  ([topic, { categories, words }]) => ({ topic, categories, words: words.split(', ') }),
);

/** The text that a topic's vector is computed from. */
export function topicText({ topic, words }: Topic): string {
  return `${topic}: ${words.join(', ')}.`;
}

/** Points for each kind of evidence. */
const WEIGHTS = {
  title: 0.5,
  /** For each mention in the abstract, up to three. */
  mention: 0.2,
  primaryCategory: 0.1,
  cosine: 1.4,
  /** Cosines below this are noise. */
  cosineFrom: 0.3,
} as const;
/** Minimum points of a tag; all but the first also need a share of the first's points. */
const ENOUGH = 0.45;
const SHARE_OF_FIRST = 0.4;
const MAX_TAGS = 5;

/**
 * The topics of a card, best first: at most five, and at least one of a paper of quantitative finance.
 * Without `vector`, the card's, its words and categories decide. Title and abstract must be free of
 * TeX. Deterministic.
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
    // Rounded, so that the tiny differences between processors do not change the order.
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

/** The words of a text in the singular and in American spelling. */
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

/** Topics by stemmed phrase; a phrase in which a topic's word has another meaning has none. */
const TOPICS_OF = new Map<string, Topic[]>(topicsFile.neutral.map((each) => [stemsOf(each), []]));
for (const topic of TOPICS) {
  for (const key of new Set(topic.words.map(stemsOf))) {
    TOPICS_OF.set(key, [...(TOPICS_OF.get(key) ?? []), topic]);
  }
}
const LONGEST_FIRST = [...TOPICS_OF.keys()].sort((a, b) => b.length - a.length);
const MENTION = new RegExp(`\\b(?:${LONGEST_FIRST.join('|')})\\b`, 'g');

/**
 * Counts the words of each topic in a text. A phrase inside a longer one does not count: an automated
 * market maker is not a market maker.
 */
function countMentions(text: string): ReadonlyMap<Topic, number> {
  const counts = new Map<Topic, number>();
  for (const [stems] of stemsOf(text).matchAll(MENTION)) {
    for (const topic of TOPICS_OF.get(stems) ?? []) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  }
  return counts;
}
