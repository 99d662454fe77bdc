// What a history says beyond its values, and which parts of it may be shown.

const DAY_MS = 86_400_000;
/** How much older than a year the observation may be that a change is told from. */
const MAX_LATE_MS = 40 * DAY_MS;
const RANGES = /** @type {const} */ ([
  [1, '1Y'],
  [5, '5Y'],
  [10, '10Y'],
]);
/** A range with fewer values is no line. */
const MIN_VALUES = 3;
/** Observations that come where neither a number nor dates were asked for. */
const DEFAULT_LIMIT = 60;

/**
 * @typedef {object} Observation as `macro_indicator_history` returns it
 * @property {string} date
 * @property {number | null} value
 * @property {string} [realtime_start]
 * @property {boolean} [exact]
 * @property {boolean} [revised]
 * @property {number} [first_value]
 *
 * @typedef {{label: string, title: string, from: string}} Range
 */

/**
 * The ranges that show less than all, and all; none where there is nothing to choose.
 * @param {readonly Observation[]} observations oldest first
 * @returns {Range[]}
 */
export function rangesOf(observations) {
  const [first, last] = [observations[0]?.date ?? '', observations.at(-1)?.date ?? ''];
  const shorter = RANGES.flatMap(([years, label]) => {
    const from = yearsBefore(last, years);
    const held = observations.filter(({ date, value }) => date >= from && value !== null).length;
    if (first >= from || held < MIN_VALUES) return [];
    return [{ label, title: years === 1 ? 'The last year' : `The last ${years} years`, from }];
  });
  return shorter.length === 0 ? [] : [...shorter, { label: 'Max', title: 'All held', from: first }];
}

/**
 * The change from a year before an observation: in points where the unit is a percentage, as a
 * percentage where both values are positive, otherwise as it is.
 * @param {readonly Observation[]} observations oldest first
 * @param {number} index
 * @param {string} units
 * @returns {{change: number, kind: 'points' | '%' | ''} | undefined} undefined where none is held
 */
export function changeInYear(observations, index, units) {
  const now = observations[index];
  if (now === undefined || now.value === null) return undefined;
  const wanted = yearsBefore(now.date, 1);
  const before = observations.findLast(({ date, value }) => date <= wanted && value !== null);
  if (before === undefined || before.value === null) return undefined;
  if (Date.parse(wanted) - Date.parse(before.date) > MAX_LATE_MS) return undefined;
  const change = now.value - before.value;
  if (/^percent/i.test(units)) return { change, kind: 'points' };
  if (before.value <= 0 || now.value <= 0) return { change, kind: '' };
  return { change: (100 * change) / before.value, kind: '%' };
}

/**
 * Whether nothing older is held: fewer observations came than were asked for, or they begin long
 * after the date from which they were.
 * @param {import('./bridge.js').Fields} args of the call
 * @param {readonly Observation[]} observations its answer
 */
export function holdsAll({ start_date, limit }, observations) {
  const first = observations[0]?.date;
  if (typeof start_date !== 'string') return observations.length < Number(limit ?? DEFAULT_LIMIT);
  return first !== undefined && start_date < yearsBefore(first, 1);
}

/**
 * @param {string} date YYYY-MM-DD
 * @param {number} years
 * @returns {string} the same day of an earlier year; of a leap day, a text that sorts in its place
 */
function yearsBefore(date, years) {
  return `${String(Number(date.slice(0, 4)) - years).padStart(4, '0')}${date.slice(4)}`;
}
