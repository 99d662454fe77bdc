import { beforeEach, describe, expect, it } from 'vitest';
import { beginPull, endPull, recordMissing } from '../../../../src/areas/markets/pulls.ts';
import { browse as browseShelf, db, useFreshShelves } from './fresh-shelf.ts';
import { at } from './pulls.ts';
import { event, put } from './shelf.ts';

const OLD = at(-1).toISOString();
const YOUNG = at(-0.1).toISOString();
let requests: (readonly number[])[];
useFreshShelves();
beforeEach(() => {
  requests = [];
});

/** Notice of a browse while a refresh of this scope is running or could be started. */
async function browse(input: object, scope: 'full' | 'served' | null = 'served') {
  const refreshMarkets = (events: readonly number[]) => {
    requests.push(events);
    return scope;
  };
  return (await browseShelf(input, { now: at(0), refreshMarkets })).meta.notice ?? '';
}

describe('old odds', () => {
  it('are refreshed unless their event is closed', async () => {
    put(db, [event({ id: '1' }), event({ id: '2', status: 'inactive' })], OLD);
    put(db, [event({ id: '3' })], YOUNG);
    put(db, [event({ id: '4', status: 'closed' as const, closed_time: OLD })], OLD);
    expect(await browse({ status: 'active_or_recently_closed' })).toContain('Fresher odds');
    expect(await browse({ status: 'inactive' })).toContain('Fresher odds');
    expect(requests).toEqual([[1], [2]]);
  });

  it('are not refreshed for an event that its venue no longer has', async () => {
    put(db, [event({ id: '1' })], OLD);
    recordMissing(db, { source: 'polymarket', sourceId: '1' }, at(-0.5));
    expect(await browse({ status: 'inactive' })).toBe(
      'Polymarket no longer has the markets of this event; no result is stored, and these odds are not the outcome.',
    );
    expect(requests).toEqual([]);
  });

  it('are explained by a failed refresh of their own venue, but not of another', async () => {
    const other = { ...event({ id: '2', alias: 'kalshi:2' }), source: 'kalshi' };
    put(db, [event({ id: '1' }), other], OLD);
    for (const source of ['polymarket', 'kalshi']) {
      beginPull(db, { source, scope: 'full' }, at(-0.5));
      endPull(db, { source, scope: 'full' }, at(-0.4), source === 'polymarket');
    }
    // A pull of served events only does not clear the fault.
    beginPull(db, { source: 'kalshi', scope: 'served' }, at(-0.3));
    endPull(db, { source: 'kalshi', scope: 'served' }, at(-0.2), true);
    const notice =
      'The last refresh of Kalshi did not finish, so these odds are from 2026-11-21: `quantshelf status` says why.';
    expect(await browse({}, null)).toBe(notice);
    expect(await browse({ tag: 'polymarket' }, null)).toBe('');
    expect(requests).toEqual([[1, 2], [1]]);
    expect(await browse({ tag: 'kalshi' }, null)).toBe(notice);
  });
});

it('an empty reply from an old shelf starts a refresh, and promises all events only if it is a full one', async () => {
  put(db, [event({ id: '1' })], OLD);
  expect(await browse({ q: 'zinc' }, 'full')).toContain('All events are being fetched');
  expect(await browse({ q: 'zinc' }, 'served')).not.toContain('fetched');
  put(db, [event({ id: '1' })], YOUNG);
  expect(await browse({ q: 'zinc' }, 'full')).not.toContain('fetched');
  expect(requests).toEqual([[], []]);
});
