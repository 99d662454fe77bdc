import { MONTHS } from '../../../core/text.ts';
import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { HttpClient } from '../../../upstream/http.ts';
import { shiftPeriods } from './calendar.ts';
import { FEEDS, type Feed, type Figure, readNumber } from './feed.ts';
import { createFileFeed, readLines } from './file.ts';
import { type AgencyNames, type AgencyRow, INDICATORS, rowsOfFeed } from './indicators.ts';

type Downloader = Pick<HttpClient, 'download'>;

const BEA_HEAD = '%SeriesCode,Period,Value';
/** The monthly and quarterly files of the BEA are about 35 MB. */
const MAX_BYTES = { bea: 128 * 1024 ** 2, census: 2 * 1024 ** 2, fhfa: 4 * 1024 ** 2 };

/** The national accounts as text, one file for each cadence. */
export function createBeaFeeds(client: Downloader, { baseUrl }: { baseUrl: string }): Feed[] {
  return Object.entries(FEEDS).flatMap(([name, { letter }]) => {
    if (letter === undefined) return [];
    const rows = rowsOfFeed(name);
    return createFileFeed(client, {
      name,
      agency: 'bea',
      seriesIds: rows.map(({ series_id }) => series_id),
      url: `${baseUrl}/national/Release/TXT/NipaData${letter}.txt`,
      domain: 'bea.gov',
      maxBytes: MAX_BYTES.bea,
      isReleased: true,
      read: (path) => readAccounts(path, rows),
    });
  });
}

async function readAccounts(path: string, rows: readonly AgencyRow[]) {
  const columns = new Map<string, { figures: Figure[] }>(
    rows.map(({ series_id }) => [series_id, { figures: [] }]),
  );
  const byCode = new Map(rows.map((row) => [row.agency.code, row]));
  let head: string | undefined;
  for await (const line of readLines(path)) {
    head ??= line.trim();
    // A name that is not there is answered with a page.
    if (head !== BEA_HEAD) throw new InvalidResponseError('The BEA sent a file of another kind.');
    const row = byCode.get(line.slice(0, line.indexOf(',')));
    if (row === undefined) continue;
    const [, period = '', shown = ''] = /^\w+,(\w+),"?([^"]*)"?$/.exec(line.trim()) ?? [];
    const [date, value] = [readPeriod(period), readNumber(shown)];
    if (date === undefined || value === undefined) continue;
    columns.get(row.series_id)?.figures.push({ date, value: convert(value, row.agency) });
  }
  return columns;
}

/** The value as FRED has it. */
function convert(value: number, { divisor = 1, decimals }: AgencyNames): number {
  if (decimals === undefined) return value / divisor;
  const unit = 10 ** decimals;
  return Math.round(value / (divisor / unit)) / unit;
}

/** "2026M07", "2026Q2" or "2026" as the first day of the period; undefined for anything else. */
function readPeriod(period: string): string | undefined {
  const [, year, month, quarter] = /^(\d{4})(?:M(0[1-9]|1[0-2])|Q([1-4]))?$/.exec(period) ?? [];
  if (year === undefined) return undefined;
  return firstDay(year, quarter === undefined ? Number(month ?? 1) : Number(quarter) * 3 - 2);
}

function firstDay(year: string, month: number): string {
  return `${year}-${String(month).padStart(2, '0')}-01`;
}

/** Economic indicators of the Census Bureau, one export for each series. */
export function createCensusFeeds(
  client: Downloader,
  { baseUrl, now }: { baseUrl: string; now(): Date },
): Feed[] {
  const rows = INDICATORS.filter(({ agency }) => agency?.program !== undefined);
  return rows.map(({ series_id: seriesId, agency = { feed: '' } }) => {
    const { feed: name, program, category, dataType, since } = agency;
    // The newest month that can be there: in January none of the new year is.
    const endYear = shiftPeriods('Monthly', now().toISOString(), -1)?.slice(0, 4);
    const search =
      'format=csv&mode=report&default=false&errormode=Dep&charttype=&chartmode=&chartadjn=' +
      `&submit=GET+DATA&program=${program}&startYear=${since}&endYear=${endYear}` +
      `&categories[]=${category}&dataType=${dataType}` +
      // The box for unadjusted figures must be left out: with 0 it brings them.
      '&geoLevel=US&adjusted=1';
    return createFileFeed(client, {
      name,
      agency: 'census',
      seriesIds: [seriesId],
      url: `${baseUrl}/econ_export/?${search}`,
      domain: 'census.gov',
      maxBytes: MAX_BYTES.census,
      read: async (path) => new Map([[seriesId, { figures: await readExport(path) }]]),
    });
  });
}

async function readExport(path: string): Promise<Figure[]> {
  const preamble: string[] = [];
  const figures: Figure[] = [];
  let isBody = false;
  for await (const line of readLines(path)) {
    if (!isBody) preamble.push(line);
    else if (line.trim() !== '') figures.push(...readMonth(line));
    isBody ||= line.trim() === 'Period,Value';
  }
  const told = preamble.join('\n');
  if (!isBody || !/\bSeasonally Adjusted\b/.test(told) || /\bNot Seasonally/i.test(told)) {
    throw new InvalidResponseError('The Census Bureau sent other figures than asked for.');
  }
  return figures;
}

/** Months to come stand there as NA. */
function readMonth(line: string): Figure[] {
  const [, name = '', year = '', shown = ''] =
    /^"?([A-Z][a-z]{2})-(\d{4})"?,"?([^"]*)"?$/.exec(line.trim()) ?? [];
  const month = MONTHS.findIndex((each) => each.slice(0, 3) === name) + 1;
  const value = readNumber(shown);
  return month === 0 || value === undefined ? [] : [{ date: firstDay(year, month), value }];
}

/** House prices of the Federal Housing Finance Agency: rows of area, year, quarter, index. */
export function createFhfaFeed(client: Downloader, { baseUrl }: { baseUrl: string }): Feed {
  const seriesId = 'USSTHPI';
  return createFileFeed(client, {
    name: 'fhfa',
    agency: 'fhfa',
    seriesIds: [seriesId],
    url: `${baseUrl}/hpi/download/quarterly_datasets/hpi_at_us_and_census.csv`,
    domain: 'fhfa.gov',
    maxBytes: MAX_BYTES.fhfa,
    async read(path) {
      const figures: Figure[] = [];
      for await (const line of readLines(path)) {
        const [area, year = '', quarter = '', shown = ''] = line
          .split(',')
          .map((cell) => cell.replaceAll('"', '').trim());
        if (area !== 'USA') continue;
        const value = readNumber(shown) ?? 0;
        if (!/^\d{4}$/.test(year) || !/^[1-4]$/.test(quarter) || value <= 0) continue;
        figures.push({ date: firstDay(year, Number(quarter) * 3 - 2), value });
      }
      return new Map([[seriesId, { figures }]]);
    },
  });
}
