import { FredHistory } from './fred-history.ts';
import { type FredSettings, respondAsFred, type StandInSeries } from './fred-responses.ts';
import { type LoggedRequest, startUpstream, type Upstream } from './upstream.ts';

/** A well-formed key that FRED has never issued. */
export const TEST_KEY = '0123456789abcdefghijklmnopqrstuv';

/** FRED on a local port. */
export interface FredStandIn extends Upstream {
  /** The address and the key as environment variables, for a child process. */
  env: Readonly<Record<string, string>>;
  /** Content of all responses; tests may change it at any time. */
  series: StandInSeries[];
  settings: FredSettings;
  /** Queries of the requests to one path, without the key. */
  queriesOf(path: string): Record<string, string>[];
  /** Called before each response, for example to change a history between requests. */
  onRequest: ((request: LoggedRequest) => void) | undefined;
}

export function makeSeries(more: Partial<StandInSeries> = {}): StandInSeries {
  return {
    id: 'TEST',
    history: new FredHistory(),
    title: 'A series of the stand-in',
    units: 'Percent',
    frequency: 'Monthly',
    seasonalAdjustment: 'SA',
    lastUpdated: '2026-08-20 07:46:36-05',
    ...more,
  };
}

export async function startFred(
  series: readonly StandInSeries[],
  more: Partial<FredSettings> = {},
): Promise<FredStandIn> {
  const settings = { apiKey: TEST_KEY, mostVintages: 2_000, today: '2026-11-21', ...more };
  const upstream = await startUpstream((request) => {
    standIn.onRequest?.(request);
    return respondAsFred(new URL(request.path, 'http://127.0.0.1'), standIn.series, settings);
  });
  const { url } = upstream;
  const standIn: FredStandIn = Object.assign(upstream, {
    env: { QUANTSHELF_FRED_URL: url, FRED_API_KEY: settings.apiKey },
    series: [...series],
    settings,
    queriesOf: (path: string) =>
      upstream.requests.flatMap((request) => {
        const { pathname, searchParams } = new URL(request.path, url);
        searchParams.delete('api_key');
        return pathname === `/fred/${path}` ? [Object.fromEntries(searchParams)] : [];
      }),
    onRequest: undefined,
  });
  return standIn;
}
