// Which values a plot of several series shows, and on which axis.

/**
 * @typedef {{date: string, value: number | null}} Observation
 * @typedef {object} Series as `macro_indicator_history` returns it
 * @property {string} title
 * @property {string} units
 * @property {string} frequency
 * @property {readonly Observation[]} observations oldest first
 *
 * @typedef {'published' | 'rebased' | 'standardised'} Scale
 * @typedef {{date: string, at: number, value: number | null, shown: number | null}} Point
 *   `value` as published, `shown` as drawn
 * @typedef {{series: Series, axis: 0 | 1, points: Point[]}} Line
 * @typedef {object} Drawing
 * @property {Line[]} lines one for each series
 * @property {string[]} axes what each of the one or two axes measures
 * @property {Scale} scale
 * @property {string} note a sentence for the reader where values are not drawn as published, or empty
 */

/** How many series one plot takes: as many as have a colour. */
export const MOST_SERIES = 5;

/**
 * Series of one unit share an axis, of two units have one each. More units are rebased to 100, or
 * become z-scores where a value is zero or negative, so that 100 has no meaning.
 * @param {readonly Series[]} seriesList
 * @param {Scale} wanted
 * @returns {Drawing}
 */
export function drawingOf(seriesList, wanted) {
  const units = [...new Set(seriesList.map((series) => series.units))];
  if (wanted === 'published' && units.length <= 2) {
    const lines = seriesList.map((series) =>
      lineOf(series, series.units === units[0] ? 0 : 1, (value) => value),
    );
    return { lines, axes: units, scale: 'published', note: '' };
  }
  const why = wanted === 'published' ? [`${units.length} units do not fit two axes`] : [];
  const base = commonStart(seriesList);
  const canRebase = seriesList.every(
    ({ observations }) =>
      (firstFrom(observations, base)?.value ?? 0) > 0 &&
      observations.every(({ value }) => value === null || value > 0),
  );
  if (wanted === 'standardised') return standardised(seriesList, []);
  if (!canRebase) {
    return standardised(seriesList, [...why, 'a value of zero or less cannot be rebased to 100']);
  }
  const lines = seriesList.map((series) => {
    const first = firstFrom(series.observations, base)?.value ?? 1;
    return lineOf(series, 0, (value) => (value / first) * 100);
  });
  const note = noteOf(why, 'each series is rebased to 100 where all have begun');
  return { lines, axes: ['Rebased to 100'], scale: 'rebased', note };
}

/**
 * @param {readonly Series[]} seriesList
 * @param {readonly string[]} why
 * @returns {Drawing}
 */
function standardised(seriesList, why) {
  const lines = seriesList.map((series) => {
    const values = series.observations.flatMap(({ value }) => value ?? []);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    const deviation = Math.sqrt(variance) || 1;
    return lineOf(series, 0, (value) => (value - mean) / deviation);
  });
  const note = noteOf(
    why,
    'each series is drawn in standard deviations from its mean in this range (z-scores)',
  );
  return { lines, axes: ['Standard deviations'], scale: 'standardised', note };
}

/**
 * @param {Series} series
 * @param {0 | 1} axis
 * @param {(value: number) => number} toShown
 * @returns {Line}
 */
function lineOf(series, axis, toShown) {
  const points = series.observations.map(({ date, value }) => ({
    date,
    at: Date.parse(date),
    value,
    shown: value === null ? null : toShown(value),
  }));
  return { series, axis, points };
}

/**
 * The first date by which every series has a value.
 * @param {readonly Series[]} seriesList
 */
function commonStart(seriesList) {
  return seriesList
    .map(({ observations }) => firstFrom(observations, '')?.date ?? '')
    .reduce((latest, date) => (date > latest ? date : latest), '');
}

/**
 * @param {readonly Observation[]} observations
 * @param {string} date
 */
function firstFrom(observations, date) {
  return observations.find((each) => each.value !== null && each.date >= date);
}

/**
 * @param {readonly string[]} why
 * @param {string} what
 */
function noteOf(why, what) {
  const text = why.length === 0 ? what : `${why.join(', and ')}: ${what}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. The values below are as published.`;
}
