import { isCalendarDay } from '../../../core/fields.ts';
import { shiftDay } from '../../../core/time.ts';
import type { HttpClient, HttpResponse } from '../../../upstream/client.ts';
import { HttpError, InvalidResponseError } from '../../../upstream/failures.ts';
import { rowsOfFeed } from '../facts/indicators.ts';
import {
  byDate,
  cellsOf,
  createFeed,
  type Feed,
  type Figure,
  OVERLAP_DAYS,
  readNumber,
  type StoredFigures,
  toHundredths,
} from './feed.ts';

/** Maximum number of years to request; each takes one file per curve. */
const MOST_YEARS = 10;
const INTERVAL_MS = 1_000;
/** A year takes 20 KB; parsing blocks the thread that serves all calls. */
const MAX_BYTES = 256 * 1024;

/** Series of the nominal curve and their CSV headers, lower-cased: the real curve's file has capitals. */
const YIELDS: readonly (readonly [seriesId: string, header: string])[] = rowsOfFeed(
  'treasury',
).flatMap(({ series_id, agency: { column } }) =>
  column === undefined ? [] : [[series_id, column] as const],
);

/** Values by date. */
type Column = Map<string, number | null>;

/** The Treasury's par yield curves, nominal and real, with the spreads and breakevens between them. */
export function createTreasuryFeed(
  client: Pick<HttpClient, 'get'>,
  { baseUrl }: { baseUrl: string },
): Feed {
  const feed = createFeed('treasury', 'treasury', async (stored, today, signal) => {
    const years = yearsSince(stored, feed.seriesIds, today);
    async function readCurve(type: string, headers: readonly string[]) {
      const columns = new Map<string, Column>(headers.map((header) => [header, new Map()]));
      for (const year of years) {
        const query = `type=${type}&field_tdr_date_value=${year}&page&_format=csv`;
        await client.get(`${baseUrl}/daily-treasury-rates.csv/${year}/all?${query}`, {
          read: (response) => readFile(response, year, today, columns),
          maxBytes: MAX_BYTES,
          intervalMs: INTERVAL_MS,
          signal,
        });
      }
      return (header: string) => columns.get(header) ?? new Map();
    }
    const headers = YIELDS.map(([, header]) => header);
    const nominal = await readCurve('daily_treasury_yield_curve', headers);
    // If the real curve is missing, only the series that need it lack figures.
    const real = await readCurve('daily_treasury_real_yield_curve', ['5 yr', '10 yr']).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        if (!(error instanceof HttpError || error instanceof InvalidResponseError)) throw error;
        return (): Column => new Map();
      },
    );
    const ten = subtract(nominal('10 yr'), real('10 yr'));
    const five = subtract(nominal('5 yr'), real('5 yr'));
    const series: Readonly<Record<string, Column>> = {
      ...Object.fromEntries(YIELDS.map(([id, header]) => [id, nominal(header)])),
      T10Y2Y: subtract(nominal('10 yr'), nominal('2 yr')),
      T10Y3M: subtract(nominal('10 yr'), nominal('3 mo')),
      DFII10: real('10 yr'),
      T10YIE: ten,
      T5YIE: five,
      T5YIFR: forwardInflation(ten, five),
    };
    return Object.entries(series).flatMap(([seriesId, column]) => {
      const figures = [...column].map(([date, value]): Figure => ({ date, value })).sort(byDate);
      return figures.length === 0 ? [] : [{ seriesId, figures }];
    });
  });
  return feed;
}

/** `a` minus `b` for every date in both, in percentage points to two decimals. */
export function subtract(a: Column, b: Column): Column {
  return combine(a, b, (x, y) => x - y);
}

/** Five-year inflation, five years ahead, from the ten-year and five-year breakeven rates. */
export function forwardInflation(ten: Column, five: Column): Column {
  return combine(ten, five, (t, f) => {
    const growth = (1 + t / 100) ** 10 / (1 + f / 100) ** 5;
    return (growth ** 0.2 - 1) * 100;
  });
}

function combine(a: Column, b: Column, of: (x: number, y: number) => number): Column {
  const column: Column = new Map();
  for (const [date, x] of a) {
    const y = b.get(date) ?? null;
    if (x !== null && y !== null) column.set(date, toHundredths(of(x, y)));
  }
  return column;
}

/** The years to request so that every series overlaps its stored figures; at most the last ten. */
function yearsSince(stored: StoredFigures, seriesIds: readonly string[], today: string): number[] {
  const last = Number(today.slice(0, 4));
  const ends = seriesIds.flatMap((id) => stored.lastDate(id) ?? []).sort();
  const oldest = ends[0] === undefined ? `${last - 1}-01-01` : shiftDay(ends[0], -OVERLAP_DAYS);
  const first = Math.max(Number(oldest.slice(0, 4)), last - MOST_YEARS + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Adds the rows of a file to the columns, matched by header because columns come and go. */
function readFile(
  response: HttpResponse,
  year: number,
  today: string,
  columns: Map<string, Column>,
): void {
  const [head = '', ...lines] = response.body.toString('utf8').trim().split(/\r?\n/);
  // Until its first business day a year has no rows, and perhaps no headers.
  if (head === '' && today < `${year}-01-08`) return;
  const headers = cellsOf(head).map((cell) => cell.toLowerCase());
  const places = [...columns].map(([header, column]) => ({ at: headers.indexOf(header), column }));
  if (headers[0] !== 'date' || places.some(({ at }) => at === -1)) {
    throw new InvalidResponseError('The Treasury sent a file without the expected columns.');
  }
  for (const line of lines) {
    const cells = cellsOf(line);
    const date = readDate(cells[0] ?? '');
    const isSound = cells.length === headers.length && date.startsWith(String(year));
    if (!isSound || date > today) continue;
    for (const { at, column } of places) {
      const cell = cells[at] ?? '';
      const value = ['', 'N/A'].includes(cell.toUpperCase()) ? null : readNumber(cell);
      if (value !== undefined) column.set(date, value);
    }
  }
}

/** Reads M/D/YYYY as YYYY-MM-DD; an empty string for anything else. */
function readDate(text: string): string {
  const [, month = '', day = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDay(date) ? date : '';
}
