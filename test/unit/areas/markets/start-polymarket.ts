import { onTestFinished } from 'vitest';
import { connect } from '../../../../src/areas/markets/sources/polymarket.ts';
import type { HttpClient } from '../../../../src/upstream/client.ts';
import { type Fault, FaultQueue, faultResponse, type Matcher } from '../../../stand-ins/faults.ts';
import { startPolymarket, type WireEvent } from '../../../stand-ins/polymarket.ts';
import { respondAsGamma } from '../../../stand-ins/polymarket-responses.ts';
import { makeClient } from '../../upstream/server.ts';

function open(client: Pick<HttpClient, 'get'>, baseUrl: string) {
  return { name: 'polymarket', title: 'Polymarket', ...connect(client, { baseUrl }) };
}

/** The real client without its pauses; it and the stand-in end with the test. */
export function openClient(standIn: { close(): Promise<void> }): HttpClient {
  const client = makeClient({ paceMs: 1, longestWaitMs: 1_000, tries: 3 });
  onTestFinished(() => standIn.close());
  onTestFinished(() => client.close());
  return client;
}

/** A source that queries a stand-in through the real client. */
export async function startSource(events: readonly WireEvent[] = []) {
  const standIn = await startPolymarket(events);
  return { standIn, venue: open(openClient(standIn), standIn.url) };
}

/**
 * A source that gets the stand-in's responses without a socket, since a pull requests a hundred
 * lists. It supports only faults that are responses; `startSource` tests the client's part.
 */
export async function makeSource(events: readonly WireEvent[] = []) {
  const faults = new FaultQueue();
  const requests: { path: string }[] = [];
  const standIn = {
    events: [...events],
    requests,
    get faultsLeft() {
      return faults.count();
    },
    fault: (matcher: Matcher, queue: readonly Fault[]) => faults.add(matcher, queue),
  };
  const client: Pick<HttpClient, 'get'> = {
    async get(address, request) {
      request.signal?.throwIfAborted();
      const url = new URL(address);
      const path = url.pathname + url.search;
      requests.push({ path });
      const response = faultResponse(faults.take(path)) ?? respondAsGamma(url, standIn.events);
      const { status, body } = response;
      if (status !== 200 && !request.statuses?.includes(status))
        throw new Error(`status ${status}`);
      return request.read({ status, body });
    },
  };
  return { standIn, venue: open(client, 'http://gamma') };
}
