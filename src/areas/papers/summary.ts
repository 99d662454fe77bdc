import { cosineOf } from '../../store/vectors.ts';

/** Sentences of a summary, and characters of all of them together. */
const MAX_SENTENCES = 3;
const MAX_CHARACTERS = 600;
const MIN_WORDS = 6;
/** How much a sentence that repeats a chosen one loses. */
const DIVERSITY = 0.35;
/** What a sentence loses that leans on the one before. */
const LEANING = 0.08;

/** Says where things are, or about the paper as a file: nothing of what it finds. */
const ASIDE =
  /\b(?:code|data|dataset|supplementary|software|replication|package)\b[^.]*\b(?:available|released|found|provided)\b|https?:\/\/|github|\baccepted\b[^.]*\b(?:at|to|for|in)\b|\bJEL\b|\bkey ?words?\b/i;
/** Begins with a word that points back. */
const LEANS =
  /^(?:However|Moreover|Furthermore|In addition|Additionally|Therefore|Thus|Hence|Consequently|Then|Also|Finally|Nevertheless|Specifically|In particular|It|They|These|Those|This|Such|He|She|Its|Their|Both|First|Second|Third|Here|In both cases|For example|For instance)\b/;

/**
 * Two or three sentences of an abstract, as they stand and in their order: central ones (near to the
 * mean of title and sentences) that do not repeat each other. Cosines are rounded and ties go to the
 * earlier sentence, so that the tiny differences of batching change nothing.
 * `vectors` are those of the sentences, `centre` is the mean of title and sentences.
 */
export function summarise(
  sentences: readonly string[],
  vectors: readonly Float32Array[],
  centre: Float32Array,
): string {
  const central = sentences.map((sentence, index) => {
    const vector = vectors[index];
    const cosine = vector === undefined ? 0 : round(cosineOf(vector, centre));
    return cosine - (LEANS.test(sentence) && index > 0 ? LEANING : 0);
  });
  const likeness = (a: number, b: number) => {
    const [first, second] = [vectors[a], vectors[b]];
    return first === undefined || second === undefined ? 0 : round(cosineOf(first, second));
  };
  return choose(sentences, (index, chosen) => {
    const repeated = Math.max(0, ...chosen.map((other) => likeness(index, other)));
    return (central[index] ?? 0) - DIVERSITY * repeated;
  });
}

/** The same without a model: what the paper is about tends to stand first, what it finds last. */
export function summariseWithoutModel(sentences: readonly string[]): string {
  const last = sentences.length - 1;
  return choose(sentences, (index) => {
    const leaning = LEANS.test(sentences[index] ?? '') && index > 0 ? LEANING : 0;
    const finding = /\b(?:find|show|result|evidence|propose|introduce|derive|develop)/i;
    const says = finding.test(sentences[index] ?? '') ? 0.3 : 0;
    return (index === 0 ? 1 : 0) + (index === last ? 0.5 : 0) + says - leaning - index / 100;
  });
}

/** The best sentence, then the best beside it, in the order of the abstract. */
function choose(
  sentences: readonly string[],
  scoreOf: (index: number, chosen: readonly number[]) => number,
): string {
  if (sentences.length <= 2) return shorten(sentences.join(' '));
  const telling = sentences.flatMap((sentence, index) =>
    ASIDE.test(sentence) || countWords(sentence) < MIN_WORDS ? [] : [index],
  );
  const candidates = telling.length < 2 ? sentences.map((_, index) => index) : telling;
  const chosen: number[] = [];
  let length = 0;
  while (chosen.length < MAX_SENTENCES) {
    const left = candidates.filter((index) => !chosen.includes(index));
    const room = left.filter(
      (index) =>
        chosen.length < 1 || length + (sentences[index]?.length ?? 0) + 1 <= MAX_CHARACTERS,
    );
    const pool = room.length === 0 && chosen.length < 2 ? left : room;
    const [best] = [...pool].sort((a, b) => scoreOf(b, chosen) - scoreOf(a, chosen) || a - b);
    if (best === undefined) break;
    chosen.push(best);
    length += (sentences[best]?.length ?? 0) + 1;
    // A third sentence only where the two are short.
    if (chosen.length === 2 && length > MAX_CHARACTERS * 0.6) break;
  }
  return chosen
    .sort((a, b) => a - b)
    .map((index) => sentences[index] ?? '')
    .join(' ');
}

/** An abstract without sentences can be of any length. */
function shorten(text: string): string {
  if (text.length <= 2 * MAX_CHARACTERS) return text;
  const cut = text.slice(0, 2 * MAX_CHARACTERS);
  return `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}

function countWords(sentence: string): number {
  return sentence.split(/\s+/).length;
}

function round(cosine: number): number {
  return Math.round(cosine * 1_000) / 1_000;
}
