import { cosineOf } from '../../../store/search/vectors/float32.ts';
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

function choose(sentences: readonly string[], relevance: Relevance): string {
  if (sentences.length <= 2) return sentences.join(' ');
  const wordings = sentences.map(readWording);
  const lengthOf = (indices: readonly number[]) =>
    indices.reduce((sum, index) => sum + (wordings[index]?.text.length ?? 0) + 1, 0);
  let chosen: readonly number[] = [];
  while (
    chosen.length < 2 ||
    (chosen.length < MAX_SENTENCES && lengthOf(chosen) <= ROOM_FOR_THIRD)
  ) {
    const groups = findGroups(wordings, chosen);
    const fitting = groups.filter((group) => lengthOf([...chosen, ...group]) <= MAX_CHARACTERS);
    // If no second sentence fits, the shortest is better than none.
    const shortest = [...groups].sort((a, b) => lengthOf(a) - lengthOf(b)).slice(0, 1);
    const pool = fitting.length > 0 ? fitting : chosen.length < 2 ? shortest : [];
    const best = pickBest(pool, wordings, chosen, relevance);
    if (best === undefined) break;
    chosen = [...chosen, ...best].sort((a, b) => a - b);
  }
  // Too little of the abstract stands on its own; fall back to its start.
  if (chosen.length < 2) return sentences.slice(0, 2).join(' ');
  return chosen.map((index) => wordings[index]?.text ?? '').join(' ');
}

/**
 * Candidates for the next choice: each sentence with the preceding ones that it depends on, if they
 * are few enough. The first choice says what the paper does, or else finds, if any sentence does.
 */
function findGroups(wordings: readonly Wording[], chosen: readonly number[]): number[][] {
  const groups = wordings.flatMap((wording, index) => {
    if (chosen.includes(index) || !wording.isInformative) return [];
    const group = [index];
    for (let first = index; wordings[first]?.needs === 'the sentence before'; first -= 1) {
      if (first === 0 || chosen.includes(first - 1)) break;
      group.unshift(first - 1);
    }
    const isWhole = group.every((each) => wordings[each]?.isInformative === true);
    const isClear = group.every((each, at) => {
      const before = [...chosen, ...group.slice(0, at)].filter((other) => other < each);
      return (
        each === 0 ||
        wordings[each]?.needs !== 'a presentation' ||
        before.some((other) => wordings[other]?.presents === true)
      );
    });
    return isWhole && isClear && chosen.length + group.length <= MAX_SENTENCES ? [group] : [];
  });
  if (chosen.length === 2) return groups.filter((group) => !isBefore(wordings, group));
  if (chosen.length > 0) return groups;
  const says = (what: 'presents' | 'finds') =>
    groups.filter((group) => wordings[group.at(-1) ?? 0]?.[what] === true);
  // A presenting sentence may refer back, as long as it does not open with that.
  const presenting = wordings.flatMap(({ presents, opensAlone, isInformative }, index) =>
    presents && opensAlone && isInformative ? [[index]] : [],
  );
  const choices = [[...says('presents'), ...presenting], says('finds'), groups];
  return choices.find(({ length }) => length > 0) ?? [];
}

function isBefore(wordings: readonly Wording[], group: readonly number[]): boolean {
  const first = wordings.findIndex(({ presents }) => presents);
  return first !== -1 && (group[0] ?? 0) < first;
}

function pickBest(
  groups: readonly (readonly number[])[],
  wordings: readonly Wording[],
  chosen: readonly number[],
  relevance: Relevance,
): readonly number[] | undefined {
  const [best] = groups
    .map((group) => {
      const index = group.at(-1) ?? 0;
      const companions = WEIGHTS.companion * (group.length - 1);
      const first = group[0] ?? 0;
      const isUnmet =
        first > 0 &&
        wordings[first]?.needs === 'the sentence before' &&
        !chosen.includes(first - 1);
      const unmet = isUnmet ? WEIGHTS.unmet : 0;
      const isNew = chosen.length > 0 && !chosen.some((other) => wordings[other]?.finds);
      const news = isNew && wordings[index]?.finds === true ? WEIGHTS.firstToFind : 0;
      const score = relevance(index, chosen) + weigh(wordings, index) + news - companions - unmet;
      return { group, index, score: round(score) };
    })
    .sort((a, b) => b.score - a.score || a.index - b.index);
  return best?.group;
}

/** Weight of a sentence's wording and position. */
function weigh(wordings: readonly Wording[], index: number): number {
  const wording = wordings[index];
  if (wording === undefined) return 0;
  const first = wordings.findIndex(({ presents }) => presents);
  return (
    (wording.presents ? WEIGHTS.presents : wording.finds ? WEIGHTS.finds : 0) +
    (index === first ? WEIGHTS.firstToPresent : 0) -
    (wording.presentsPassively ? WEIGHTS.passive : 0) -
    (index < first ? WEIGHTS.before : 0) -
    (wording.isBackground ? WEIGHTS.background : 0) -
    (wording.isOutlook ? WEIGHTS.outlook : 0) -
    (wording.text.length > LONG ? WEIGHTS.long : 0)
  );
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
