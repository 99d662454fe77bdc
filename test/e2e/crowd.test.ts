import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { operations } from '../../src/operations.ts';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { makeWireEvent, startPolymarket } from '../stand-ins/polymarket.ts';
import { books } from './books.ts';
import { inspect } from './error-cases.ts';
import {
  aPricedRow,
  bin,
  envelope,
  environment,
  makeHome,
  node,
  quantshelf,
  WITHOUT_MODEL,
} from './support.ts';
import { resultOf, Wire } from './wire.ts';

const SERVERS = 8;

async function startServers(home: string, credits: number): Promise<Wire[]> {
  const env = { QUANTSHELF_CREDITS: String(credits) };
  await quantshelf(['status'], home, env);
  const wires = Array.from({ length: SERVERS }, () => new Wire(home, env));
  await Promise.all(wires.map((wire) => wire.initialize()));
  return wires;
}

it('1,600 calls on 777 credits, on eight servers: 777 are paid', async () => {
  const [calls, credits] = [1_600, 777];
  const home = makeHome();
  const row = aPricedRow();
  const wires = await startServers(home, credits);
  const answers = await Promise.all(
    wires.flatMap((wire) =>
      Array.from({ length: calls / SERVERS }, async (_, id) =>
        envelope.parse(resultOf(await wire.call(id, row.name, row.example)).structuredContent),
      ),
    ),
  );
  for (const wire of wires) expect(await wire.finish()).toEqual({ code: 0, signal: null });
  const paid = answers.flatMap((answer) => ('data' in answer ? [answer.meta] : []));
  const refused = answers.flatMap((answer) => ('error' in answer ? [answer.error.code] : []));
  expect(refused).toEqual(Array(calls - credits).fill('insufficient_credits'));
  const { balance, ledger } = books(home);
  expect(balance).toBe(0);
  expect(ledger.map(({ request_id }) => request_id).sort()).toEqual(
    paid.map(({ requestId }) => requestId).sort(),
  );
  // Every balance from 776 to 0 was told once: no two answers took the same credit.
  expect(paid.map(({ remainingCredits }) => remainingCredits).sort((a, b) => b - a)).toEqual(
    Array.from({ length: credits }, (_, index) => credits - 1 - index),
  );
});

it('eight servers answer every operation while syncs of papers and markets write', async () => {
  const [papers, events, rounds] = [makePapers(600), 1_000, 12];
  const arxiv = await startArxiv({ records: papers, pageSize: 20 });
  onTestFinished(() => arxiv.close());
  const wireEvents = Array.from({ length: events }, (_, at) => makeWireEvent({ id: 900_000 + at }));
  const polymarket = await startPolymarket(wireEvents);
  onTestFinished(() => polymarket.close());
  const home = makeHome();
  const wires = await startServers(home, 1_000_000);
  const env = {
    ...arxiv.env,
    ...polymarket.env,
    QUANTSHELF_OFFLINE: '0',
    QUANTSHELF_PACE_MS: '20',
    ...WITHOUT_MODEL,
  };
  const syncs = ['papers', 'markets'].map((area) =>
    spawn(node, [bin, 'sync', area], { env: environment(home, env), stdio: 'ignore' }),
  );
  const times: number[] = [];
  const paid: string[] = [];
  let beside = 0;
  await Promise.all(
    wires.map(async (wire, first) => {
      for (let turn = 0; turn < rounds * operations.length; turn += 1) {
        const { name, example, price } = operations[(first + turn) % operations.length] ?? {};
        const begun = performance.now();
        const { structuredContent } = resultOf(await wire.call(turn, name ?? '', example));
        times.push(performance.now() - begun);
        beside += syncs.some(isRunning) ? 1 : 0;
        const answer = envelope.parse(structuredContent);
        if (!('data' in answer)) throw new Error(`${name}: ${JSON.stringify(answer)}`);
        if (price !== 0) paid.push(answer.meta.requestId);
      }
    }),
  );
  await Promise.all(syncs.map((sync) => (isRunning(sync) ? once(sync, 'exit') : undefined)));
  // Without a model a sync of papers ends with 1, once all its records are stored.
  for (const wire of wires) expect(await wire.finish()).toEqual({ code: 0, signal: null });
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  process.stdout.write(
    `${times.length} calls on ${SERVERS} servers, ${beside} beside syncs, p99 ${p99.toFixed(0)} ms\n`,
  );
  expect(beside).toBeGreaterThan(50);
  const { ledger, balance, spent } = books(home);
  expect(ledger.map(({ request_id }) => request_id).sort()).toEqual(paid.sort());
  expect((balance ?? 0) + spent).toBe(1_000_000);
  const stored = inspect(home, (db) => ({
    papers: db
      .prepare("SELECT count(*) FROM paper WHERE source_id LIKE 'arxiv:2609.%'")
      .pluck()
      .get(),
    events: db
      .prepare('SELECT count(*) FROM market_event WHERE CAST(source_id AS INTEGER) >= 900000')
      .pluck()
      .get(),
  }));
  expect(stored).toEqual({ papers: papers.length, events });
});

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
