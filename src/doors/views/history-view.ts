import type { Fields, History, Meta, Observation } from './answer.ts';
import { changeInYear, inYearlyChanges, rangesOf } from './changes.ts';
import {
  actions,
  ageOf,
  type Child,
  choice,
  foldedTable,
  make,
  makeSvg,
  mark,
  noteOf,
  remarks,
} from './dom.ts';
import { countOf, formatChange, formatDate, formatPeriod, formatValue } from './format.ts';
import { observationAt, plotOf } from './plot.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

const TOOL = 'macro_indicator_history';
/** Before any series of the catalogue begins. */
const EARLIEST = '1900-01-01';

/** One indicator: its line, the value that is read, ranges, its figures as a table, and its source. */
export function drawHistory(served: History, { meta, args }: Shown, stage: Stage): Drawing {
  const history = { ...served, isThinned: meta.isThinned };
  const { title, series_id, units, observations } = history;
  const newest = observations.findLast(({ value }) => value !== null);
  const size = `${observations.length} observations of ${title} (${series_id}, ${units})`;
  const value =
    newest === undefined ? '' : `; the newest value is ${newest.value} (${newest.date})`;
  return {
    parts: [
      stage.heading(title),
      ...chartOf([history], (each) => factsOf(each, stage)),
      ...noteOf(meta),
      sourceOf(history, meta),
      ...actions([...buttonsOf(history, args, stage), ...stage.back()]),
    ],
    summary: `The user has ${size} in the chart: ${observations[0]?.date} to ${observations.at(-1)?.date}${value}.`,
  };
}

/** Two indicators in one plot. */
export function drawPair(pair: readonly { history: History; meta: Meta }[], stage: Stage): Child[] {
  return [
    stage.heading(pair.map(({ history }) => history.title).join(' and ')),
    ...chartOf(
      pair.map(({ history, meta }) => ({ ...history, isThinned: meta.isThinned })),
      (each) => factsOf(each, stage),
    ),
    ...pair.flatMap(({ history, meta }) => [...noteOf(meta), sourceOf(history, meta)]),
  ];
}

function sourceOf({ attribution }: History, meta: Meta): HTMLElement {
  return make('p', { class: 'source' }, `${attribution} ${ageOf(meta)}`);
}

function factsOf({ frequency, series_id, stale, ended }: History, stage: Stage): HTMLElement {
  const page = `https://fred.stlouisfed.org/series/${encodeURIComponent(series_id)}`;
  return make(
    'p',
    { class: 'facts' },
    `${frequency} · `,
    stage.link(series_id, page),
    ...(stale ? [' ', mark('Stale', 'warn')] : []),
    ...(ended === true ? [' ', mark('Ended', 'warn')] : []),
  );
}

/** Facts, controls and the plot of one or two histories; the controls draw the plot anew. */
function chartOf(histories: readonly History[], facts: (history: History) => HTMLElement): Child[] {
  const place = make('div', { class: 'chart' });
  const ranges = rangesOf(histories.flatMap(({ observations }) => observations).sort(byDate));
  const yearly = histories.map(inYearlyChanges);
  let from = '';
  let isYearly = false;
  const fill = () => {
    const shown = histories.map((history, at) => {
      const chosen = (isYearly ? yearly[at] : undefined) ?? history;
      return { ...chosen, observations: chosen.observations.filter(({ date }) => date >= from) };
    });
    place.replaceChildren(...figureOf(shown, histories));
  };
  const rangeOptions = ranges.map((range) => ({ ...range, value: range.from }));
  const forms = [
    { label: 'Level', title: 'As published', value: false },
    { label: 'Change', title: 'Change in a year, in percent', value: true },
  ];
  const controls = [
    ...choice('Range', rangeOptions, ranges.at(-1)?.from ?? '', (value) => {
      from = value;
      fill();
    }),
    ...choice('Form', yearly.some(Boolean) ? forms : [], false, (value) => {
      isYearly = value;
      fill();
    }),
  ];
  fill();
  const stale = histories.some((history) => history.stale);
  return [
    make('div', { class: 'under' }, make('div', {}, ...histories.map(facts)), ...controls),
    place,
    ...remarks(stale ? ['The last refresh failed: newer figures may have been published.'] : []),
  ];
}

function byDate(a: Observation, b: Observation): number {
  return a.date < b.date ? -1 : 1;
}

