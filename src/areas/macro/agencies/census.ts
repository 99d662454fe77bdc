import seriesFile from '../../../../data/agency-series.json' with { type: 'json' };
import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { HttpClient } from '../../../upstream/http.ts';
import { type AgencySeries, type Feed, type Figure, wholeSeries } from './feed.ts';
import { createFileFeed, readLines } from './file.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Economic indicators of the Census Bureau, one export for each series. */
export function createCensusFeeds(
  client: Pick<HttpClient, 'download'>,
  { baseUrl, now }: { baseUrl: string; now(): Date },
): Feed[] {
  return Object.entries(seriesFile.census).map(([name, query]) => {
    const { seriesId, program, category, type, since } = query;
    const search =
      'format=csv&mode=report&default=false&errormode=Dep&charttype=&chartmode=&chartadjn=' +
      `&submit=GET+DATA&program=${program}&startYear=${since}&endYear=${now().getUTCFullYear()}` +
      `&categories[]=${category}&dataType=${type}` +
      // The box for unadjusted figures must be left out: with 0 it brings them.
      '&geoLevel=US&adjusted=1';
    return createFileFeed(client, {
      name,
      agency: 'census',
      seriesIds: [seriesId],
      url: `${baseUrl}/econ_export/?${search}`,
      domain: 'census.gov',
      maxBytes: MAX_BYTES,
      parse: (path, { today }) => readExport(readLines(path), seriesId, today),
    });
  });
}

async function readExport(
  lines: AsyncIterable<string>,
  seriesId: string,
  today: string,
): Promise<AgencySeries[]> {
  const preamble: string[] = [];
  const figures = new Map<string, Figure>();
  let isBody = false;
  for await (const line of lines) {
    if (isBody) {
      if (line.trim() !== '') readRow(line, today, figures);
    } else {
      isBody = line.trim() === 'Period,Value';
      preamble.push(line);
    }
  }
  const told = preamble.join('\n');
  if (!isBody || !/\bSeasonally Adjusted\b/.test(told) || /\bNot Seasonally/i.test(told)) {
    throw new InvalidResponseError('The Census Bureau sent other figures than asked for.');
  }
  return wholeSeries(seriesId, [...figures.values()]);
}

/** Months to come stand there as NA. */
function readRow(line: string, today: string, figures: Map<string, Figure>): void {
  const [, name = '', year = '', shown = ''] =
    /^"?([A-Z][a-z]{2})-(\d{4})"?,"?([^"]*)"?$/.exec(line.trim()) ?? [];
  const month = MONTHS.indexOf(name) + 1;
  const value = shown.replaceAll(',', '');
  if (month === 0 || (value !== 'NA' && !/^-?\d+(\.\d+)?$/.test(value))) {
    throw new InvalidResponseError('The Census Bureau sent a row that cannot be read.');
  }
  const date = `${year}-${String(month).padStart(2, '0')}-01`;
  if (value !== 'NA' && date < today) figures.set(date, { date, value: Number(value) });
}
