import { DIMENSIONS } from '../../../search/float32.ts';
import { plainTex } from './latex.ts';
import { splitSentences } from './sentences.ts';
import { summarise, summariseWithoutModel } from './summary.ts';
import { assignTopics } from './topics.ts';

/** Sentences of an abstract that are considered. */
const MAX_SENTENCES = 40;

interface Words {
  title: string;
  abstract: string;
}

/** The texts whose vectors `digestOf` needs. */
export function digestTexts({ title, abstract }: Words): { title: string; sentences: string[] } {
  return { title: plainTex(title), sentences: sentencesOf(abstract).map(plainTex) };
}

/**
 * Summary and tags of a card, from the vectors of its `digestTexts` and of the topics, or from its
 * text only if these are null. Deterministic.
 */
export function digestOf(
  card: Words & { categories: readonly string[] },
  vectors: { title: Float32Array; sentences: readonly Float32Array[] } | null,
  topicVectors: readonly Float32Array[] | null,
): { summary: string; tags: string[] } {
  const sentences = sentencesOf(card.abstract);
  const plain = {
    title: plainTex(card.title),
    abstract: plainTex(card.abstract),
    categories: card.categories,
  };
  if (vectors === null) {
    return { summary: summariseWithoutModel(sentences), tags: assignTopics(plain, null, null) };
  }
  const centre = meanVector([vectors.title, ...vectors.sentences]);
  return {
    summary: summarise(sentences, vectors.sentences, centre),
    tags: assignTopics(plain, centre, topicVectors),
  };
}

/** The mean of unit vectors, normalised. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(DIMENSIONS);
  for (const vector of vectors) {
    for (const [index, component] of vector.entries()) mean[index] = (mean[index] ?? 0) + component;
  }
  const length = Math.hypot(...mean);
  return length === 0 ? mean : mean.map((component) => component / length);
}

function sentencesOf(abstract: string): string[] {
  return splitSentences(abstract).slice(0, MAX_SENTENCES);
}

/** Begins the abstract of a starter card, which is ours. */
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

/** The same without TeX, for a card whose text comes from an upstream. */
export function plainCardText(card: Parameters<typeof cardText>[0]): string {
  const { title, abstract, summary, tags } = card;
  return cardText({
    title: plainTex(title),
    abstract: plainTex(abstract),
    summary: plainTex(summary),
    tags,
  });
}
