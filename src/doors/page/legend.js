import { make, makeSvg } from './dom.js';
import { formatPeriod, formatValue, nameOf } from './format.js';

const DAY_MS = 86_400_000;
/** From the finest; a date is written as the finest series of a plot would. */
const FREQUENCIES = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'Annual'];
/**
 * Days for which an observation still speaks for a later date, of a finer series or of a day
 * without trade: its own
 * period and two more. The legend names its period.
 * @type {Record<string, number>}
 */
const REACH_DAYS = { Daily: 7, Weekly: 21, Monthly: 93, Quarterly: 276, Annual: 1100 };

/**
 * A key to the lines of a plot that also shows their values at one date.
 * @param {import('./lines.js').Drawing} drawing
 */
export function makeLegend({ lines, axes, scale }) {
  const frequency =
    FREQUENCIES.find((each) => lines.some(({ series }) => series.frequency === each)) ?? 'Daily';
  const rows = lines.map(({ series, axis }, at) => {
    const value = make('span', { class: 'value' });
    const period = make('span', { class: 'period' });
    const side = axes.length < 2 ? '' : axis === 0 ? ', left axis' : ', right axis';
    const row = make(
      'li',
      {},
      swatch(at, lines.length > 1),
      make(
        'span',
        { class: 'label' },
        make('span', { class: 'series-name' }, nameOf(series.title)),
        ' ',
        make('span', { class: 'series-unit' }, series.units + side),
      ),
      make('span', { class: 'read' }, value, ' ', period),
    );
    return { row, value, period };
  });
  /** @param {string} date @returns {(import('./lines.js').Point | undefined)[]} */
  const pointsAt = (date) => lines.map((line) => pointAt(line, Date.parse(date)));
  return {
    element: make('ul', { class: 'legend' }, ...rows.map(({ row }) => row)),
    frequency,
    /**
     * Writes the values of a date; what each line holds there, undefined where it has none.
     * @param {string} date
     */
    show(date) {
      const points = pointsAt(date);
      for (const [at, { value, period }] of rows.entries()) {
        const point = points[at];
        value.textContent = textOf(point, scale);
        const { frequency: own = frequency } = lines[at]?.series ?? {};
        period.textContent = formatPeriod(
          point?.date ?? date,
          point === undefined ? frequency : own,
        );
      }
      return points;
    },
    /** @param {string} date */
    say(date) {
      const values = pointsAt(date).map((point, at) => {
        const { series } = lines[at] ?? {};
        const name = lines.length === 1 ? '' : `${nameOf(series?.title ?? '')} `;
        return `${name}${textOf(point, 'published')}, ${series?.units}`;
      });
      return `${formatPeriod(date, frequency)}: ${values.join('; ')}`;
    },
  };
}

/**
 * The observation that a series has at a time, or its latest before, within reach.
 * @param {import('./lines.js').Line} line
 * @param {number} time
 */
function pointAt({ series, points }, time) {
  const reach = (REACH_DAYS[series.frequency] ?? 0) * DAY_MS;
  return points.findLast(({ at }) => at <= time && time - at <= reach);
}

/**
 * @param {import('./lines.js').Point | undefined} point
 * @param {import('./lines.js').Scale} scale
 */
function textOf(point, scale) {
  if (point === undefined || point.value === null || point.shown === null) return 'no value';
  if (scale === 'published') return formatValue(point.value);
  return `${formatValue(point.value)} (${formatValue(point.shown, scale === 'rebased' ? 1 : 2)})`;
}

/**
 * @param {number} at
 * @param {boolean} isNumbered
 */
function swatch(at, isNumbered) {
  const line = makeSvg(
    'svg',
    { viewBox: '0 0 20 10', width: 20, height: 10, 'aria-hidden': 'true' },
    makeSvg('path', { class: `line series-${at + 1}`, d: 'M2 5L18 5' }),
  );
  return make('span', { class: 'swatch' }, line, isNumbered ? String(at + 1) : '');
}
