import { sort } from 'd3-array';
import { changeInYear, DAY_MS, type Form, formsOf, inForm, rangesOf } from './changes.ts';
import { ageOf, type Content, copyButton, make, mark, nodesOf, plainButton } from './dom.ts';
import { formatChange, formatDate, formatMeasure, formatPeriod, unitWords } from './format.ts';
import { csvOf, foldedTable, readCsv } from './history-table.ts';
import { pictureOf } from './picture.ts';
import { observationAt, type PlotOptions, plotOf, swatch } from './plot.ts';
import type { Drawing, Shown, Stage } from './stage.ts';
import type { Fields, History, Meta, Observation } from './tool-reply.ts';

export const HISTORY = 'macro_indicator_history';
/** Earlier than any series in the catalogue. */
const EARLIEST = '1900-01-01';
/** The tool's default `limit`. */
const RECENT = 60;
/** If the first observation is more than this later than `start_date`, no older one is stored. */
const LATE_MS = 400 * DAY_MS;

/** Draws one indicator, or two in one plot. */
export function drawHistories(
  served: readonly History[],
  { meta, args }: Shown,
  stage: Stage,
): Drawing {
  const histories = served.map((each) => ({ ...each, isThinned: meta.thinned !== undefined }));
  const [only] = histories.length === 1 ? histories : [];
  const loadRest =
    only && !isWhole(only, args)
      ? () => void stage.send(HISTORY, wholeHistoryOf(only.indicator), false)
      : undefined;
  const chart = chartOf(histories, stage, meta, loadRest);
  const facts = histories.map((history) => factsOf(history, stage));
  const title = histories.map((history) => history.title).join(' and ');
  return {
    parts: stage.layout(title, {
      meta,
      body: [chart.parts, facts, only && thinnedNote(only, meta, args, stage)],
      credit: [...new Set(histories.map(({ attribution }) => attribution))].join(' '),
      more: [chart.more, only && stage.button('Refresh', HISTORY, args)],
    }),
    summary: histories.map(summaryOf).join(' '),
  };
}

function summaryOf({ title, series_id, units, observations }: History): string {
  const newest = observations.findLast(({ value }) => value !== null);
  const what = `observations of ${title} (${series_id}, ${units})`;
  if (observations.length === 0) return `The user sees no ${what} in this range.`;
  const value = newest ? `; the newest value is ${newest.value} (${newest.date})` : '';
  return `The user sees ${observations.length} ${what} from ${observations[0]?.date} to ${observations.at(-1)?.date}${value}.`;
}

/** Whether the reply begins with the first stored observation. */
function isWhole({ observations }: History, args: Fields): boolean {
  if (typeof args.start_date !== 'string') {
    return observations.length < (typeof args.limit === 'number' ? args.limit : RECENT);
  }
  const first = Date.parse(observations[0]?.date ?? '');
  return args.start_date === EARLIEST || first - Date.parse(args.start_date) > LATE_MS;
}

/** A note on left-out values, with a button that loads them if the host can read resources. */
function thinnedNote(history: History, meta: Meta, args: Fields, stage: Stage): Content {
  const { thinned, asOf = '' } = meta;
  const { indicator, observations } = history;
  if (thinned === undefined) return undefined;
  const [first, last] = [observations[0]?.date, observations.at(-1)?.date];
  const uri = `quantshelf://macro/${encodeURIComponent(indicator)}/history/${first}/${last}`;
  const load = stage.loadButton('Load every value', uri, args, (csv) => ({
    kind: 'data',
    data: { ...history, observations: readCsv(csv) },
    meta: { asOf },
  }));
  const words = `${thinned.shown} of ${thinned.of.toLocaleString('en-US')} values are shown, chosen to preserve the shape of the line. `;
  return make('p', { class: 'remark' }, words, load);
}

function factsOf(history: History, stage: Stage): HTMLElement {
  const { frequency, series_id, stale, ended, next_release: next } = history;
  const page = `https://fred.stlouisfed.org/series/${encodeURIComponent(series_id)}`;
  const facts = [
    `${frequency} · `,
    stage.port.link(series_id, page),
    next && ` · next release ${next.exact ? '' : 'about '}${formatDate(next.date)}`,
    stale && mark('Newer figures are due', 'warn'),
    ended && mark('Ended', 'warn'),
  ];
  return make('p', { class: 'facts' }, facts);
}

