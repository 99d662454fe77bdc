import { afterEach } from 'vitest';
import { createPolymarketSource } from '../../../../src/areas/markets/source.ts';
import { createHttpClient } from '../../../../src/upstream/client.ts';
import { startPolymarket, type WireEvent } from '../../../stand-ins/polymarket.ts';

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

/** A source on the real client, without its pauses, before a stand-in; both end with the test. */
export async function startSource(events: readonly WireEvent[] = []) {
  const standIn = await startPolymarket(events);
  const client = createHttpClient({
    userAgent: 'quantshelf/test',
    now: () => new Date('2026-11-21T12:00:00Z'),
    paceMs: 1,
    longestWaitMs: 1_000,
    tries: 3,
  });
  ends.push(async () => {
    await client.close();
    await standIn.close();
  });
  return { standIn, source: createPolymarketSource(client, { baseUrl: standIn.url, paceMs: 0 }) };
}
