import { cosineOf, DIMENSIONS } from '../../search/vectors.ts';
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
  vectors: {
    title: Float32Array;
    sentences: readonly Float32Array[];
    topics: readonly Float32Array[];
  } | null,
): { summary: string; tags: string[] } {
  const { title, abstract, categories } = card;
  const centre = vectors && meanVector([vectors.title, ...vectors.sentences]);
  const plain = { title: plainTex(title), abstract: plainTex(abstract), categories };
  return {
    summary: summarise(sentencesOf(abstract), vectors && centre && { ...vectors, centre }),
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

const SENTENCES = 2;
/** Characters of a summary, where the abstract has sentences that short. */
const MAX_CHARACTERS = 320;
const MIN_WORDS = 6;
/** Penalty per unit of similarity to the sentence already chosen. */
const REPEATED = 0.35;
/** Penalty per character: beside the abstract, a long sentence says little more than a short one. */
const LENGTH = 0.0005;
/** Bonus of a sentence in which the authors speak, on the scale of its cosine with the centre. */
const OWN = 0.1;
/** Bonus of the last two sentences, which tend to hold the findings, and without vectors of the first. */
const FINDING = 0.1;
const SUBJECT = 0.15;
const AUTHORS = /\b(?:[Ww]e|[Oo]ur|[Tt]his (?:[\w-]+ )?(?:paper|study|article|work|thesis))\b/;
/** Opens with a reference to the sentence before, or is a question. */
const DEPENDENT =
  /^(?:However|But|And|Or|So|Yet|Also|Thus|Then|Here|Instead|Still|Further|Hence|Therefore|Moreover|Furthermore|Additionally|Consequently|Nevertheless|Similarly|Second(?:ly)?|Third(?:ly)?|Finally|It|Its|They|Their|These|Those|Such|Both|That|The (?:latter|former)|To (?:this|that) end|To address (?:this|these)|In (?:this case|addition|contrast|particular)|This(?! (?:[\w-]+ ){0,2}(?:paper|study|article|work|research|thesis|survey|review|note|report|manuscript|letter)\b))\b|\?$/;
const ADDRESS = /https?:|www\.|\bavailable (?:at|on|from)\b/;

/**
 * An extractive summary: two sentences of an abstract, in order, that are central and do not repeat
 * each other (maximal marginal relevance), and stand on their own. Without `vectors`, those of the
 * sentences and their centre, the place of a sentence counts: abstracts tend to start with the subject
 * and end with the findings. Ties go to the earlier sentence.
 */
export function summarise(
  sentences: readonly string[],
  vectors: { sentences: readonly Float32Array[]; centre: Float32Array } | null,
): string {
  const pool = [...sentences.keys()].filter((at) => at === 0 || standsAlone(sentences[at] ?? ''));
  // Too little of the abstract stands on its own.
  if (sentences.length <= SENTENCES || pool.length < SENTENCES) {
    return sentences.slice(0, SENTENCES).join(' ');
  }
  const relevanceOf = (at: number, chosen: number | undefined) => {
    const finding = at >= sentences.length - 2 ? FINDING : 0;
    const vector = vectors?.sentences[at];
    if (vectors === null || vector === undefined) return at === 0 ? SUBJECT : finding;
    const other = chosen === undefined ? undefined : vectors.sentences[chosen];
    const repeated = other === undefined ? 0 : Math.max(0, cosineOf(vector, other));
    return cosineOf(vector, vectors.centre) - REPEATED * repeated + finding;
  };
  const chosen: number[] = [];
  let room = MAX_CHARACTERS;
  while (chosen.length < SENTENCES) {
    const left = pool.filter((at) => !chosen.includes(at));
    const lengthOf = (at: number) => (sentences[at] ?? '').length;
    const fitting = left.filter((at) => lengthOf(at) <= room);
    // If no second sentence fits, the shortest is better than none.
    const shortest = left.toSorted((a, b) => lengthOf(a) - lengthOf(b)).slice(0, 1);
    const [best = 0] = (fitting.length > 0 ? fitting : shortest)
      .map((at) => {
        const own = AUTHORS.test(sentences[at] ?? '') ? OWN : 0;
        const points = relevanceOf(at, chosen[0]) + own - LENGTH * lengthOf(at);
        // Rounded, so that the tiny differences of batching change nothing.
        return { at, points: Math.round(1_000 * points) };
      })
      .sort((a, b) => b.points - a.points || a.at - b.at)
      .map(({ at }) => at);
    chosen.push(best);
    room -= lengthOf(best) + 1;
  }
  return chosen
    .sort((a, b) => a - b)
    .map((at) => sentences[at])
    .join(' ');
}

function standsAlone(text: string): boolean {
  return text.split(/\s+/).length >= MIN_WORDS && !DEPENDENT.test(text) && !ADDRESS.test(text);
}
