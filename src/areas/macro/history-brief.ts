import type { Answer, View } from '../../core/operation.ts';

/** Most observations that a text shows. */
const MAX_SHOWN = 200;
/** Characters of the sentence that says what is left out. */
const SENTENCE = 300;

interface Observation {
  date: string;
  value: number | null;
}

/** What a model reads of a history: all of a short one, and of a long one an even choice. */
export function viewOfHistory<O extends Observation>(
  { data }: Answer<{ series_id: string; observations: O[] }>,
  room: number,
): View {
  const { observations, ...series } = data;
  const left = room - JSON.stringify(series).length - SENTENCE;
  const { shown, step } = thin(observations, left);
  return {
    data: { ...series, observations: shown },
    ...(step === 1
      ? {}
      : {
          told:
            `this text shows ${shown.length} of ${observations.length.toLocaleString('en-US')} observations, one in ${step} ` +
            'with the first, last, lowest and highest: ask for less with a shorter window; ' +
            'structuredContent and REST have all.',
        }),
  };
}

/** The observations that fit, counted back from the newest in even steps. */
function thin<O extends Observation>(
  observations: readonly O[],
  room: number,
): { shown: readonly O[]; step: number } {
  const length = JSON.stringify(observations).length / Math.max(1, observations.length);
  const most = Math.min(MAX_SHOWN, Math.max(10, Math.floor(room / (length + 1))));
  if (observations.length <= most) return { shown: observations, step: 1 };
  // The first, the lowest and the highest may come in addition.
  const step = Math.ceil(observations.length / (most - 3));
  const last = observations.length - 1;
  const ends = new Set([0, ...extremesOf(observations)]);
  const shown = observations.filter((_, at) => (last - at) % step === 0 || ends.has(at));
  return { shown, step };
}

/** Where the lowest and the highest value stand. */
function extremesOf(observations: readonly Observation[]): number[] {
  let lowest: [at: number, value: number] | undefined;
  let highest: [at: number, value: number] | undefined;
  for (const [at, { value }] of observations.entries()) {
    if (value === null) continue;
    if (lowest === undefined || value < lowest[1]) lowest = [at, value];
    if (highest === undefined || value > highest[1]) highest = [at, value];
  }
  return [lowest, highest].flatMap((each) => each?.[0] ?? []);
}
