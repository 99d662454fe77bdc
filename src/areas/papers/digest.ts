import { cosineOf, DIMENSIONS } from '../../search/vectors.ts';
import { findFormulas, plainTex } from './latex.ts';
import type { PaperRow } from './queries.ts';
import { assignTopics } from './topics.ts';

const MAX_SENTENCES = 40;

type Words = Pick<PaperRow, 'title' | 'abstract'>;

/** The texts to embed for `digestOf`: the title, then the sentences of the abstract. */
export function digestTexts({ title, abstract }: Words): string[] {
  return [title, ...sentencesOf(abstract)].map(plainTex);
}

/**
 * Summary and tags of a card. `vectors` are those of its `digestTexts` and of the topics; null if
 * the model has not run. Deterministic.
 */
export function digestOf(
  card: Words & { categories: readonly string[] },
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

/** The normalised mean of unit vectors. */
function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(DIMENSIONS);
  for (const vector of vectors) {
    for (const [index, component] of vector.entries()) mean[index] = (mean[index] ?? 0) + component;
  }
  const length = Math.hypot(...mean);
  return length === 0 ? mean : mean.map((component) => component / length);
}

const sentencesOf = (abstract: string) => splitSentences(abstract).slice(0, MAX_SENTENCES);

/** Weight of similarity to the chosen sentence, deducted from similarity to the centre. */
const REPEATED = 0.5;

/**
 * An extractive summary of two sentences in text order: the nearest to the centre, and another by
 * maximal marginal relevance. Without vectors, the first and the last, because abstracts tend to
 * start with the subject and end with the findings.
 */
export function summarise(
  sentences: readonly string[],
  vectors: { sentences: readonly Float32Array[]; centre: Float32Array } | null,
): string {
  if (sentences.length <= 2) return sentences.join(' ');
  if (vectors === null) return [sentences[0], sentences.at(-1)].join(' ');
  const { centre } = vectors;
  const bestBy = (score: (vector: Float32Array) => number) => {
    // Round, so that tiny differences between processors change nothing.
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
/** Abbreviations, initials and list numbers, which Unicode's rules mistake for sentence ends. */
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
  // Mask formulas, in which only a final full stop can end a sentence.
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

/** Prefix of a starter card's abstract, which is a digest that we wrote. */
export const DIGEST_MARK = 'Digest of the abstract by QuantShelf: ';

/**
 * The text from which a paper's vector is computed: title, abstract, summary and tags. Omits a
 * summary that the abstract contains.
 */
export function cardText(card: Words & { summary: string; tags: readonly string[] }): string {
  const summary = card.abstract.includes(card.summary) ? '' : card.summary;
  return joinSentences([card.title, card.abstract, summary, card.tags.join(', ')]);
}

/** Joins the non-empty parts of a text, each as a sentence. */
export function joinSentences(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}