/** A plot of one or two histories with its controls, and the entries for the "More" menu. */
function chartOf(
  histories: readonly History[],
  stage: Stage,
  meta: Meta,
  loadRest: (() => void) | undefined,
): { parts: Content; more: Content } {
  const place = make('div', { class: 'chart' });
  const under = make('div');
  const all = sort(
    histories.flatMap(({ observations }) => observations),
    ({ date }) => date,
  );
  const whole = { from: '', to: '\uffff' };
  let span = whole;
  let form: Form = 'level';
  let shown: readonly History[] = histories;
  const fill = () => {
    const isFocused = place.contains(document.activeElement);
    shown = histories.map((history) => {
      const chosen = inForm(history, form, span.from);
      const inside = ({ date }: Observation) => date >= span.from && date <= span.to;
      return { ...chosen, observations: chosen.observations.filter(inside) };
    });
    const zoom = (from: string, to: string) => show(from === '' ? whole : { from, to }, '');
    place.replaceChildren(...nodesOf(figureOf(shown, { onZoom: zoom, isLog: form === 'log' })));
    under.replaceChildren(...(all.length === 0 ? [] : [foldedTable(shown, form)]));
    if (isFocused) place.querySelector<HTMLElement>('.reader')?.focus();
  };
  const show = (next: typeof span, pressed: string) => {
    // A line needs at least two dates.
    if (all.filter(({ date }) => date >= next.from && date <= next.to).length < 2) return;
    span = next;
    press(pressed || (next === whole ? 'Max' : ''));
    fill();
  };
  const hasMore = loadRest !== undefined && stage.port.priceOf(HISTORY) !== undefined;
  const ranges = rangesOf(all).map(({ label, title, from }) =>
    plainButton(label, () => show({ from, to: whole.to }, label), title),
  );
  if (ranges.length > 0 || hasMore) {
    const title = hasMore ? 'All values (takes another call)' : 'All values';
    ranges.push(plainButton('Max', hasMore ? loadRest : () => show(whole, 'Max'), title));
  }
  const press = (label: string) => {
    for (const button of ranges) button.ariaPressed = String(button.textContent === label);
  };
  press(loadRest ? '' : 'Max');
  const forms = formsOf(histories);
  const choices = forms.map(({ label, value }) => make('option', { value }, label));
  const select = make('select', { 'aria-label': 'Form' }, choices);
  select.addEventListener('change', () => {
    form = forms.find(({ value }) => value === select.value)?.value ?? 'level';
    fill();
  });
  const hasLine = all.filter(({ value }) => value !== null).length > 1;
  fill();
  const group = { class: 'choice', role: 'group', 'aria-label': 'Range' };
  const controls = nodesOf([
    ranges.length > 0 && make('div', group, ranges),
    forms.length > 1 && hasLine && select,
  ]);
  const { download } = stage.port;
  const name = histories.map(({ indicator }) => indicator).join('-');
  const picture = () => {
    const svg = place.querySelector('svg.plot');
    if (!(svg instanceof SVGSVGElement)) return;
    const title = shown.map(({ title: words, note = '' }) => `${words}${note && `, ${note}`}`);
    const credit = `${histories.map(({ attribution }) => attribution).join(' ')} ${ageOf(meta)}`;
    download?.(`${name}.png`, 'image/png', pictureOf(svg, title.join(' and '), credit));
  };
  const csv = () => csvOf(shown);
  const files = download
    ? [
        plainButton('Figures as CSV', () => download(`${name}.csv`, 'text/csv', csv())),
        plainButton('Picture as PNG', picture),
      ]
    : copyButton('Copy figures as CSV', csv);
  return {
    parts: [controls.length > 0 && make('div', { class: 'under' }, controls), place],
    more: [under, hasLine && files],
  };
}

/** The values at the cross-hair, and the plot unless only one date has a value. */
function figureOf(
  shown: readonly History[],
  options: Pick<PlotOptions, 'onZoom' | 'isLog'>,
): Content {
  const drawn = shown.filter((each) => each.observations.some(({ value }) => value !== null));
  if (drawn.length === 0) {
    return make('p', { class: 'message' }, 'No observation in this range has a value.');
  }
  const units = new Set(drawn.map((series) => series.units)).size;
  const readouts = drawn.map((series, at) => {
    const value = make('span', { class: 'value' });
    const when = make('span', { class: 'when' });
    const side = units < 2 ? '' : at === 0 ? 'left axis' : 'right axis';
    const name = drawn.length > 1 && [swatch(at), make('span', {}, series.title), ' '];
    const words = [unitWords(series.units), series.note, side].filter(Boolean).join(', ');
    const unit = make('span', { class: 'unit' }, words);
    const line = make('p', { class: 'reading' }, name, value, ' ', unit, ' ', when);
    return { series, value, when, line };
  });
  const read = (date: string) => {
    for (const { series, value, when } of readouts) {
      const observation = observationAt(series, date);
      value.textContent = textOf(observation, series);
      when.textContent = whenOf(series, observation, date);
    }
    return lines.map(({ textContent }) => textContent).join('; ');
  };
  const lines = readouts.map(({ line }) => line);
  const values = drawn.flatMap((each) => each.observations.filter(({ value }) => value !== null));
  if (new Set(values.map(({ date }) => date)).size < 2) {
    read(values[0]?.date ?? '');
    return lines;
  }
  return [lines, plotOf(drawn, { ...options, read })];
}

function textOf(observation: Observation | undefined, { units, note = '' }: History): string {
  const value = observation?.value ?? null;
  if (value === null) return 'No value';
  return `${value > 0 && note.startsWith('change') ? '+' : ''}${formatMeasure(value, units)}`;
}

/** An observation's period, its change over a year and its first print. */
function whenOf(series: History, observation: Observation | undefined, date: string): string {
  const { observations, units, frequency } = series;
  if (observation === undefined) return formatPeriod(date, frequency);
  const yearly =
    series.isThinned === true || series.note !== undefined
      ? undefined
      : changeInYear(observations, observations.indexOf(observation), units);
  const digits = yearly?.kind === '%' ? 1 : 2;
  const kind = { '%': ' %', points: ' points', '': '' }[yearly?.kind ?? ''];
  const { first_value: first, first_units = units } = observation;
  return [
    formatPeriod(observation.date, frequency),
    yearly && `${formatChange(yearly.change, digits)}${kind} in a year`,
    first !== undefined && `revised from ${formatMeasure(first, first_units)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Arguments that request the whole history of an indicator. */
export function wholeHistoryOf(indicator: string): Fields {
  return { indicator, start_date: EARLIEST, end_date: new Date().toISOString().slice(0, 10) };
}
