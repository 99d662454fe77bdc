import { Database } from '../../src/store/sqlite.ts';
import { BUILT_STARTER } from '../starter.ts';
import { respondWithFile } from './agency-files.ts';
import { json, type StandInResponse } from './faults.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** The agencies' figures by FRED series id: date to value, null if missing. */
export type Figures = Map<string, Map<string, number | null>>;

const AGENCIES = ['bls', 'treasury', 'nyfed', 'fedboard', 'bea', 'census', 'fhfa'] as const;

/** The agencies on one port of this machine. */
export interface AgenciesStandIn extends Upstream {
  /** The agencies' addresses as environment variables, for a child process. */
  env: Readonly<Record<string, string>>;
  /** Content of all responses; tests may change it at any time. */
  figures: Figures;
  /** Bodies of the requests to an agency. */
  queriesTo(agency: (typeof AGENCIES)[number]): string[];
  publish(seriesId: string, figures: Readonly<Record<string, number | null>>): void;
}

const BLS_IDS: ReadonlyMap<string, string> = new Map([
  ['CUSR0000SA0', 'CPIAUCSL'],
  ['CUSR0000SA0L1E', 'CPILFESL'],
  ['WPSFD4', 'PPIFIS'],
  ['LNS14000000', 'UNRATE'],
  ['CES0000000001', 'PAYEMS'],
  ['LNS11300000', 'CIVPART'],
  ['CES0500000003', 'CES0500000003'],
  ['JTS000000000000000JOL', 'JTSJOL'],
]);
const BLS_MOST_YEARS = 10;

/** The response of BLS v1 to a query that it does not process. */
export const BLS_REFUSAL =
  '{"status":"REQUEST_NOT_PROCESSED","responseTime":0,"message":["Request could not be serviced, as the daily threshold for total number of requests allocated to the user with registration key  has been reached."],"Results":{}}';

/** The figures in the built package since a day. An agency's responses continue them. */
export function bundledFigures(since = ''): Figures {
  const figures: Figures = new Map();
  const db = new Database(BUILT_STARTER, { readonly: true });
  const current = db.prepare<[string], { id: string; date: string; value: number | null }>(
    'SELECT series_id AS id, date, value FROM macro_vintage WHERE rt_end IS NULL AND date >= ? ORDER BY date',
  );
  for (const { id, date, value } of current.iterate(since)) {
    const series = figures.get(id) ?? new Map();
    figures.set(id, series.set(date, value));
  }
  db.close();
  // The package lacks the five-year real yield; the breakeven rate is the nominal yield minus it.
  figures.set('DFII5', difference(figures, 'DGS5', 'T5YIE'));
  const growth = { '2024-01-01': 2.8, '2025-01-01': 2.1 };
  figures.set('A191RL1A225NBEA', new Map(Object.entries(growth)));
  return figures;
}

function difference(figures: Figures, nominal: string, breakeven: string) {
  const rows = [...(figures.get(nominal) ?? [])].flatMap(([date, value]) => {
    const less = figures.get(breakeven)?.get(date);
    if (value === null || less === undefined || less === null) return [];
    return [[date, Math.round((value - less) * 100) / 100] as const];
  });
  return new Map<string, number | null>(rows);
}

export async function startAgencies(figures: Figures): Promise<AgenciesStandIn> {
  const upstream = await startUpstream(({ path: whole, headers, body }) => {
    const [, agency = '', path = ''] = /^\/(\w+)\/(.*)$/.exec(whole) ?? [];
    const file = respondWithFile(agency, path, headers, figures);
    if (file !== null) return file;
    const url = new URL(path, 'http://127.0.0.1');
    if (agency === 'bls' && url.pathname === '/timeseries/data/')
      return respondAsBls(body, figures);
    if (agency === 'treasury') return respondAsTreasury(url, figures);
    const [, type, count] =
      /^\/rates\/\w+\/(sofr|effr)\/last\/(\d+)\.json$/.exec(url.pathname) ?? [];
    if (type !== undefined) return respondWithRates(type, Number(count), figures);
    if (url.pathname === '/rp/results/search.json') return respondWithOperations(url, figures);
    return { status: 404, type: 'text/plain', body: Buffer.from('no such page') };
  });
  const { url, requests } = upstream;
  return Object.assign(upstream, {
    env: Object.fromEntries(
      AGENCIES.map((name) => [`QUANTSHELF_${name.toUpperCase()}_URL`, `${url}/${name}`]),
    ),
    figures,
    queriesTo: (agency: string) =>
      requests.filter(({ path }) => path.startsWith(`/${agency}/`)).map(({ body }) => body),
    publish(seriesId: string, more: Readonly<Record<string, number | null>>) {
      const series = new Map(figures.get(seriesId));
      for (const [date, value] of Object.entries(more)) series.set(date, value);
      figures.set(seriesId, series);
    },
  });
}

