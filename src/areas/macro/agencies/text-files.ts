import { MONTHS } from '../../../core/text.ts';
import { InvalidResponseError } from '../../../upstream/errors.ts';
import { shiftPeriods } from './calendar.ts';
import { type Feed, type Figure, feedsOf, readNumber } from './feed.ts';
import { type Column, createFileFeed, type Downloader, firstDay, readLines } from './file.ts';
import { type AgencyNames, type AgencyRow, rowsOfFeed } from './indicators.ts';

const BEA_HEAD = '%SeriesCode,Period,Value';

/** The national accounts as text, one file for each cadence. */
export function createBeaFeeds(client: Downloader, { baseUrl }: { baseUrl: string }): Feed[] {
  return feedsOf('bea').map(({ name, letter }) => {
    const url = `${baseUrl}/national/Release/TXT/NipaData${letter}.txt`;
    return createFileFeed(client, 'bea', name, () => url, readAccounts);
  });
}

async function readAccounts(path: string, rows: readonly AgencyRow[]) {
  const columns = new Map<string, Column>(
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
    const [, period = '', text = ''] = /^\w+,(\w+),"?([^"]*)"?$/.exec(line.trim()) ?? [];
    const [date, value] = [readPeriod(period), readNumber(text)];
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

/** Economic indicators of the Census Bureau, one export for each series. */
export function createCensusFeeds(client: Downloader, { baseUrl }: { baseUrl: string }): Feed[] {
  return feedsOf('census').map(({ name }) =>
    createFileFeed(
      client,
      'census',
      name,
      (today) => `${baseUrl}/econ_export/?${censusQuery(name, today)}`,
      async (path, rows) => {
        const figures = await readExport(path);
        return new Map(rows.map(({ series_id }) => [series_id, { figures }]));
      },
    ),
  );
}

function censusQuery(name: string, today: string): string {
  const { program, category, dataType, since } = rowsOfFeed(name)[0]?.agency ?? {};
  // The newest month that can be there: in January none of the new year is.
  const endYear = shiftPeriods('Monthly', today, -1)?.slice(0, 4);
  return (
    'format=csv&mode=report&default=false&errormode=Dep&charttype=&chartmode=&chartadjn=' +
    `&submit=GET+DATA&program=${program}&startYear=${since}&endYear=${endYear}` +
    `&categories[]=${category}&dataType=${dataType}` +
    // The box for unadjusted figures must be left out: with 0 it brings them.
    '&geoLevel=US&adjusted=1'
  );
}

async function readExport(path: string): Promise<Figure[]> {
  let preamble = '';
  const figures: Figure[] = [];
  let isBody = false;
  for await (const line of readLines(path)) {
    if (isBody) figures.push(...readMonth(line));
    else preamble += `${line}\n`;
    isBody ||= line.trim() === 'Period,Value';
  }
  const isAdjusted =
    /\bSeasonally Adjusted\b/.test(preamble) && !/\bNot Seasonally/i.test(preamble);
  if (!isBody || !isAdjusted) {
    throw new InvalidResponseError('The Census Bureau sent other figures than requested.');
  }
  return figures;
}

/** Months to come stand there as NA. */
function readMonth(line: string): Figure[] {
  const [, name = '', year = '', text = ''] =
    /^"?([A-Z][a-z]{2})-(\d{4})"?,"?([^"]*)"?$/.exec(line.trim()) ?? [];
  const month = MONTHS.findIndex((each) => each.slice(0, 3) === name) + 1;
  const value = readNumber(text);
  return month === 0 || value === undefined ? [] : [{ date: firstDay(year, month), value }];
}

/** House prices of the Federal Housing Finance Agency: rows of area, year, quarter, index. */
export function createFhfaFeed(client: Downloader, { baseUrl }: { baseUrl: string }): Feed {
  const url = `${baseUrl}/hpi/download/quarterly_datasets/hpi_at_us_and_census.csv`;
  return createFileFeed(
    client,
    'fhfa',
    'fhfa',
    () => url,
    async (path) => {
      const figures: Figure[] = [];
      for await (const line of readLines(path)) {
        const cells = line.split(',').map((cell) => cell.replaceAll('"', '').trim());
        const [area, year = '', quarter = '', text = ''] = cells;
        const value = readNumber(text) ?? 0;
        const isRow = area === 'USA' && /^\d{4}$/.test(year) && /^[1-4]$/.test(quarter);
        if (isRow && value > 0)
          figures.push({ date: firstDay(year, Number(quarter) * 3 - 2), value });
      }
      return new Map([['USSTHPI', { figures }]]);
    },
  );
}
