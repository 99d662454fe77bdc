import type { Fields, History, Meta, Observation } from './answer.ts';
import { changeInYear, type Form, formsOf, inForm, rangesOf } from './changes.ts';
import { ageOf, type Child, choice, copyButton, make, mark, plainButton } from './dom.ts';
import { formatChange, formatDate, formatMeasure, formatPeriod, unitWords } from './format.ts';
import { csvOf, readCsv, tableOf } from './history-table.ts';
import { pictureOf } from './picture.ts';
import { observationAt, type PlotOptions, plotOf, swatch } from './plot.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

const TOOL = 'macro_indicator_history';
/** Before any series of the catalogue begins. */
const EARLIEST = '1900-01-01';
/** The default `limit`. */
const RECENT = 60;
/** If the first observation is this much later than `start_date`, nothing older is stored. */
const LATE_MS = 400 * 86_400_000;

/** One indicator. */
export function drawHistory(served: History, { meta, args }: Shown, stage: Stage): Drawing {
  const history = { ...served, isThinned: meta.thinned !== undefined };
  const { title, series_id, units, observations, indicator } = history;
  const newest = observations.findLast(({ value }) => value !== null);
  const size = `${observations.length} observations of ${title} (${series_id}, ${units})`;
  const value =
    newest === undefined ? '' : `; the newest value is ${newest.value} (${newest.date})`;
  const rest = isWhole(history, args)
    ? undefined
    : () => void stage.send(TOOL, wholeHistoryOf(indicator), false);
  const chart = chartOf([history], stage, meta, rest);
  const body = [
    ...chart.parts,
    factsOf(history, stage),
    ...thinnedNote(history, { meta, args, data: served }, stage),
  ];
  const same = Object.keys(args).length === 0 ? { indicator } : args;
  const more = [...chart.more, ...stage.button('Refresh', TOOL, same)];
  return {
    parts: stage.layout(title, { meta, body, more, source: [served.attribution] }),
    summary: `The user has ${size} in the chart: ${observations[0]?.date} to ${observations.at(-1)?.date}${value}.`,
  };
}

/** Two indicators in one plot; the notice to the assistant is that of the first. */
export function drawPair(pair: readonly History[], meta: Meta, stage: Stage): Child[] {
  const { parts, more } = chartOf(pair, stage, meta, undefined);
  const title = pair.map((history) => history.title).join(' and ');
  const body = [...parts, ...pair.map((history) => factsOf(history, stage))];
  const source = [[...new Set(pair.map(({ attribution }) => attribution))].join(' ')];
  return stage.layout(title, { meta, body, more, source });
}

/** Whether the reply begins with the first stored observation. */
function isWhole({ observations }: History, args: Fields): boolean {
  if (typeof args.start_date !== 'string') {
    return observations.length < (typeof args.limit === 'number' ? args.limit : RECENT);
  }
  const first = Date.parse(observations[0]?.date ?? '');
  return args.start_date === EARLIEST || first - Date.parse(args.start_date) > LATE_MS;
}

/** Says that values are left out; where the host reads resources, a button loads them. */
function thinnedNote(history: History, shown: Shown, stage: Stage): Child[] {
  const { thinned, ...meta } = shown.meta;
  const { indicator, observations } = history;
  if (thinned === undefined) return [];
  const [first, last] = [observations[0]?.date, observations.at(-1)?.date];
  const load = stage.loadButton(
    'Load every value',
    `quantshelf://macro/${encodeURIComponent(indicator)}/history/${first}/${last}`,
    (csv) => ({ ...shown, data: { ...history, observations: readCsv(csv) }, meta }),
  );
  const words = `${thinned.shown} of ${thinned.of.toLocaleString('en-US')} values drawn, which keep the shape.`;
  return [make('p', { class: 'remark' }, words, ' ', ...load)];
}

function factsOf(history: History, stage: Stage): HTMLElement {
  const { frequency, series_id, stale, ended, next_release: next } = history;
  const page = `https://fred.stlouisfed.org/series/${encodeURIComponent(series_id)}`;
  const release =
    next === undefined
      ? ''
      : ` · next release ${next.exact ? '' : 'about '}${formatDate(next.date)}`;
  return make(
    'p',
    { class: 'facts' },
    `${frequency} · `,
    stage.port.link(series_id, page),
    release,
    ...(stale ? [' ', mark('Newer figures are due', 'warn')] : []),
    ...(ended === true ? [' ', mark('Ended', 'warn')] : []),
  );
}

/**
 * The plot of one or two histories with its controls, and what belongs under "More". `loadRest` loads
 * older values.
 */
