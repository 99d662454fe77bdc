import type { History, Observation } from './answer.ts';
import type { Form } from './changes.ts';
import { foldedTable } from './dom.ts';
import { countOf, formatChange, formatDate, formatPeriod, formatValue } from './format.ts';

// Figures of a history as a table and as CSV.

/** All that is drawn, newest first, as it is stored; of a level, also what was first published and when. */
export function tableOf(shown: readonly History[], form: Form): HTMLElement {
  const dates = [
    ...new Set(shown.flatMap(({ observations }) => observations.map(({ date }) => date))),
  ];
  const columns = shown.map(
    ({ observations }) => new Map(observations.map((each) => [each.date, each])),
  );
  const [only] = shown.length === 1 ? shown : [];
  const isLevel = only !== undefined && (form === 'level' || form === 'log');
  const hasFirst = isLevel && only.observations.some((each) => each.first_value !== undefined);
  return foldedTable(
    `${countOf(dates.length, only === undefined ? 'row' : 'observation')} as a table`,
    {
      caption: shown.map(({ title, units }) => `${title}, ${units}`).join('; '),
      head: [
        'Period',
        ...(only === undefined ? shown.map(({ title }) => title) : ['Value']),
        ...(hasFirst ? ['First print', 'Revised by'] : []),
        ...(isLevel ? ['Published'] : []),
      ],
      items: dates.sort().reverse(),
      cellsOf: (date) => [
        only === undefined ? formatDate(date) : formatPeriod(date, only.frequency),
        ...columns.map((column) => cellOf(column.get(date))),
        ...(hasFirst ? revisionOf(columns[0]?.get(date)) : []),
        ...(isLevel ? [publicationOf(columns[0]?.get(date))] : []),
      ],
    },
  );
}

function cellOf(observation: Observation | undefined): string {
  if (observation === undefined) return '';
  return observation.value === null ? '–' : formatValue(Number(observation.value.toFixed(6)));
}

/** The first print and what was added to it; of one in another unit, that unit in place of a difference. */
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

/** The figures that are drawn, a column for each series. */
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
