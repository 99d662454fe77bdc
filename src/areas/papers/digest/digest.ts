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