function chartOf(
  histories: readonly History[],
  stage: Stage,
  meta: Meta,
  loadRest: (() => void) | undefined,
): { parts: Child[]; more: Child[] } {
  const place = make('div', { class: 'chart' });
  const under = make('div', {});
  const all = histories.flatMap(({ observations }) => observations).sort(byDate);
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
    place.replaceChildren(...figureOf(shown, { onZoom: zoom, isLog: form === 'log' }));
    under.replaceChildren(...(all.length === 0 ? [] : [tableOf(shown, form)]));
    if (isFocused) place.querySelector<HTMLElement>('.reader')?.focus();
  };
  const show = (next: typeof span, pressed: string) => {
    // A single date makes no line.
    if (all.filter(({ date }) => date >= next.from && date <= next.to).length < 2) return;
    span = next;
    ranges.press(pressed || (next === whole ? 'Max' : ''));
    fill();
  };
  const shorter = rangesOf(all);
  const hasMore = loadRest !== undefined && stage.port.priceOf(TOOL) !== undefined;
  const max = { label: 'Max', title: hasMore ? 'All there is: one more call' : 'All there is' };
  const options = [...shorter, ...(shorter.length > 0 || hasMore ? [max] : [])];
  const ranges = choice('Range', options, (label) => {
    const range = shorter.find((each) => each.label === label);
    if (range !== undefined) show({ from: range.from, to: whole.to }, label);
    else if (hasMore) loadRest();
    else show(whole, label);
  });
  ranges.press(loadRest ? '' : 'Max');
  const forms = formsOf(histories);
  const select = make('select', { 'aria-label': 'Form' });
  select.append(...forms.map(({ label, value }) => make('option', { value }, label)));
  select.addEventListener('change', () => {
    form = forms.find(({ value }) => value === select.value)?.value ?? 'level';
    fill();
  });
  const hasLine = all.filter(({ value }) => value !== null).length > 1;
  fill();
  const controls = [...ranges.parts, ...(forms.length > 1 && hasLine ? [select] : [])];
  const { download } = stage.port;
  const name = histories.map(({ indicator }) => indicator).join('-');
  const picture = () => {
    const svg = place.querySelector('svg.plot');
    if (!(svg instanceof SVGSVGElement)) return;
    const title = shown.map(({ title: words, note = '' }) => `${words}${note && `, ${note}`}`);
    const source = `${histories.map(({ attribution }) => attribution).join(' ')} ${ageOf(meta)}`;
    download?.(`${name}.png`, 'image/png', pictureOf(svg, title.join(' and '), source));
  };
  const csv = () => csvOf(shown);
  const files = download
    ? [
        plainButton('Figures as CSV', () => download(`${name}.csv`, 'text/csv', csv())),
        plainButton('Picture as PNG', picture),
      ]
    : copyButton('Copy figures as CSV', csv);
  return {
    parts: [
      ...(controls.length === 0 ? [] : [make('div', { class: 'under' }, ...controls)]),
      place,
    ],
    more: [under, ...(hasLine ? files : [])],
  };
}

function byDate(a: Observation, b: Observation): number {
  return a.date < b.date ? -1 : 1;
}

/** The values at the cross-hair and the plot; for a single observation, no plot. */
function figureOf(
  shown: readonly History[],
  options: Pick<PlotOptions, 'onZoom' | 'isLog'>,
): Child[] {
  const drawn = shown.filter(({ observations }) =>
    observations.some(({ value }) => value !== null),
  );
  if (drawn.length === 0) {
    return [make('p', { class: 'message' }, 'No observation in this range has a value.')];
  }
  const units = new Set(drawn.map((series) => series.units)).size;
  const readings = drawn.map((series, at) => {
    const value = make('span', { class: 'value' });
    const when = make('span', { class: 'when' });
    const side = units < 2 ? '' : at === 0 ? 'left axis' : 'right axis';
    const name = drawn.length === 1 ? [] : [swatch(at), make('span', {}, series.title), ' '];
    const words = [unitWords(series.units), series.note, side].filter(Boolean).join(', ');
    const unit = make('span', { class: 'unit' }, words);
    const line = make('p', { class: 'reading' }, ...name, value, ' ', unit, ' ', when);
    return { series, value, when, line };
  });
  const read = (date: string) => {
    for (const { series, value, when } of readings) {
      const observation = observationAt(series, date);
      value.textContent = textOf(observation, series);
      when.textContent = whenOf(series, observation, date);
    }
    return lines.map(({ textContent }) => textContent).join('; ');
  };
  const lines = readings.map(({ line }) => line);
  const values = drawn
    .flatMap(({ observations }) => observations)
    .filter((each) => each.value !== null);
  if (values.length < 2) {
    read(values[0]?.date ?? '');
    return lines;
  }
  return [...lines, plotOf(drawn, { ...options, read })];
}

function textOf(observation: Observation | undefined, { units, note = '' }: History): string {
  const value = observation?.value ?? null;
  if (value === null) return 'No value';
  return `${value > 0 && note.startsWith('change') ? '+' : ''}${formatMeasure(value, units)}`;
}

/** The period of an observation, its change in a year and its first print. */
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

/** The arguments that request a whole series. */
export function wholeHistoryOf(indicator: string): Fields {
  return { indicator, start_date: EARLIEST, end_date: new Date().toISOString().slice(0, 10) };
}
