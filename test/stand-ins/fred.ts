import { createServer } from 'node:http';
import { deliver, type Fault, FaultQueue, faultAnswer, type Matcher } from './faults.ts';
import { answerFred, type FredSettings, type StandInSeries } from './fred-answers.ts';
import { FredHistory } from './fred-history.ts';
import { end, listen } from './listen.ts';

/** Well-formed but not a real key. */
export const TEST_KEY = '0123456789abcdefghijklmnopqrstuv';

export interface FredRequest {
  /** With its query, as received, including the key. */
  path: string;
  /** Names and values of all headers, each on its own line. */
  headers: string;
  /** Milliseconds of the wall clock. */
  startedAt: number;
}

/** FRED on a local port. */
export interface FredStandIn {
  url: string;
  /** The same as environment variables, for a child process. */
  env: Readonly<Record<string, string>>;
  /** The source of all responses; may be changed at any time. */
  series: StandInSeries[];
  settings: FredSettings;
  requests: FredRequest[];
  /** Queries, without the key, of the requests to one path since `from`. */
  asked(path: string, from?: number): Record<string, string>[];
  /** Each matching request takes the next fault; queues added earlier come first. */
  fault(matcher: Matcher, faults: readonly Fault[]): void;
  /** Number of faults not used yet. */
  readonly faultsLeft: number;
  /** Called before each response, for example to change a history between requests. */
  onRequest: ((request: FredRequest) => void) | undefined;
  close(): Promise<void>;
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
  const faults = new FaultQueue();
  const settings = { apiKey: TEST_KEY, mostVintages: 2_000, today: '2026-11-21', ...more };

  const server = createServer((message, response) => {
    const request = {
      path: message.url ?? '',
      headers: message.rawHeaders.join('\n'),
      startedAt: Date.now(),
    };
    standIn.requests.push(request);
    standIn.onRequest?.(request);
    const fault = faults.take(request.path);
    const respond = async () => {
      if (fault.kind === 'held') await fault.until;
      const usual = answerFred(
        new URL(request.path, 'http://127.0.0.1'),
        standIn.series,
        standIn.settings,
      );
      deliver(response, faultAnswer(fault) ?? usual, fault);
    };
    respond().catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const url = await listen(server);

  const standIn: FredStandIn = {
    url,
    env: { QUANTSHELF_FRED_URL: url, FRED_API_KEY: settings.apiKey },
    series: [...series],
    settings,
    requests: [],
    asked: (path, from = 0) =>
      standIn.requests.slice(from).flatMap((request) => {
        const { pathname, searchParams } = new URL(request.path, url);
        searchParams.delete('api_key');
        return pathname === `/fred/${path}` ? [Object.fromEntries(searchParams)] : [];
      }),
    fault: (matcher, queue) => faults.add(matcher, queue),
    get faultsLeft() {
      return faults.count();
    },
    onRequest: undefined,
    close: () => end(server),
  };
  return standIn;
}
