import { countOf } from '../../core/text.ts';
import type { History, Observation } from './answer.ts';
import type { Form } from './changes.ts';
import { fold, make } from './dom.ts';
import { formatChange, formatDate, formatPeriod, formatValue } from './format.ts';

/** A browser takes seconds for thousands of rows; the CSV has them all. */
const MOST_ROWS = 250;

/**
 * A table, built when it is first opened, of the newest values that are drawn, unrounded; for a level, also
 * its first print and when it came out.
 */
export function tableOf(shown: readonly History[], form: Form): HTMLElement {
  const all = shown.flatMap(({ observations }) => observations.map(({ date }) => date));
  const dates = [...new Set(all)].sort().reverse();
  const columns = shown.map(
    ({ observations }) => new Map(observations.map((each) => [each.date, each])),
  );
  const [only] = shown.length === 1 ? shown : [];
  const isLevel = only !== undefined && (form === 'level' || form === 'log');
  const hasFirst = isLevel && only.observations.some((each) => each.first_value !== undefined);
  const rowOf = (date: string) => [
    only === undefined ? formatDate(date) : formatPeriod(date, only.frequency),
    ...columns.map((column) => cellOf(column.get(date))),
    ...(hasFirst ? revisionOf(columns[0]?.get(date)) : []),
    ...(isLevel ? [publicationOf(columns[0]?.get(date))] : []),
  ];
  const count = countOf(dates.length, only === undefined ? 'row' : 'observation');
  const isCut = dates.length > MOST_ROWS;
  const head = [
    'Period',
    ...(only === undefined ? shown.map(({ title }) => title) : ['Value']),
    ...(hasFirst ? ['First print', 'Revised by'] : []),
    ...(isLevel ? ['Published'] : []),
  ];
  const caption = shown.map(({ title, units }) => `${title}, ${units}`).join('; ');
  const label = `${caption} as a table`;
  const place = make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label });
  const fill = () => {
    const rows = dates.slice(0, MOST_ROWS).map((date) => {
      const [period = '', ...cells] = rowOf(date);
      const heading = make('th', { scope: 'row' }, period);
      return make('tr', {}, heading, ...cells.map((cell) => make('td', {}, cell)));
    });
    const top = make('tr', {}, ...head.map((name) => make('th', { scope: 'col' }, name)));
    const parts = [make('thead', {}, top), make('tbody', {}, ...rows)];
    place.append(make('table', {}, make('caption', {}, caption), ...parts));
  };
  const table = fold(`${isCut ? `The newest ${MOST_ROWS} of ` : ''}${count} as a table`, place);
  table.addEventListener('toggle', fill, { once: true });
  return table;
}

function cellOf(observation: Observation | undefined): string {
  if (observation === undefined) return '';
  return observation.value === null ? '–' : formatValue(Number(observation.value.toFixed(6)));
}

/** The first print and its revision; if it was in another unit, that unit instead. */
function revisionOf(observation: Observation | undefined): [first: string, change: string] {
  const { value = null, first_value: first, first_units: units } = observation ?? {};
  if (first === undefined) return ['', ''];
  if (units !== undefined || value === null) return [formatValue(first), units ?? ''];
  return [formatValue(first), formatChange(value - first, 6)];
}

function publicationOf(observation: Observation | undefined): string {
  const { realtime_start = '', exact } = observation ?? {};
  if (realtime_start === '') return '';
  return `${exact === true ? '' : 'about '}${formatDate(realtime_start)}`;
}

/** All values that are drawn, a column for each series. */
export function csvOf(shown: readonly History[]): string {
  const columns = shown.map(
    ({ observations }) => new Map(observations.map((o) => [o.date, o.value])),
  );
  const dates = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort();
  const head = ['date', ...shown.map(({ indicator }) => indicator)];
  const rows = dates.map((date) => [date, ...columns.map((column) => column.get(date) ?? '')]);
  return [head, ...rows].map((row) => `${row.join(',')}\n`).join('');
}

/** The rows of `quantshelf export macro`: date, indicator, value, realtime_start … */
export function readCsv(csv: string): Observation[] {
  const rows = csv.trim().split('\n').slice(1);
  return rows.map((row) => {
    const [date = '', , value = '', realtime_start = '', , exact] = row.split(',');
    return {
      date,
      value: value === '' ? null : Number(value),
      realtime_start,
      exact: exact === 'true' || exact === '1',
    };
  });
}
