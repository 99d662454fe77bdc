import { cosineOf } from '../../../store/vectors.ts';
import { readWording, type Wording } from './wording.ts';

/** Sentences of a summary, and characters of all of them together. */
const MAX_SENTENCES = 3;
const MAX_CHARACTERS = 600;
/** A third sentence only where the two before it are short. */
const ROOM_FOR_THIRD = 380;

/** What a sentence gains or loses beside its nearness to the centre, in cosine. */
const WEIGHTS = {
  /** Share of the likeness to a chosen sentence that is lost. */
  repeated: 0.35,
  presents: 0.1,
  finds: 0.1,
  /** The first that says what it finds, beside one that says what it does. */
  firstToFind: 0.06,
  /** The first that says what the paper does tends to say it best. */
  firstToPresent: 0.1,
  background: 0.06,
  /** Before the first sentence that says what the paper does. */
  before: 0.12,
  outlook: 0.06,
  /** Does not name who presents. */
  passive: 0.08,
  /** For each sentence that must come along. */
  companion: 0.1,
  /** Mentions what an absent sentence says. */
  unmet: 0.1,
  /** Leaves no room for another one. */
  long: 0.1,
} as const;
const LONG = 360;

/** Nearness of a sentence to the whole, less its likeness to the chosen ones. */
type Nearness = (index: number, chosen: readonly number[]) => number;

/**
 * Two or three sentences of an abstract in their order: one that says what the paper does, then
 * central ones (near to the mean of title and sentences) that do not repeat each other. None hangs
 * on a sentence that is not there: it comes with it or not at all, and an opening such as "To
 * address this gap, we" or "In this paper, we" is cut down to "We". Cosines are rounded and ties go to the earlier
 * sentence, so that the tiny differences of batching change nothing.
 * `vectors` are those of the sentences, `centre` is the mean of title and sentences.
 */
export function summarise(
  sentences: readonly string[],
  vectors: readonly Float32Array[],
  centre: Float32Array,
): string {
  const likeness = (a: Float32Array | undefined, b: Float32Array | undefined) =>
    a === undefined || b === undefined ? 0 : round(cosineOf(a, b));
  const central = sentences.map((_, index) => likeness(vectors[index], centre));
  return choose(sentences, (index, chosen) => {
    const others = chosen.map((other) => likeness(vectors[index], vectors[other]));
    return (central[index] ?? 0) - WEIGHTS.repeated * Math.max(0, ...others);
  });
}

/** The same without a model: what the paper is about tends to stand first, what it finds last. */
export function summariseWithoutModel(sentences: readonly string[]): string {
  const last = sentences.length - 1;
  const ends = (index: number) => (index === 0 ? 0.15 : index >= last - 1 ? 0.1 : 0);
  return choose(sentences, (index) => ends(index) - index / 1_000);
}

function choose(sentences: readonly string[], nearness: Nearness): string {
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
    // Where no second one fits, the shortest says more than none.
    const shortest = [...groups].sort((a, b) => lengthOf(a) - lengthOf(b)).slice(0, 1);
    const pool = fitting.length > 0 ? fitting : chosen.length < 2 ? shortest : [];
    const best = pickBest(pool, wordings, chosen, nearness);
    if (best === undefined) break;
    chosen = [...chosen, ...best].sort((a, b) => a - b);
  }
  // So little of it stands alone that its beginning serves best.
  if (chosen.length < 2) return sentences.slice(0, 2).join(' ');
  return chosen.map((index) => wordings[index]?.text ?? '').join(' ');
}

/**
 * What may be chosen next: each sentence with those before it on which it leans, where that is not
 * too many. The first choice says what the paper does, or finds, where any sentence says so.
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
  // It may mention what was said before, if it does not begin with that.
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
  nearness: Nearness,
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
      const score = nearness(index, chosen) + weigh(wordings, index) + news - companions - unmet;
      return { group, index, score: round(score) };
    })
    .sort((a, b) => b.score - a.score || a.index - b.index);
  return best?.group;
}

/** What the wording of a sentence and its place are worth. */
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
