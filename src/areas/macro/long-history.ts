import type { Answer, View } from '../../core/operation.ts';
import { spellCommands } from '../../core/text.ts';

interface Observation {
  date: string;
  value: number | null;
}

/** Most observations that a text shows. */
const MAX_SHOWN = 200;
/** Characters of the sentence that says what is left out. */
const SENTENCE = 300;

/** What a model reads of a history: all of a short one, and of a long one an even choice. */
export function viewOfHistory<O extends Observation>(
  { data }: Answer<{ indicator: string; observations: O[] }>,
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
          told: spellCommands(
            `this text shows ${shown.length} of ${observations.length.toLocaleString('en-US')} observations, one in ${step} ` +
              'with the first, last, lowest and highest: ask for less with a shorter window; ' +
              `structuredContent, REST and \`quantshelf export macro ${series.indicator}\` have all.`,
          ),
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
  const sorted = observations.filter(isReported).sort((a, b) => a.value - b.value);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  const shown = observations.filter(
    (each, at) => at === 0 || (last - at) % step === 0 || each === lowest || each === highest,
  );
  return { shown, step };
}

function isReported<O extends Observation>(row: O): row is O & { value: number } {
  return row.value !== null;
}

/** When a long history with values of both signs, such as a spread, last changed its sign: a thinned text cannot show it. */
export function describeSign(observations: readonly Observation[]): string {
  if (observations.length <= MAX_SHOWN) return '';
  const signed = observations.filter(isReported).filter(({ value }) => value !== 0);
  const newest = signed.findLast(({ value }, at) => value * (signed[at - 1]?.value ?? value) < 0);
  if (newest === undefined) return '';
  return `${newest.value > 0 ? 'Positive' : 'Negative'} since ${newest.date}.`;
}
