import { countOf } from '../../core/text.ts';
import type { Form } from './changes.ts';
import { fold, make, scroller, tableOf } from './dom.ts';
import { formatChange, formatDate, formatPeriod, formatValue } from './format.ts';
import type { History, Observation } from './tool-reply.ts';

/** A browser takes seconds to lay out thousands of rows; the CSV has them all. */
const MOST_ROWS = 250;

/** A table of the newest drawn values, built when first opened. One series shown as levels has more columns. */
export function foldedTable(shown: readonly History[], form: Form): HTMLElement {
  const { dates, columns } = columnsOf(shown);
  const [only] = shown.length === 1 ? shown : [];
  const isLevel = only !== undefined && (form === 'level' || form === 'log');
  const hasFirst = isLevel && only.observations.some((each) => each.first_value !== undefined);
  const rowOf = (date: string) => [
    ...columns.map((column) => cellOf(column.get(date))),
    ...(hasFirst ? revisionOf(columns[0]?.get(date)) : []),
    ...(isLevel ? [publicationOf(columns[0]?.get(date))] : []),
  ];
  const heads = [
    'Period',
    ...(only === undefined ? shown.map(({ title }) => title) : ['Value']),
    ...(hasFirst ? ['First print', 'Revised by'] : []),
    ...(isLevel ? ['Published'] : []),
  ].map((name) => ({ name }));
  const caption = shown.map(({ title, units }) => `${title}, ${units}`).join('; ');
  const place = scroller('scroll', `${caption} as a table`);
  const fill = () => {
    const newest = dates.slice(-MOST_ROWS).reverse();
    const rows = newest.map((date) => {
      const period = only ? formatPeriod(date, only.frequency) : formatDate(date);
      const cells = rowOf(date).map((cell) => make('td', {}, cell));
      return make('tr', {}, make('th', { scope: 'row' }, period), cells);
    });
    place.append(tableOf({}, make('caption', {}, caption), heads, rows));
  };
  const count = countOf(dates.length, only === undefined ? 'row' : 'observation');
  const part = dates.length > MOST_ROWS ? `The newest ${MOST_ROWS} of ` : '';
  const table = fold(`${part}${count} as a table`, place);
  table.addEventListener('toggle', fill, { once: true });
  return table;
}

/** All drawn dates, oldest first, and the observations of each series by date. */
function columnsOf(shown: readonly History[]) {
  const columns = shown.map(
    ({ observations }) => new Map(observations.map((each) => [each.date, each])),
  );
  return { dates: [...new Set(columns.flatMap((column) => [...column.keys()]))].sort(), columns };
}

function cellOf(observation: Observation | undefined): string {
  if (observation === undefined) return '';
  return observation.value === null ? '–' : formatValue(Number(observation.value.toFixed(6)));
}

/** The first print, and the revision since then or, if the unit has changed, the first print's unit. */
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

/** All drawn values as CSV, with a column for each series. */
export function csvOf(shown: readonly History[]): string {
  const { dates, columns } = columnsOf(shown);
  const head = ['date', ...shown.map(({ indicator }) => indicator)];
  const rows = dates.map((date) => [date, ...columns.map((each) => each.get(date)?.value ?? '')]);
  return [head, ...rows].map((row) => `${row.join(',')}\n`).join('');
}

/** Reads CSV as `quantshelf export macro` writes it: date, indicator, value, realtime_start … */
export function readCsv(csv: string): Observation[] {
  const rows = csv.trim().split('\n').slice(1);
  return rows.map((row) => {
    const [date = '', , value = '', day = '', , exact] = row.split(',');
    const isExact = exact === 'true' || exact === '1';
    // Otherwise the day is when the value was certainly current, perhaps long after its publication.
    const realtime_start = isExact ? day : '';
    return { date, value: value === '' ? null : Number(value), realtime_start, exact: isExact };
  });
}
