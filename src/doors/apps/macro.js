import { make } from '../page/dom.js';
import { countOf, formatDate, formatPeriod, formatValue } from '../page/format.js';
import { formatChange } from './format.js';
import { changeInYear, holdsAll, rangesOf } from './history.js';
import { actions, ageOf, foldedTable, mark, noticeOf, plainButton } from './parts.js';
import { readPlot } from './reader.js';
import { Session } from './session.js';

const TOOL = 'macro_indicator_history';
/** Before any series of the catalogue begins. */
const EARLIEST = '1900-01-01';

/**
 * @typedef {import('./history.js').Observation} Observation
 * @typedef {import('./envelope.js').Meta} Meta
 * @typedef {object} History
 * @property {string} indicator
 * @property {string} series_id
 * @property {string} title
 * @property {string} frequency
 * @property {string} units
 * @property {string} attribution
 * @property {boolean} stale
 * @property {boolean} [ended]
 * @property {Observation[]} observations
 */

/** The plot that is shown. @type {import('./reader.js').Reader | undefined} */
let reader;

void new Session({
  name: 'macro',
  waiting: ({ indicator, series_id }) => `Reading ${indicator ?? series_id ?? 'the figures'} …`,
  draw: (data, meta, session) => showHistory(data, meta, session, session.args),
}).open();

/**
 * @param {History} history
 * @param {Meta} meta
 * @param {Session} session
 * @param {import('./bridge.js').Fields} args of the call that this is the answer to
 */
function showHistory(history, meta, session, args) {
  const chart = make('div', { class: 'chart' });
  const ranges = rangesOf(history.observations);
  session.show(
    make('header', {}, make('h1', { tabindex: -1 }, history.title)),
    make(
      'div',
      { class: 'under' },
      factsOf(history, session),
      ...rangeGroup(ranges, (from) => fillChart(chart, history, from)),
    ),
    chart,
    ...noticeOf(meta),
    make('p', { class: 'source' }, `${history.attribution} ${ageOf(meta)}`),
    ...actions(buttonsOf(history, session, args)),
  );
  // Where it stands, its width is known.
  fillChart(chart, history, '');
}

/**
 * @param {History} history
 * @param {Session} session
 */
function factsOf({ frequency, series_id, stale, ended }, session) {
  const page = `https://fred.stlouisfed.org/series/${encodeURIComponent(series_id)}`;
  return make(
    'p',
    { class: 'facts' },
    `${frequency} · `,
    session.link(series_id, page),
    ...(stale ? [' ', mark('Stale', 'warn')] : []),
    ...(ended === true ? [' ', mark('Ended', 'warn')] : []),
  );
}

/**
 * Buttons for the ranges, of which the last is chosen at first; nothing where there are none.
 * @param {readonly import('./history.js').Range[]} ranges
 * @param {(from: string) => void} onChoose
 */
function rangeGroup(ranges, onChoose) {
  if (ranges.length === 0) return [];
  const buttons = ranges.map(({ label, title, from }) => {
    const button = plainButton(label, () => {
      press(button);
      onChoose(from);
    });
    button.title = title;
    return button;
  });
  /** @param {HTMLElement | undefined} pressed */
  const press = (pressed) => {
    for (const each of buttons) each.setAttribute('aria-pressed', String(each === pressed));
  };
  press(buttons.at(-1));
  return [make('div', { class: 'ranges', role: 'group', 'aria-label': 'Range' }, ...buttons)];
}

/**
 * Shows the observations from a date on: the value that is read, the plot and the table.
 * @param {HTMLElement} chart
 * @param {History} history
 * @param {string} from
 */
function fillChart(chart, history, from) {
  reader?.close();
  const { title, units, frequency, observations: all } = history;
  const start = Math.max(
    0,
    all.findIndex(({ date }) => date >= from),
  );
  const observations = all.slice(start);
  const table = foldedTable(
    `${countOf(observations.length, 'observation')} as a table`,
    `${title}, ${units}`,
    ['Period', 'Value', 'First published'],
    observations.toReversed(),
    (each) => cellsOf(each, frequency),
  );
  if (observations.every(({ value }) => value === null)) {
    const nothing = make('p', { class: 'message' }, 'No observation in this range has a value.');
    chart.replaceChildren(nothing, ...(observations.length === 0 ? [] : [table]));
    return;
  }
  const value = make('span', { class: 'value' });
  const when = make('p', { class: 'when' });
  reader = readPlot(
    { ...history, observations },
    {
      describe: (index) =>
        `${textOf(observations[index])}, ${units}; ${whenOf(history, start + index)}`,
      onRead(index) {
        value.textContent = textOf(observations[index]);
        when.textContent = whenOf(history, start + index);
      },
    },
  );
  chart.replaceChildren(
    make('p', { class: 'headline' }, value, ' ', make('span', { class: 'unit' }, units)),
    when,
    reader.element,
    table,
  );
}

/** @param {Observation | undefined} observation */
function textOf(observation) {
  const value = observation?.value ?? null;
  return value === null ? 'No value' : formatValue(value);
}

/**
 * The period of an observation, its change in a year and what is known of its publication.
 * @param {History} history
 * @param {number} index
 */
function whenOf({ observations, units, frequency }, index) {
  const observation = observations[index];
  if (observation === undefined) return '';
  const change = changeOf(changeInYear(observations, index, units));
  const revised =
    observation.first_value === undefined
      ? []
      : [`revised from ${formatValue(observation.first_value)}`];
  return [formatPeriod(observation.date, frequency), ...change, ...revised].join(' · ');
}

/** @param {ReturnType<typeof changeInYear>} found */
function changeOf(found) {
  if (found === undefined) return [];
  const { change, kind } = found;
  if (kind === '%') return [`${formatChange(change, 1)}% in a year`];
  return [`${formatChange(change, 2)}${kind === 'points' ? ' points' : ''} in a year`];
}

/**
 * @param {Observation} observation
 * @param {string} frequency
 */
function cellsOf(observation, frequency) {
  const { realtime_start = '', exact } = observation;
  const published = `${exact === true ? '' : 'about '}${formatDate(realtime_start)}`;
  return [
    formatPeriod(observation.date, frequency),
    observation.value === null ? '–' : textOf(observation),
    realtime_start === '' ? '' : published,
  ];
}

/**
 * @param {History} history
 * @param {Session} session
 * @param {import('./bridge.js').Fields} args
 */
function buttonsOf({ indicator, observations }, session, args) {
  /** @param {import('./bridge.js').Fields} next */
  const show = (next) => (/** @type {History} */ data, /** @type {Meta} */ meta) =>
    showHistory(data, meta, session, next);
  const today = new Date().toISOString().slice(0, 10);
  const whole = { indicator, start_date: EARLIEST, end_date: today };
  const same = Object.keys(args).length === 0 ? { indicator } : args;
  return [
    ...(holdsAll(args, observations)
      ? []
      : session.callButton({
          label: 'Load the whole history',
          tool: TOOL,
          args: whole,
          onAnswer: show(whole),
        })),
    ...session.callButton({ label: 'Refresh', tool: TOOL, args: same, onAnswer: show(same) }),
  ];
}
