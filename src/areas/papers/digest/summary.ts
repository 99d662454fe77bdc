import { cosineOf } from '../../../search/float32.ts';
import { readWording, type Wording } from './wording.ts';

/** Limits of a summary. */
const MAX_SENTENCES = 3;
const MAX_CHARACTERS = 600;
/** Longest first two sentences, in characters, that leave room for a third. */
const ROOM_FOR_THIRD = 380;

/** Bonuses and penalties of a sentence, on the scale of its cosine with the centre. */
const WEIGHTS = {
  /** Penalty per unit of similarity to a sentence already chosen. */
  repeated: 0.35,
  presents: 0.1,
  finds: 0.1,
  /** States a finding when no chosen sentence does. */
  firstToFind: 0.06,
  /** The first to say what the paper does, which tends to say it best. */
  firstToPresent: 0.1,
  background: 0.06,
  /** Precedes the first sentence that says what the paper does. */
  before: 0.12,
  outlook: 0.06,
  /** Presents without naming the authors or the paper. */
  passive: 0.08,
  /** For each preceding sentence that it needs. */
  companion: 0.1,
  /** Refers to a sentence that is not in the summary. */
  unmet: 0.1,
  /** Longer than LONG, which leaves little room for another. */
  long: 0.1,
} as const;
const LONG = 360;

/** Maximal marginal relevance: centrality of a sentence, less its similarity to those chosen. */
type Relevance = (index: number, chosen: readonly number[]) => number;

/**
 * An extractive summary: two or three sentences of an abstract, in order. One says what the paper
 * does; the others are central without repeating it. A sentence that depends on the one before is
 * taken with it or not at all, and an opening such as "To address this gap, we" is cut to "We".
 * Cosines are rounded and ties go to the earlier sentence, so that the tiny differences of batching
 * change nothing. `vectors` are those of the sentences, `centre` is the mean of title and sentences.
 */
export function summarise(
  sentences: readonly string[],
  vectors: readonly Float32Array[],
  centre: Float32Array,
): string {
  const similarity = (a: Float32Array | undefined, b: Float32Array | undefined) =>
    a === undefined || b === undefined ? 0 : round(cosineOf(a, b));
  const centrality = sentences.map((_, index) => similarity(vectors[index], centre));
  return choose(sentences, (index, chosen) => {
    const others = chosen.map((other) => similarity(vectors[index], vectors[other]));
    return (centrality[index] ?? 0) - WEIGHTS.repeated * Math.max(0, ...others);
  });
}

/** The same without a model: abstracts tend to start with the subject and end with the findings. */
export function summariseWithoutModel(sentences: readonly string[]): string {
  const last = sentences.length - 1;
  const ends = (index: number) => (index === 0 ? 0.15 : index >= last - 1 ? 0.1 : 0);
  return choose(sentences, (index) => ends(index) - index / 1_000);
}

interface Sentence extends Wording {
  index: number;
}

function choose(texts: readonly string[], relevance: Relevance): string {
  if (texts.length <= 2) return texts.join(' ');
  const sentences = texts.map((text, index) => ({ ...readWording(text), index }));
  let chosen: readonly Sentence[] = [];
  while (
    chosen.length < 2 ||
    (chosen.length < MAX_SENTENCES && lengthOf(chosen) <= ROOM_FOR_THIRD)
  ) {
    const groups = findGroups(sentences, chosen);
    const fitting = groups.filter((group) => lengthOf([...chosen, ...group]) <= MAX_CHARACTERS);
    // If no second sentence fits, the shortest is better than none.
    const shortest = groups.toSorted((a, b) => lengthOf(a) - lengthOf(b)).slice(0, 1);
    const pool = fitting.length > 0 ? fitting : chosen.length < 2 ? shortest : [];
    const [best] = pool
      .map((group) => ({ group, score: round(weigh(group, sentences, chosen, relevance)) }))
      .sort((a, b) => b.score - a.score || lastOf(a.group).index - lastOf(b.group).index);
    if (best === undefined) break;
    chosen = [...chosen, ...best.group].sort((a, b) => a.index - b.index);
  }
  // Too little of the abstract stands on its own; fall back to its start.
  if (chosen.length < 2) return texts.slice(0, 2).join(' ');
  return chosen.map(({ text }) => text).join(' ');
}

