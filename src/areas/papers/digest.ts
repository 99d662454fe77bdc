import { cosineOf, DIMENSIONS } from '../../search/float32.ts';
import { plainTex } from './latex.ts';
import { splitSentences } from './sentences.ts';
import { assignTopics } from './topics.ts';

/** Sentences of an abstract that are considered. */
const CONSIDERED = 40;

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
  return splitSentences(abstract).slice(0, CONSIDERED);
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

const MAX_SENTENCES = 3;
const MAX_CHARACTERS = 600;
const MIN_WORDS = 6;
/** Penalty per unit of similarity to a sentence already chosen. */
const REPEATED = 0.35;
/** Bonus of a sentence in which the authors speak, on the scale of its cosine with the centre. */
const OWN = 0.1;
const AUTHORS = /\b(?:[Ww]e|[Oo]ur|[Tt]his (?:[\w-]+ )?(?:paper|study|article|work|thesis))\b/;
/** Opens with a reference to the sentence before, or is a question. */
const DEPENDENT =
  /^(?:However|But|And|Or|So|Yet|Also|Thus|Then|Here|Instead|Still|Further|Hence|Therefore|Moreover|Furthermore|Additionally|Consequently|Nevertheless|Similarly|Second(?:ly)?|Third(?:ly)?|Finally|It|Its|They|Their|These|Those|Such|Both|That|The (?:latter|former)|To (?:this|that) end|To address (?:this|these)|In (?:this case|addition|contrast|particular)|This(?! (?:[\w-]+ ){0,2}(?:paper|study|article|work|research|thesis|survey|review|note|report|manuscript|letter)\b))\b|\?$/;
const ADDRESS = /https?:|www\.|\bavailable (?:at|on|from)\b/;

/** Relevance of a sentence, given those already chosen. */
type Relevance = (index: number, chosen: readonly number[]) => number;

/**
 * An extractive summary: two or three sentences of an abstract, in order, that are central and do
 * not repeat each other (maximal marginal relevance), and stand on their own. Cosines are rounded
 * and ties go to the earlier sentence, so that the tiny differences of batching change nothing.
 * `vectors` are those of the sentences, `centre` is the mean of title and sentences.
 */
export function summarise(
  sentences: readonly string[],
  vectors: readonly Float32Array[],
  centre: Float32Array,
): string {
  const similarity = (a: Float32Array | undefined, b: Float32Array | undefined) =>
    a === undefined || b === undefined ? 0 : cosineOf(a, b);
  return choose(sentences, (index, chosen) => {
    const others = chosen.map((other) => similarity(vectors[index], vectors[other]));
    return similarity(vectors[index], centre) - REPEATED * Math.max(0, ...others);
  });
}

/** The same without a model: abstracts tend to start with the subject and end with the findings. */
export function summariseWithoutModel(sentences: readonly string[]): string {
  const last = sentences.length - 1;
  return choose(sentences, (index) => (index === 0 ? 0.15 : index >= last - 1 ? 0.1 : 0));
}

function choose(texts: readonly string[], relevance: Relevance): string {
  const lengthOf = (chosen: readonly number[]) =>
    chosen.reduce((sum, index) => sum + (texts[index] ?? '').length + 1, 0);
  let pool = [...texts.keys()].filter((index) => index === 0 || standsAlone(texts[index] ?? ''));
  // Too little of the abstract stands on its own.
  if (texts.length <= 2 || pool.length < 2) return texts.slice(0, 2).join(' ');
  const chosen: number[] = [];
  while (chosen.length < MAX_SENTENCES) {
    const fitting = pool.filter((index) => lengthOf([...chosen, index]) <= MAX_CHARACTERS);
    // If no second sentence fits, the shortest is better than none.
    const [shortest] = pool.toSorted((a, b) => lengthOf([a]) - lengthOf([b]));
    const isShort = chosen.length < 2 && fitting.length === 0 && shortest !== undefined;
    const [best] = (isShort ? [shortest] : fitting)
      .map((index) => {
        const own = AUTHORS.test(texts[index] ?? '') ? OWN : 0;
        return { index, score: Math.round(1_000 * (relevance(index, chosen) + own)) };
      })
      .sort((a, b) => b.score - a.score || a.index - b.index);
    if (best === undefined) break;
    chosen.push(best.index);
    pool = pool.filter((index) => index !== best.index);
  }
  return chosen
    .sort((a, b) => a - b)
    .map((index) => texts[index])
    .join(' ');
}

function standsAlone(text: string): boolean {
  return text.split(/\s+/).length >= MIN_WORDS && !DEPENDENT.test(text) && !ADDRESS.test(text);
}