/** Sends the newest month first, a year's mean as M13, and at most ten years, as the BLS does. */
function respondAsBls(body: string, figures: Figures): StandInResponse {
  const query = JSON.parse(body);
  const start = Number(query.startyear);
  const end = Math.min(Number(query.endyear), start + BLS_MOST_YEARS - 1);
  const series = query.seriesid.map((seriesID: string) => {
    const all = [...(figures.get(BLS_IDS.get(seriesID) ?? '') ?? [])];
    const data = all
      .filter(([date]) => Number(date.slice(0, 4)) >= start && Number(date.slice(0, 4)) <= end)
      .reverse()
      .flatMap(([date, value]) => {
        const row = {
          year: date.slice(0, 4),
          period: `M${date.slice(5, 7)}`,
          periodName: new Date(date).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' }),
          value: value === null ? '-' : String(value),
          footnotes: value === null ? [{ code: 'X', text: 'Data unavailable.' }] : [{}],
        };
        const mean = { ...row, period: 'M13', periodName: 'Annual', footnotes: [{}] };
        return date.slice(5, 7) === '12' ? [mean, row] : [row];
      });
    return { seriesID, data };
  });
  return json({ status: 'REQUEST_SUCCEEDED', responseTime: 136, message: [], Results: { series } });
}

const NOMINAL = [
  ['1 Mo', ''],
  ['1.5 Month', ''],
  ['2 Mo', ''],
  ['3 Mo', 'DGS3MO'],
  ['6 Mo', ''],
  ['1 Yr', ''],
  ['2 Yr', 'DGS2'],
  ['3 Yr', ''],
  ['5 Yr', 'DGS5'],
  ['7 Yr', ''],
  ['10 Yr', 'DGS10'],
  ['20 Yr', ''],
  ['30 Yr', 'DGS30'],
] as const;
const REAL = [
  ['5 YR', 'DFII5'],
  ['7 YR', ''],
  ['10 YR', 'DFII10'],
  ['20 YR', ''],
  ['30 YR', ''],
] as const;

/** Sends one file per year, newest day first; earlier files lack a column introduced last year. */
function respondAsTreasury({ pathname, searchParams }: URL, figures: Figures): StandInResponse {
  const year = /^\/daily-treasury-rates\.csv\/(\d{4})\/all$/.exec(pathname)?.[1] ?? '';
  const isReal = searchParams.get('type') === 'daily_treasury_real_yield_curve';
  const isAsked = searchParams.get('field_tdr_date_value') === year;
  if (year === '' || !isAsked || searchParams.get('_format') !== 'csv') {
    return { status: 404, type: 'text/html', body: Buffer.from('<html>Page not found</html>') };
  }
  const columns = (isReal ? REAL : NOMINAL).filter(
    ([name]) => name !== '1.5 Month' || Number(year) >= 2025,
  );
  const days = [...(figures.get(isReal ? 'DFII10' : 'DGS10') ?? [])]
    .filter(([date, value]) => date.startsWith(year) && value !== null)
    .map(([date]) => date)
    .reverse();
  const rows = days.map((day) => {
    const [y, m, d] = day.split('-');
    const cells = columns.map(([, id]) => {
      const value = figures.get(id)?.get(day);
      if (id === '') return '4.00';
      return value === undefined || value === null ? '' : value.toFixed(2);
    });
    return [`${m}/${d}/${y}`, ...cells].join(',');
  });
  const head = ['Date', ...columns.map(([name]) => `"${name}"`)].join(',');
  return { status: 200, type: 'text/csv', body: Buffer.from([head, ...rows].join('\n')) };
}

/** Sends business days only, newest first. */
function respondWithRates(type: string, count: number, figures: Figures): StandInResponse {
  const id = type === 'sofr' ? 'SOFR' : 'DFF';
  const refRates = [...(figures.get(id) ?? [])]
    .filter(([date, value]) => value !== null && new Date(date).getUTCDay() % 6 !== 0)
    .slice(-count)
    .reverse()
    .map(([effectiveDate, percentRate]) => ({
      effectiveDate,
      type: type.toUpperCase(),
      percentRate,
      volumeInBillions: 2914,
      revisionIndicator: '',
    }));
  return json({ refRates });
}

/** Like the New York Fed, lists repos and an exercise beside each reverse repo. */
function respondWithOperations({ searchParams }: URL, figures: Figures): StandInResponse {
  const [start, end] = [searchParams.get('startDate') ?? '', searchParams.get('endDate') ?? ''];
  const operations = [...(figures.get('RRPONTSYD') ?? [])]
    .filter(([date, value]) => date >= start && date <= end && value !== null)
    .reverse()
    .flatMap(([operationDate, value]) => {
      const operation = {
        auctionStatus: 'Results',
        operationDate,
        operationType: 'Reverse Repo',
        operationMethod: 'Fixed Rate',
        term: 'Overnight',
        releaseTime: '12:45',
        closeTime: '13:15',
        lastUpdated: `${operationDate} 13:15:38`,
        totalAmtAccepted: Math.round((value ?? 0) * 1e9),
      };
      return [
        operation,
        { ...operation, operationType: 'Repo', closeTime: '13:45', totalAmtAccepted: 1_000_000 },
        { ...operation, closeTime: '14:00', totalAmtAccepted: 5e12, note: 'SMALL VALUE EXERCISE' },
        { ...operation, term: 'Term', closeTime: '14:15', totalAmtAccepted: 7_000_000 },
        { ...operation, auctionStatus: 'Announced', closeTime: '15:15', totalAmtAccepted: 0 },
      ];
    });
  return json({ repo: { operations } });
}
