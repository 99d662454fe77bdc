import seriesFile from '../../../../data/agency-series.json' with { type: 'json' };
import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { HttpClient } from '../../../upstream/http.ts';
import { type Feed, wholeSeries } from './feed.ts';
import { createFileFeed, readLines } from './file.ts';

/** A code of the Bureau of Economic Analysis, and what turns its values into those of FRED. */
interface Source {
  code: string;
  divisor?: number;
  /** That FRED keeps; all where there is none. */
  decimals?: number;
}

const FILES: Readonly<
  Record<string, { letter: string; series: Readonly<Record<string, Source>> }>
> = seriesFile.bea;
/** The monthly and quarterly files are about 35 MB. */
const MAX_BYTES = 128 * 1024 * 1024;
const HEAD = '%SeriesCode,Period,Value';

/** The national accounts as text, one file for each cadence. */
export function createBeaFeeds(
  client: Pick<HttpClient, 'download'>,
  { baseUrl }: { baseUrl: string },
): Feed[] {
  return Object.entries(FILES).map(([name, { letter, series }]) =>
    createFileFeed(client, {
      name,
      agency: 'bea',
      seriesIds: Object.keys(series),
      url: `${baseUrl}/national/Release/TXT/NipaData${letter}.txt`,
      domain: 'bea.gov',
      maxBytes: MAX_BYTES,
      async parse(path, { today, modified }) {
        const columns = new Map<string, Map<string, number>>(
          Object.values(series).map(({ code }) => [code, new Map()]),
        );
        let isFirst = true;
        for await (const line of readLines(path)) {
          // A name that is not there is answered with a page.
          if (isFirst && line.trim() !== HEAD) {
            throw new InvalidResponseError('The BEA sent a file of another kind.');
          }
          isFirst = false;
          readLine(line, columns);
        }
        return Object.entries(series).flatMap(([seriesId, source]) => {
          const figures = [...(columns.get(source.code) ?? [])]
            .filter(([date]) => date <= today)
            .map(([date, value]) => ({ date, value: convert(value, source) }));
          // The file is put there at the moment of a release, which brings the newest period.
          return wholeSeries(seriesId, figures, modified);
        });
      },
    }),
  );
}

function readLine(line: string, columns: ReadonlyMap<string, Map<string, number>>): void {
  const column = columns.get(line.slice(0, line.indexOf(',')));
  if (column === undefined) return;
  const [, period = '', shown = ''] = /^\w+,(\w+),"?([^"]*)"?$/.exec(line.trim()) ?? [];
  const text = shown.replaceAll(',', '').trim();
  const date = dateOf(period);
  if (date === undefined || !/^-?\d+(\.\d+)?$/.test(text)) {
    throw new InvalidResponseError('The BEA sent a line that cannot be read.');
  }
  column.set(date, Number(text));
}

function convert(value: number, { divisor = 1, decimals }: Source): number {
  if (decimals === undefined) return value / divisor;
  const unit = 10 ** decimals;
  return Math.round(value / (divisor / unit)) / unit;
}

/** "2026M07", "2026Q2" or "2026" as the first day of the period. */
function dateOf(period: string): string | undefined {
  const [, year, month, quarter] = /^(\d{4})(?:M(0[1-9]|1[0-2])|Q([1-4]))?$/.exec(period) ?? [];
  if (year === undefined) return undefined;
  const first = quarter === undefined ? Number(month ?? 1) : Number(quarter) * 3 - 2;
  return `${year}-${String(first).padStart(2, '0')}-01`;
}