/** The values that are read, the plot and the table; `histories` are the same as published. */
function figureOf(shown: readonly History[], histories: readonly History[]): Child[] {
  const drawn = shown.filter(({ observations }) =>
    observations.some(({ value }) => value !== null),
  );
  const table = tableOf(shown, histories);
  if (drawn.length === 0) {
    const nothing = make('p', { class: 'message' }, 'No observation in this range has a value.');
    return [
      nothing,
      ...(shown.every(({ observations }) => observations.length === 0) ? [] : [table]),
    ];
  }
  const units = new Set(drawn.map((series) => series.units)).size;
  const readings = drawn.map((series, at) => {
    const value = make('span', { class: 'value' });
    const when = make('span', { class: 'when' });
    const side = units < 2 ? '' : at === 0 ? ', left axis' : ', right axis';
    const name = drawn.length === 1 ? [] : [swatch(at), make('span', {}, series.title)];
    const unit = make('span', { class: 'unit' }, series.units + side);
    const line = make('p', { class: 'reading' }, ...name, value, ' ', unit, ' ', when);
    return { series, value, when, line };
  });
  const plot = plotOf(
    drawn,
    (date) => readings.map(({ series }) => describe(series, date, drawn.length > 1)).join('; '),
    (date) => {
      for (const { series, value, when } of readings) {
        const observation = observationAt(series, date);
        value.textContent = textOf(observation);
        when.textContent = whenOf(series, observation, date);
      }
    },
  );
  return [...readings.map(({ line }) => line), plot, table];
}

function swatch(at: number): SVGElement {
  return makeSvg(
    'svg',
    { class: 'swatch', viewBox: '0 0 24 10', width: 24, height: 10, 'aria-hidden': 'true' },
    makeSvg('path', { class: `line series-${at + 1}`, d: 'M2 5L22 5' }),
  );
}

function textOf(observation: Observation | undefined): string {
  const value = observation?.value ?? null;
  return value === null ? 'No value' : formatValue(Number(value.toFixed(6)));
}

function describe(series: History, date: string, isNamed: boolean): string {
  const observation = observationAt(series, date);
  const name = isNamed ? `${series.title}: ` : '';
  return `${name}${textOf(observation)}, ${series.units}, ${whenOf(series, observation, date)}`;
}

/** The period of an observation, its change in a year and what is known of its publication. */
function whenOf(series: History, observation: Observation | undefined, date: string): string {
  const { observations, units, frequency } = series;
  if (observation === undefined) return formatPeriod(date, frequency);
  const yearly =
    series.isThinned === true
      ? undefined
      : changeInYear(observations, observations.indexOf(observation), units);
  const digits = yearly?.kind === '%' ? 1 : 2;
  const kind = { '%': '%', points: ' points', '': '' }[yearly?.kind ?? ''];
  return [
    formatPeriod(observation.date, frequency),
    ...(yearly === undefined ? [] : [`${formatChange(yearly.change, digits)}${kind} in a year`]),
    ...(observation.first_value === undefined
      ? []
      : [`revised from ${formatValue(observation.first_value)}`]),
  ].join(' · ');
}

function tableOf(shown: readonly History[], histories: readonly History[]): HTMLElement {
  const dates = [
    ...new Set(shown.flatMap(({ observations }) => observations.map(({ date }) => date))),
  ];
  const columns = shown.map(
    ({ observations }) => new Map(observations.map((each) => [each.date, each])),
  );
  const [only] = shown.length === 1 ? shown : [];
  const [published] = histories;
  const isLevel = only !== undefined && only.units === published?.units;
  return foldedTable(
    `${countOf(dates.length, only === undefined ? 'row' : 'observation')} as a table`,
    {
      caption: shown.map(({ title, units }) => `${title}, ${units}`).join('; '),
      head: [
        'Period',
        ...(only === undefined ? shown.map(({ title }) => title) : ['Value']),
        ...(isLevel ? ['First published'] : []),
      ],
      items: dates.sort().reverse(),
      cellsOf: (date) => [
        only === undefined ? formatDate(date) : formatPeriod(date, only.frequency),
        ...columns.map((column) => cellOf(column.get(date))),
        ...(isLevel ? [publicationOf(columns[0]?.get(date))] : []),
      ],
    },
  );
}

function cellOf(observation: Observation | undefined): string {
  if (observation === undefined) return '';
  return observation.value === null ? '–' : textOf(observation);
}

function publicationOf(observation: Observation | undefined): string {
  const { realtime_start = '', exact } = observation ?? {};
  if (realtime_start === '') return '';
  return `${exact === true ? '' : 'about '}${formatDate(realtime_start)}`;
}

/** The arguments that bring all of a series. */
export function wholeHistoryOf(indicator: string): Fields {
  return { indicator, start_date: EARLIEST, end_date: new Date().toISOString().slice(0, 10) };
}

function buttonsOf({ indicator }: History, args: Fields, stage: Stage) {
  const same = Object.keys(args).length === 0 ? { indicator } : args;
  return [
    ...(args.start_date === EARLIEST
      ? []
      : stage.button('Load the whole history', TOOL, wholeHistoryOf(indicator))),
    ...stage.button('Refresh', TOOL, same),
  ];
}
