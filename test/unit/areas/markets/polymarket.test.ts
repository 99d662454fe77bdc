import { describe, expect, it } from 'vitest';
import { type EventPage, walkPages } from '../../../../src/areas/markets/sources/venue-client.ts';
import { InvalidResponseError } from '../../../../src/upstream/failures.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { makeWireEvent } from '../../../stand-ins/polymarket.ts';
import { startSource } from './start-polymarket.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

/** A venue, and the pages of its list with this name. */
async function start(events: Parameters<typeof startSource>[0] = []) {
  const { standIn, venue } = await startSource(events);
  const read = async (name = 'open events tagged economy') => {
    const list = venue.lists(['gold'], NOW).find((each) => each.name === name);
    const pages: EventPage[] = [];
    for await (const page of list?.pages(undefined) ?? []) pages.push(page);
    return pages;
  };
  const ids = async (...list: Parameters<typeof read>) =>
    (await read(...list)).flatMap(({ events }) => events.map(({ sourceId }) => Number(sourceId)));
  return { standIn, venue, read, ids };
}

describe("a list of Polymarket's events", () => {
  it('contains either the open or the recently closed events with its tag', async () => {
    const { standIn, ids } = await start([
      makeWireEvent({ id: 1, tagSlugs: ['crypto'] }),
      makeWireEvent({ id: 2, tagSlugs: ['crypto'], closed: true }),
      makeWireEvent({ id: 3, closed: true, endDate: '2020-01-01T00:00:00Z' }),
      makeWireEvent({ id: 4, tagSlugs: ['gold', 'crypto'] }),
    ]);
    expect(await ids('open events tagged crypto')).toEqual([1, 4]);
    expect(await ids('open events tagged gold')).toEqual([4]);
    expect(await ids('closed events tagged crypto')).toEqual([2]);
    expect(standIn.requests[0]?.path).toContain('tag_id=21&related_tags=true');
  });

  it('skips and counts invalid events, unless most of the page is invalid', async () => {
    const { standIn, read } = await start();
    const body = (events: unknown[]) => JSON.stringify({ events });
    standIn.fault('/events', [{ kind: 'body', body: body([makeWireEvent(), { id: 'x' }]) }]);
    expect(await read()).toMatchObject([{ unreadable: 1, events: [{ sourceId: '100' }] }]);
    const bad: Fault = { kind: 'body', body: body([makeWireEvent(), null, {}]) };
    standIn.fault('/events', [bad, bad, bad]);
    await expect(read()).rejects.toThrow(InvalidResponseError);
  });
});

it('a list that does not end is invalid after 1,000 pages', async () => {
  let count = 0;
  const pages = walkPages('Polymarket', async () => {
    count += 1;
    // Without the limit, the list ends, so that the test fails instead of hanging.
    const cursor = count > 1_000 ? null : String(count);
    return { events: [], outside: 0, unreadable: 0, cursor };
  });
  const readAll = async () => {
    for await (const page of pages) expect(page.events).toEqual([]);
  };
  await expect(readAll()).rejects.toThrow('Polymarket sent more than 1000 pages.');
  expect(count).toBe(1_000);
});

it('a response with an event other than the one requested is invalid', async () => {
  const { standIn, venue } = await start();
  const other: Fault = { kind: 'body', body: JSON.stringify(makeWireEvent({ id: 9 })) };
  standIn.fault('/events/7', [other, other, other]);
  await expect(venue.getEvent('7')).rejects.toThrow(InvalidResponseError);
});

it("a missing list is reported as a refusal in QuantShelf's own words, and not requested again", async () => {
  const { standIn, read } = await start();
  standIn.fault('/events', [{ kind: 'status', status: 404, body: '"their words"' }]);
  const message = 'Polymarket has no such list.';
  await expect(read()).rejects.toMatchObject({ name: 'RejectedRequestError', message });
  expect(standIn.requests).toHaveLength(1);
});