function lengthOf(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, { text }) => sum + text.length + 1, 0);
}

/** A sentence after those that it depends on. */
type Group = readonly [Sentence, ...Sentence[]];

const lastOf = (group: Group) => group.at(-1) ?? group[0];

/**
 * Candidates for the next choice: each sentence with the preceding ones that it depends on, if they
 * are few enough. The first choice says what the paper does, or else finds, if any sentence does.
 */
function findGroups(sentences: readonly Sentence[], chosen: readonly Sentence[]): Group[] {
  const informative = sentences.filter(({ isInformative }) => isInformative);
  const groups = informative.flatMap((sentence): Group[] => {
    if (chosen.includes(sentence)) return [];
    let group: Group = [sentence];
    for (
      let [{ needs, index }] = group;
      needs === 'the sentence before';
      [{ needs, index }] = group
    ) {
      const before = sentences[index - 1];
      if (before === undefined || chosen.includes(before)) break;
      group = [before, ...group];
    }
    const isWhole = group.every(({ isInformative }) => isInformative);
    const isClear = group.every(
      ({ needs, index }) =>
        index === 0 ||
        needs !== 'a presentation' ||
        [...chosen, ...group].some((other) => other.index < index && other.presents),
    );
    return isWhole && isClear && chosen.length + group.length <= MAX_SENTENCES ? [group] : [];
  });
  const first = firstToPresent(sentences);
  if (chosen.length === 2) return groups.filter(([{ index }]) => index >= first);
  if (chosen.length > 0) return groups;
  const presenting = groups.filter((group) => lastOf(group).presents);
  // A presenting sentence may refer back, as long as it does not open with that.
  const alone = informative
    .filter(({ presents, opensAlone }) => presents && opensAlone)
    .map((sentence): Group => [sentence]);
  const finding = groups.filter((group) => lastOf(group).finds);
  return [[...presenting, ...alone], finding, groups].find(({ length }) => length > 0) ?? [];
}

/** Index of the first sentence that says what the paper does; -1 for none. */
function firstToPresent(sentences: readonly Sentence[]): number {
  return sentences.findIndex(({ presents }) => presents);
}

/** Weight of a group: the relevance of its last sentence, the wording and position of that. */
function weigh(
  group: Group,
  sentences: readonly Sentence[],
  chosen: readonly Sentence[],
  relevance: Relevance,
): number {
  const [opening, last, first] = [group[0], lastOf(group), firstToPresent(sentences)];
  const others = chosen.map(({ index }) => index);
  const isUnmet = opening.needs === 'the sentence before' && !others.includes(opening.index - 1);
  const isNews = last.finds && chosen.length > 0 && !chosen.some(({ finds }) => finds);
  return (
    relevance(last.index, others) +
    (last.presents ? WEIGHTS.presents : last.finds ? WEIGHTS.finds : 0) +
    (last.index === first ? WEIGHTS.firstToPresent : 0) +
    (isNews ? WEIGHTS.firstToFind : 0) -
    (last.presentsPassively ? WEIGHTS.passive : 0) -
    (last.index < first ? WEIGHTS.before : 0) -
    (last.isBackground ? WEIGHTS.background : 0) -
    (last.isOutlook ? WEIGHTS.outlook : 0) -
    (last.text.length > LONG ? WEIGHTS.long : 0) -
    WEIGHTS.companion * (group.length - 1) -
    (isUnmet && opening.index > 0 ? WEIGHTS.unmet : 0)
  );
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
