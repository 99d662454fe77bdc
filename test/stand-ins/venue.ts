import { createServer } from 'node:http';
import {
  type Answer,
  deliver,
  type Fault,
  FaultQueue,
  faultAnswer,
  type Matcher,
} from './faults.ts';
import { end, listen } from './listen.ts';

/** A venue of prediction markets on a local port. */
export interface VenueStandIn {
  url: string;
  /** The same as environment variables, for a child process. */
  env: Readonly<Record<string, string>>;
  /** Paths with their queries, as received, and milliseconds of the wall clock. */
  requests: { path: string; startedAt: number }[];
  /** Each matching request takes the next fault; queues added earlier come first. */
  fault(matcher: Matcher, faults: readonly Fault[]): void;
  /** Number of faults not used yet. */
  readonly faultsLeft: number;
  close(): Promise<void>;
}

/** `variable` tells the address, `base` is the path of the API, and `content` may be changed at any time. */
export async function startVenue<Content extends object>(
  { variable, base = '' }: { variable: string; base?: string },
  content: Content,
  answer: (url: URL, content: Content) => Answer,
): Promise<VenueStandIn & Content> {
  const faults = new FaultQueue();
  const server = createServer((message, response) => {
    const path = message.url ?? '';
    standIn.requests.push({ path, startedAt: Date.now() });
    const fault = faults.take(path);
    const respond = async () => {
      if (fault.kind === 'held') await fault.until;
      const usual = answer(new URL(path, 'http://127.0.0.1'), standIn);
      deliver(response, faultAnswer(fault) ?? usual, fault);
    };
    respond().catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const url = `${await listen(server)}${base}`;
  const standIn: VenueStandIn & Content = {
    ...content,
    ...{ url, env: { [variable]: url }, requests: [] },
    fault: (matcher, queue) => faults.add(matcher, queue),
    get faultsLeft() {
      return faults.count();
    },
    close: () => end(server),
  };
  return standIn;
}
