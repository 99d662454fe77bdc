import { expect, it, onTestFinished } from 'vitest';
import { createEventRefresher } from '../../../../src/areas/markets/event-refresh.ts';
import { makeHold } from '../../../stand-ins/faults.ts';
import { makeWireEvent, makeWireMarket, type WireEvent } from '../../../stand-ins/polymarket.ts';
import { browse, db, read as readShelf, useFreshShelves } from './fresh-shelf.ts';
import { at, pullOnce } from './pulls.ts';
import { event, keyOf, put } from './shelf.ts';
import { startSource } from './start-polymarket.ts';

useFreshShelves();

/** A shelf synced with `before`, and a server an hour later, when the venue has `after`. */
async function serve(before: readonly WireEvent[], after: readonly WireEvent[]) {
  const { standIn, venue } = await startSource(before);
  await pullOnce({ db, venue, now: () => at(0) });
  standIn.events = [...after];
  standIn.requests.length = 0;
  const logged: string[] = [];
  let clock = at(1);
  let isUnreachable = () => false;
  const refresher = createEventRefresher({
    db,
    open: async () => ({
      source: venue,
      reachability: { isUpstreamUnreachable: () => isUnreachable() },
    }),
    now: () => clock,
    log: (line) => logged.push(line),
  });
  onTestFinished(refresher.close);
  const read = () => readShelf('pme_100', { now: clock, freshenEvent: refresher.freshen });
  return {
    standIn,
    logged,
    read,
    refresher,
    paths: () => standIn.requests.map(({ path }) => path),
    pass: (minutes: number) => {
      clock = new Date(clock.getTime() + minutes * 60_000);
    },
    lose: (hasFailed: () => boolean) => {
      isUnreachable = hasFailed;
    },
  };
}
const oddsOf = ({ data }: Awaited<ReturnType<Awaited<ReturnType<typeof serve>>['read']>>) =>
  data.markets[0]?.outcomes[0]?.current_probability;
const [OLD, NEW] = [makeWireEvent({ prices: [0.3] }), makeWireEvent({ prices: [0.6] })];

it('a read requests an event only if its odds are old, and once for all readers', async () => {
  const { read, paths, pass } = await serve([OLD, makeWireEvent({ id: 101 })], [NEW]);
  const replies = await Promise.all([read(), read()]);
  expect(replies.map(oddsOf)).toEqual([0.6, 0.6]);
  expect(replies[0]?.meta).toMatchObject({ asOf: at(1).toISOString() });
  expect(replies[0]?.meta).not.toHaveProperty('notice');
  pass(14);
  await read();
  expect(paths()).toEqual(['/events/100']);
  pass(1);
  await read();
  expect(paths()).toHaveLength(2);
});

const won = [makeWireMarket(100_000, 1, { closed: true })];
const settled = makeWireEvent({ closed: true, markets: won });
it.each<[string, WireEvent[], object, RegExp]>([
  ['it has settled', [settled], { settlement: { winning_outcome: 'Yes' } }, /^Settled/],
  [
    'its venue no longer has it',
    [],
    { status: 'inactive', settlement: { status: 'ended' } },
    /^Polymarket no longer has the markets of this event/,
  ],
])('reads stop requesting an event once %s', async (_, after, facts, notice) => {
  const { read, paths, pass } = await serve([OLD], after);
  const { data, meta } = await read();
  expect(data).toMatchObject(facts);
  expect(meta.notice).toMatch(notice);
  pass(60);
  await read();
  expect(paths()).toEqual(['/events/100']);
});

it('a read returns old odds instead of waiting for a slow venue, and the next read returns fresh ones', async () => {
  const { read, standIn, refresher } = await serve([OLD], [NEW]);
  const { fault, release } = makeHold();
  standIn.fault('/events/100', [fault]);
  const slow = await read();
  expect(oddsOf(slow)).toBe(0.3);
  expect(slow.meta.notice).toMatch(/^Fresher odds are being fetched/);
  release();
  await refresher.freshen(keyOf(db, 100), new AbortController().signal);
  expect(oddsOf(await read())).toBe(0.6);
});

it('a read that is cancelled does not delay the next request', async () => {
  const { read, standIn, refresher, paths } = await serve([OLD], [NEW]);
  const { fault, release } = makeHold();
  standIn.fault('/events/100', [fault]);
  const caller = new AbortController();
  const cancelled = refresher.freshen(keyOf(db, 100), caller.signal);
  await expect.poll(paths).toHaveLength(1);
  caller.abort();
  await expect(cancelled).rejects.toThrow();
  release();
  expect(oddsOf(await read())).toBe(0.6);
});

it('a read dates the old odds if the venue fails, and requests nothing more for a minute', async () => {
  const { read, standIn, paths, pass, logged } = await serve([OLD], [NEW]);
  standIn.fault('/events/100', new Array(3).fill({ kind: 'html' }));
  const failed = await read();
  expect(oddsOf(failed)).toBe(0.3);
  expect(failed.meta.notice).toBe(
    'These odds are from 2026-11-21 because Polymarket sent no usable response.',
  );
  expect(logged).toHaveLength(1);
  await read();
  expect(paths()).toHaveLength(3);
  pass(1);
  expect(oddsOf(await read())).toBe(0.6);
});

it.each([
  ['immediately if the venue is unreachable', 0],
  ['if its own request finds that the venue is unreachable', 3],
])('a read returns the old odds %s', async (_, requests) => {
  const { read, lose, paths, standIn, logged } = await serve([OLD], [NEW]);
  standIn.fault('/events/100', new Array(3).fill({ kind: 'reset' }));
  lose(() => requests === 0 || logged.length > 0);
  expect((await read()).meta.notice).toBe(
    'These odds are from 2026-11-21 because Polymarket cannot be reached.',
  );
  expect(paths()).toHaveLength(requests);
});

it.each([
  ['offline', 'QUANTSHELF_OFFLINE is set, so nothing newer is fetched.'],
  ['read_only', 'The data directory is not writable, so nothing newer is fetched.'],
] as const)('a process that is %s explains why it refreshes nothing', async (reason, notice) => {
  put(db, [event({ id: '100' })], at(0).toISOString());
  const options = {
    now: at(1),
    freshenEvent: async () => reason,
    refreshMarkets: () => reason,
  };
  expect((await readShelf('pme_100', options)).meta.notice).toBe(notice);
  expect((await browse({}, options)).meta.notice).toBe(notice);
  expect((await browse({ q: 'zinc' }, options)).meta.notice).toContain(notice);
});

it('a read requests no event from a disabled venue', async () => {
  const { refresher, paths } = await serve([OLD], [NEW]);
  put(db, [{ ...event({ id: '7', alias: 'kalshi:7' }), source: 'kalshi' }], at(0).toISOString());
  const { signal } = new AbortController();
  expect(await refresher.freshen(keyOf(db, 7), signal)).toBe('off');
  expect(paths()).toEqual([]);
});
