import seriesFile from '../../../../data/agency-series.json' with { type: 'json' };
import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { HttpClient } from '../../../upstream/http.ts';
import { type Feed, type Figure, wholeSeries } from './feed.ts';
import { createFileFeed, readLines } from './file.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** House prices of the Federal Housing Finance Agency: rows of area, year, quarter, index. */
export function createFhfaFeed(
  client: Pick<HttpClient, 'download'>,
  { baseUrl }: { baseUrl: string },
): Feed {
  return createFileFeed(client, {
    name: 'fhfa',
    agency: 'fhfa',
    seriesIds: [seriesFile.fhfa],
    url: `${baseUrl}/hpi/download/quarterly_datasets/hpi_at_us_and_census.csv`,
    domain: 'fhfa.gov',
    maxBytes: MAX_BYTES,
    async parse(path, { today }) {
      const figures: Figure[] = [];
      for await (const line of readLines(path)) {
        const [area, year = '', quarter = '', shown = ''] = line
          .split(',')
          .map((cell) => cell.replaceAll('"', '').trim());
        if (area !== 'USA') continue;
        if (!/^\d{4}$/.test(year) || !/^[1-4]$/.test(quarter) || !/^\d+(\.\d+)?$/.test(shown)) {
          throw new InvalidResponseError('The FHFA sent a row that cannot be read.');
        }
        const month = String(Number(quarter) * 3 - 2).padStart(2, '0');
        figures.push({ date: `${year}-${month}-01`, value: Number(shown) });
      }
      const past = figures.filter(({ date }) => date <= today);
      if (past.length === 0)
        throw new InvalidResponseError('The FHFA sent a file of another kind.');
      return wholeSeries(seriesFile.fhfa, past);
    },
  });
}
