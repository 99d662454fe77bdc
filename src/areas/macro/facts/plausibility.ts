// Plausibility of macro figures before they are stored: scale, steps and signs.

/** A value, null if missing, with the date of its period, YYYY-MM-DD. */
interface Dated {
  date: string;
  value: number | null;
}

/**
 * The largest plausible step, in multiples of the largest so far. Real shocks stay below it: in March 2020
 * jobless claims rose by 15 times their largest step, and in April payrolls fell by 10 times theirs.
 */
const MAX_STEPS = 20;
/** Fewer values establish neither a usual step nor a scale. */
const MIN_VALUES = 12;

/** If the median ratio of sent to stored values reaches this or its inverse, the unit differs. */
const MAX_SCALE = 5;

/** Stored values, each with the value sent for the same period. */
type Pairs = readonly { before: number; after: number }[];

/** The median ratio of sent to stored values; 1 if there is none. */
export function scaleOf(pairs: Pairs): number {
  const ratios = pairs.flatMap(({ before, after }) => (before === 0 ? [] : after / before));
  return ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 1;
}

/** Whether sent values are many times larger or smaller than stored ones; false below MIN_VALUES pairs. */
export function isOtherScale(pairs: Pairs): boolean {
  const scale = scaleOf(pairs);
  const count = pairs.filter(({ before }) => before !== 0).length;
  return count >= MIN_VALUES && !(scale < MAX_SCALE && scale > 1 / MAX_SCALE);
}

/** The largest step between consecutive values; infinite if there are fewer than MIN_VALUES. */
export function largestStep(history: readonly Dated[]): number {
  const values = history.flatMap(({ value }) => value ?? []);
  if (values.length < MIN_VALUES) return Number.POSITIVE_INFINITY;
  return values.reduce(
    (largest, value, at) => Math.max(largest, Math.abs(value - (values[at - 1] ?? value))),
    0,
  );
}

/**
 * The new or changed values that a second response must confirm: negative values, unless the series `isSigned`,
 * and jumps of more than MAX_STEPS times `step`, the largest step so far. `sent` and `stored` are in date
 * order; `doubted` has earlier responses' doubtful values by date, which this response may confirm.
 */
export function listDoubtful(
  sent: readonly Dated[],
  stored: readonly Dated[],
  {
    step,
    isSigned,
    doubted,
  }: { step: number; isSigned: boolean; doubted: ReadonlyMap<string, number | null> },
): { date: string; value: number; isConfirmed: boolean }[] {
  const before = new Map(stored.map(({ date, value }) => [date, value]));
  const after = new Map([...before, ...sent.map(({ date, value }) => [date, value] as const)]);
  const dates = [...after.keys()].sort();
  let last = stored.find(({ value }) => value !== null)?.value ?? null;
  return dates.flatMap((date) => {
    const value = after.get(date) ?? null;
    if (value === null) return [];
    const isNews = before.get(date) !== value;
    const isFar = last !== null && Math.abs(value - last) > MAX_STEPS * step;
    const isDoubtful = isNews && (isFar || (value < 0 && !isSigned));
    const isConfirmed = doubted.get(date) === value;
    if (!isDoubtful || isConfirmed) last = value;
    return isDoubtful ? [{ date, value, isConfirmed }] : [];
  });
}
