import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { operations } from '../../src/operations.ts';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { makeWireEvent, startPolymarket } from '../stand-ins/polymarket.ts';
import { books, inspect, syncedPapers } from './store.ts';
import { aPricedRow, makeHome, online, quantshelf } from './support.ts';
import { startWire, type Wire } from './wire.ts';

const SERVERS = 4;

/** Starts servers on one home, which the first call creates if it is missing. */
function startServers(home: string, credits: number): Promise<Wire[]> {
  const env = { QUANTSHELF_CREDITS: String(credits) };
  return Promise.all(Array.from({ length: SERVERS }, () => startWire(home, env)));
}

it('servers that share a shelf never charge an account more credits than it has', async () => {
  // While other tests run, more calls would exceed the maximum wait for a charge.
  const [calls, credits] = [200, 77];
  const home = makeHome();
  const row = aPricedRow();
  const wires = await startServers(home, credits);
  const replies = await Promise.all(
    wires.flatMap((wire) =>
      Array.from({ length: calls / SERVERS }, () => wire.ask(row.name, row.example)),
    ),
  );
  for (const wire of wires) expect(await wire.finish()).toEqual({ code: 0, signal: null });
  const paid = replies.flatMap((reply) => ('data' in reply ? [reply.meta] : []));
  const refused = replies.flatMap((reply) => ('error' in reply ? [reply.error.code] : []));
  expect(refused).toEqual(Array(calls - credits).fill('insufficient_credits'));
  expect(books(home)).toMatchObject({
    balance: 0,
    paid: paid.map(({ requestId }) => requestId).sort(),
  });
  // Every balance down to 0 was reported once: no two replies spent the same credit.
  expect(paid.map(({ remainingCredits }) => remainingCredits).sort((a, b) => b - a)).toEqual(
    Array.from({ length: credits }, (_, index) => credits - 1 - index),
  );
});

it('servers that start together in an empty data directory answer every operation while syncs write', async () => {
  const [papers, events] = [makePapers(120), 200];
  const arxiv = await startArxiv({ records: papers, pageSize: 20 });
  onTestFinished(() => arxiv.close());
  const wireEvents = Array.from({ length: events }, (_, at) => makeWireEvent({ id: 900_000 + at }));
  const polymarket = await startPolymarket(wireEvents);
  onTestFinished(() => polymarket.close());
  const home = makeHome();
  const wires = await startServers(home, 1_000_000);
  const env = online([arxiv, polymarket], 20);
  let running = 2;
  const syncs = ['papers', 'markets'].map(async (area) => {
    await quantshelf(['sync', area], home, env);
    running -= 1;
  });
  const paid: string[] = [];
  let spent = 0;
  await Promise.all(
    wires.map(async (wire, first) => {
      for (let turn = 0; turn < operations.length || (running > 0 && turn < 40); turn += 1) {
        const { name, example, price } = operations[(first + turn) % operations.length] ?? {};
        const reply = await wire.ask(name ?? '', example);
        if (!('data' in reply)) throw new Error(`${name}: ${JSON.stringify(reply)}`);
        if (price !== 0) paid.push(reply.meta.requestId);
        spent += price ?? 0;
      }
    }),
  );
  // Without a model, a sync of papers exits with 1 after storing all its records.
  await Promise.all(syncs);
  for (const wire of wires) expect(await wire.finish()).toEqual({ code: 0, signal: null });
  const balance = 1_000_000 - spent;
  expect(books(home)).toMatchObject({ balance, spent, paid: paid.sort() });
  expect(readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
  expect(syncedPapers(home)).toHaveLength(papers.length);
  const stored = 'SELECT count(*) FROM market_event WHERE CAST(source_id AS INTEGER) >= 900000';
  expect(inspect(home, (db) => db.prepare(stored).pluck().get())).toBe(events);
});
