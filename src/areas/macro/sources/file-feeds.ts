import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { mean, rollup } from 'd3-array';
import { codeOf } from '../../../core/errors.ts';
import { MONTHS } from '../../../core/text.ts';
import type { HttpClient } from '../../../upstream/client.ts';
import type { Validators } from '../../../upstream/connections.ts';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/failures.ts';
import { AGENCIES, feedsOf } from '../facts/agencies.ts';
import { easternDay, shiftPeriods } from '../facts/calendar.ts';
import { type AgencyNames, type AgencyRow, rowsOfFeed } from '../facts/indicators.ts';
import {
  type AgencySeries,
  byDate,
  cellsOf,
  createFeed,
  type Feed,
  type Figure,
  readNumber,
} from './feed.ts';

/** The BEA's largest files are about 35 MB. */
const MAX_BYTES = 128 * 1024 ** 2;

export type Downloader = Pick<HttpClient, 'download'>;

/** The figures of a series in a file, in any order. */
export interface Column {
  units?: string;
  figures: Figure[];
}

/** Reads a file as a stream: it may be far larger than the part we use. */
type ReadFile = (file: string, rows: readonly AgencyRow[]) => Promise<ReadonlyMap<string, Column>>;

/** An agency's feeds, each from a file that is downloaded only when it has changed. */
export function createFileFeeds(
  client: Downloader,
  agency: 'fed_board' | 'bea' | 'census' | 'fhfa',
  { baseUrl, read }: { baseUrl: string; read: ReadFile },
): Feed[] {
  const { domain, name: agencyName, ...facts } = AGENCIES[agency];
  const create = ({ name, path = '' }: { name: string; path?: string }) =>
    createFeed(agency, name, async (stored, today, signal) => {
      // In January, the newest month that can exist is last December.
      const year = shiftPeriods('Monthly', today, -1)?.slice(0, 4) ?? '';
      const url = `${baseUrl}/${path.replace('{year}', year)}`;
      const directory = await mkdtemp(join(tmpdir(), 'quantshelf-macro-')).catch(rejectFileFault);
      const file = join(directory, 'file');
      try {
        const { bytes, ...version } = await client
          .download(url, file, {
            maxBytes: MAX_BYTES,
            validators: stored.versionOf(url),
            redirectDomains: [domain],
            signal,
          })
          .catch(rejectFileFault);
        if (bytes === null) return null;
        const released = 'filesAtRelease' in facts ? dayOf(version) : '';
        const series = [...(await read(file, rowsOfFeed(name)))].flatMap(([seriesId, column]) =>
          toSeries(seriesId, column, { today, released }),
        );
        if (series.length === 0) {
          throw new InvalidResponseError(`${agencyName} sent a file without the expected figures.`);
        }
        if (version.etag !== null || version.lastModified !== null)
          stored.keepVersion(url, version);
        return series;
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
  return feedsOf(agency).map(create);
}

/** Turns a file error, such as a full disk, into a failure of this feed alone; rethrows others. */
function rejectFileFault(error: unknown): never {
  const code = codeOf(error);
  if (!/^E(?!RR_)/.test(code)) throw error;
  throw new RejectedRequestError(
    `No temporary file could be written (${code}): free up space in the temporary directory, or set TMPDIR (TEMP on Windows) to another one.`,
  );
}

/** The day in New York on which a file was last modified; empty if unknown. */
function dayOf({ lastModified }: Validators): string {
  const stamp = Date.parse(lastModified ?? '');
  return Number.isNaN(stamp) ? '' : easternDay(new Date(stamp));
}

/** Sorts a series; drops future dates, and missing values at its ends. Empty if nothing remains. */
function toSeries(
  seriesId: string,
  { figures, ...units }: Column,
  { today, released }: { today: string; released: string },
): AgencySeries[] {
  const byDay = new Map(figures.map((figure) => [figure.date, figure]));
  const past = [...byDay.values()].filter(({ date }) => date <= today).sort(byDate);
  const values = past.map(({ value }) => value !== null);
  const sorted = past.slice(values.indexOf(true), values.lastIndexOf(true) + 1);
  const last = sorted.at(-1);
  if (last === undefined) return [];
  const newest = released >= last.date ? { ...last, released } : last;
  return [{ seriesId, ...units, figures: sorted.with(-1, newest) }];
}

/** Maximum number of characters before the rows of a file. */
const MAX_PREAMBLE = 10_000;

/** How an agency lays out figures as rows of cells. */
interface Table {
  /** The line before the rows; without one, rows start immediately. */
  head?: string;
  /** Number of cells in a row; a row with more or fewer is unreadable. */
  width: number;
  /** Checks that the lines before `head` describe the requested figures. */
  isRequested?(preamble: string): boolean;
  /** Code of an index that averages 100 in the base year of the file's inflation-adjusted figures. */
  baseIndex?: string;
  /** The units in FRED's wording, if the file shows them; `units` are the catalogue's. */
  unitsOf?(
    units: string,
    file: { preamble: string; figures: readonly Figure[] },
  ): string | undefined;
  /** Reads a row. One without a code belongs to the file's only series. Undefined for rows to skip. */
  read(cells: readonly string[]): { code?: string; period: string; value: string } | undefined;
}

const TABLES = {
  /** The national accounts, one file per frequency. For an unknown file the server sends a web page. */
  bea: {
    head: '%SeriesCode,Period,Value',
    width: 3,
    isRequested: (preamble) => preamble === '',
    // The consumption price index, in both the monthly and the quarterly file.
    baseIndex: 'DPCERG',
    read: ([code = '', period = '', value = '']) => ({ code, period, value }),
  },
  /** Economic indicators; a future month has the value NA. */
  census: {
    head: 'Period,Value',
    width: 2,
    isRequested: (preamble) =>
      /\bSeasonally Adjusted\b/.test(preamble) && !/\bNot Seasonally/i.test(preamble),
    // "[Millions of Dollars]"; FRED's wording differs after the first word.
    unitsOf(units, { preamble }) {
      const shown = /\[(\w+)[^\]\n]*\]/.exec(preamble);
      return shown?.[1] === units.split(' ')[0] ? units : shown?.[0].slice(1, -1);
    },
    read([day = '', value = '']) {
      const [name, year] = day.split('-');
      const month = MONTHS.findIndex((each) => each.slice(0, 3) === name) + 1;
      return { period: `${year}M${String(month).padStart(2, '0')}`, value };
    },
  },
  /** House prices; each row has an area, a year, a quarter and an index, which must be above zero. */
  fhfa: {
    width: 4,
    unitsOf(units, { figures }) {
      const base = figures.find(({ value }) => value === 100)?.date;
      if (base === undefined) return undefined;
      const quarter = (Number(base.slice(5, 7)) + 2) / 3;
      return units.replace(/\d{4}:Q\d/, `${base.slice(0, 4)}:Q${quarter}`);
    },
    read: ([area, year, quarter, value = '']) =>
      area === 'USA' && (readNumber(value) ?? 0) > 0
        ? { period: `${year}Q${quarter}`, value }
        : undefined,
  },
} as const satisfies Record<string, Table>;

/** The feeds of an agency that publishes text tables. */
export function createTableFeeds(
  client: Downloader,
  agency: keyof typeof TABLES,
  { baseUrl }: { baseUrl: string },
): Feed[] {
  const read: ReadFile = (file, rows) => readTable(file, rows, agency);
  return createFileFeeds(client, agency, { baseUrl, read });
}

/** Reads the figures of the series in `rows`, keyed by id; skips unreadable lines. */
async function readTable(
  file: string,
  rows: readonly AgencyRow[],
  agency: keyof typeof TABLES,
): Promise<Map<string, Column>> {
  const { head, width, isRequested = () => true, baseIndex, unitsOf, read }: Table = TABLES[agency];
  const columns = new Map(
    rows.map(({ series_id }): [string, Column] => [series_id, { figures: [] }]),
  );
  const byCode = new Map(rows.map((row) => [row.agency.code, row]));
  const prices: { date: string; value: number }[] = [];
  let preamble = '';
  let isBody = head === undefined;
  const input = createReadStream(file);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!isBody) {
      isBody = line.trim() === head;
      if (!isBody) preamble += `${line}\n`;
      if (preamble.length > MAX_PREAMBLE) break;
      continue;
    }
    const cells = cellsOf(line);
    if (cells.length !== width) continue;
    const { code, period = '', value: text = '' } = read(cells) ?? {};
    const row = byCode.get(code);
    const isBase = code !== undefined && code === baseIndex;
    if (row === undefined && !isBase) continue;
    const [date, value] = [readPeriod(period), readNumber(text)];
    if (date === undefined || value === undefined) continue;
    if (isBase) prices.push({ date, value });
    if (row === undefined) continue;
    columns.get(row.series_id)?.figures.push({ date, value: convert(value, row.agency) });
  }
  if (!isBody || !isRequested(preamble)) {
    throw new InvalidResponseError(
      `${AGENCIES[agency].name} sent figures other than those requested.`,
    );
  }
  const base = baseYear(prices);
  for (const { series_id, agency: names, units } of rows) {
    const column = columns.get(series_id) ?? { figures: [] };
    const shown =
      names.rebased && base
        ? units.replace(/\b\d{4}\b/, base)
        : unitsOf?.(units, { preamble, figures: column.figures });
    if (shown !== undefined) column.units = shown;
  }
  return columns;
}

/** More than the rounding error in the annual mean of an index with three decimals. */
const ROUNDING = 0.005;

/** The year in which an index averages 100; undefined without one. */
function baseYear(index: readonly { date: string; value: number }[]): string | undefined {
  const means = rollup(
    index,
    (rows) => mean(rows, ({ value }) => value) ?? 0,
    ({ date }) => date.slice(0, 4),
  );
  return [...means].find(([, level]) => Math.abs(level - 100) < ROUNDING)?.[0];
}

/** The value in FRED's unit and precision. */
function convert(value: number, { divisor = 1, decimals }: AgencyNames): number {
  if (decimals === undefined) return value / divisor;
  const unit = 10 ** decimals;
  return Math.round(value / (divisor / unit)) / unit;
}

/** "2026M07", "2026Q3" or "2026" as the first day of the period; undefined for anything else. */
function readPeriod(period: string): string | undefined {
  const [, year, month, quarter] = /^(\d{4})(?:M(0[1-9]|1[0-2])|Q([1-4]))?$/.exec(period) ?? [];
  if (year === undefined) return undefined;
  const first = quarter === undefined ? Number(month ?? 1) : Number(quarter) * 3 - 2;
  return `${year}-${String(first).padStart(2, '0')}-01`;
}
