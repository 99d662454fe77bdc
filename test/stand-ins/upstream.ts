import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import {
  deliver,
  type Fault,
  FaultQueue,
  faultResponse,
  type Matcher,
  type StandInResponse,
} from './faults.ts';

const SOURCES = [
  ...['ARXIV_OAI', 'ARXIV_WEB', 'AR5IV', 'FRED', 'POLYMARKET', 'BLS', 'TREASURY'],
  ...['NYFED', 'FEDBOARD', 'BEA', 'CENSUS', 'FHFA'],
];
/** Settings that replace the base URL of every upstream except Kalshi, which is optional. */
export const sourcesAt = (url: string) =>
  Object.fromEntries(SOURCES.map((name) => [`QUANTSHELF_${name}_URL`, url]));

/** A request as an upstream received it. */
export interface LoggedRequest {
  /** The path with its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The base of every stand-in: a server on a local port. */
export interface Upstream {
  url: string;
  requests: LoggedRequest[];
  /** The largest number of requests in flight at once. */
  readonly maxInFlight: number;
  /** Each matching request takes the next fault. Queues added earlier come first. */
  fault(matcher: Matcher, faults: readonly Fault[]): void;
  /** Number of unused faults. */
  readonly faultsLeft: number;
  close(): Promise<void>;
}

/** Starts a server that sends what `respond` returns unless a fault takes its place. */
export async function startUpstream(
  respond: (request: LoggedRequest, fault: Fault) => StandInResponse,
): Promise<Upstream> {
  const faults = new FaultQueue();
  let inFlight = 0;
  let maxInFlight = 0;
  const server = createServer((message, response) => {
    const { url: path = '', headers } = message;
    const request = { path, headers, body: '' };
    upstream.requests.push(request);
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    let isOver = false;
    const end = () => {
      inFlight -= isOver ? 0 : 1;
      isOver = true;
    };
    // A client may send its next request before the response is closed.
    response.on('finish', end).on('close', end);
    const fault = faults.take(path);
    const send = async () => {
      request.body = await readText(message);
      if (fault.kind === 'held') await fault.until;
      deliver(response, faultResponse(fault) ?? respond(request, fault), fault);
    };
    send().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const upstream: Upstream = {
    url: await listen(server),
    requests: [],
    get maxInFlight() {
      return maxInFlight;
    },
    fault: (matcher, queue) => faults.add(matcher, queue),
    get faultsLeft() {
      return faults.count();
    },
    close: () => end(server),
  };
  return upstream;
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts a server on a free local port, or on the given one; its URL has no trailing slash. */
export async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Closes a server and every connection to it. */
export function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
