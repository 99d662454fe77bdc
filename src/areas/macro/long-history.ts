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
  const { lowest, highest } = extremesOf(observations);
  const shown = observations.filter(
    (each, at) => at === 0 || (last - at) % step === 0 || each === lowest || each === highest,
  );
  return { shown, step };
}

function isReported<O extends Observation>(row: O): row is O & { value: number } {
  return row.value !== null;
}

/** The first observations with the lowest and the highest value. */
function extremesOf<O extends Observation>(rows: readonly O[]) {
  const reported = rows.filter(isReported);
  const [first] = reported;
  if (first === undefined) return {};
  return {
    lowest: reported.reduce((least, row) => (row.value < least.value ? row : least), first),
    highest: reported.reduce((most, row) => (row.value > most.value ? row : most), first),
  };
}

/**
 * The figures that stand for many observations, in one clause: "first 4.21 (2024-11-20), last …,
 * lowest …, highest …". Of a series with values of both signs, such as a spread, it says when the
 * sign last changed. Empty without any value.
 */
export function describeFigures(rows: readonly Observation[]): string {
  const reported = rows.filter(isReported);
  const { lowest, highest } = extremesOf(reported);
  const figures = Object.entries({ first: reported[0], last: reported.at(-1), lowest, highest });
  return figures
    .flatMap(([name, row]) => (row === undefined ? [] : [`${name} ${row.value} (${row.date})`]))
    .concat(describeSign(reported))
    .join(', ');
}

function describeSign(rows: readonly (Observation & { value: number })[]): string[] {
  const signed = rows.filter(({ value }) => value !== 0);
  const changes = signed.filter(({ value }, at) => value * (signed[at - 1]?.value ?? value) < 0);
  const newest = changes.at(-1);
  if (newest === undefined) return [];
  const sign = newest.value > 0 ? 'positive' : 'negative';
  const earlier = changes.length > 1 ? ` (${changes.length} changes of sign in all)` : '';
  return [`${sign} since ${newest.date}${earlier}`];
}
