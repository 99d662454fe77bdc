import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { makeWireEvent, type PolymarketStandIn, startPolymarket } from './polymarket.ts';

let standIn: PolymarketStandIn | undefined;
afterEach(() => standIn?.close());

const page = z.object({
  events: z.array(z.object({ id: z.string() })).default([]),
  next_cursor: z.string().optional(),
});

it('pages as Polymarket does: capped, by after_cursor only, without offsets', async () => {
  const events = Array.from({ length: 101 }, (_, index) => makeWireEvent({ id: index + 1 }));
  standIn = await startPolymarket(events);
  const ask = async (query: string) => {
    const response = await fetch(`${standIn?.url}/events/keyset?closed=false&${query}`);
    return { status: response.status, ...page.parse(await response.json()) };
  };
  const first = await ask('limit=500');
  expect(first.events).toHaveLength(100);
  const second = await ask(`limit=500&after_cursor=${first.next_cursor}`);
  expect(second.events).toEqual([{ id: '101' }]);
  expect(second.next_cursor).toBeUndefined();
  expect((await ask(`limit=500&cursor=${first.next_cursor}`)).events).toEqual(first.events);
  for (const wrong of ['offset=0', 'order=nonsense', 'after_cursor=nonsense']) {
    expect((await ask(wrong)).status).toBe(422);
  }
  expect((await ask(`order=volume&after_cursor=${first.next_cursor}`)).status).toBe(422);
});
