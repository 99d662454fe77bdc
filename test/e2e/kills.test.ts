import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { makeWireEvent, startPolymarket } from '../stand-ins/polymarket.ts';
import { makeShelf, runHere } from './in-process.ts';
import { books, expectSound, inspect } from './store.ts';
import { aPricedRow, type Env, makeHome, online, quantshelf, startCommand } from './support.ts';
import { envelopeOf, startWire } from './wire.ts';

const row = aPricedRow();

describe('kill -9 of a server', () => {
  // Milliseconds that hit each step of a first call: open, copy, migrate, reply.
  it.each([0, 10, 25, 60])(
    '%i ms into the first call on an empty data directory leaves the next start a complete shelf',
    async (ms) => {
      const home = makeHome();
      const wire = await startWire(home, { QUANTSHELF_CREDITS: '9' });
      wire.sendCall(1, row.name, row.example);
      await delay(ms);
      wire.child.kill('SIGKILL');
      expect((await wire.ended).signal).toBe('SIGKILL');
      await expectNextStartOpens(home, 9);
    },
  );

  it.each([0, 4, 12, 30])('%i ms after the first of many replies loses no charge', async (ms) => {
    const home = makeHome();
    const wire = await startWire(home, { QUANTSHELF_CREDITS: '500' });
    for (let id = 0; id < 200; id += 1) wire.sendCall(id, row.name, row.example);
    await wire.response(0);
    await delay(ms);
    wire.child.kill('SIGKILL');
    await wire.ended;
    const told = wire.frames.flatMap((frame) =>
      'id' in frame && frame.id !== 'init' ? [envelopeOf(frame)] : [],
    );
    await expectNextStartOpens(home, 500);
    // Every answered call had been charged.
    const entered = new Set(books(home).paid);
    for (const reply of told)
      expect('data' in reply && entered.has(reply.meta.requestId)).toBe(true);
  });
});

/** Expects the next process to find a complete shelf, with every credit in the balance or the ledger. */
async function expectNextStartOpens(home: string, granted: number): Promise<void> {
  const ended = await runHere(['call', row.name, JSON.stringify(row.example)], home, {
    QUANTSHELF_CREDITS: String(granted),
  });
  expect(ended.code, ended.stderr + ended.stdout).toBe(0);
  expect(books(home).granted).toBe(granted);
  expect(readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
}

describe('kill -9', () => {
  const papers = makePapers(30);
  const events = Array.from({ length: 150 }, (_, at) => makeWireEvent({ id: 900_000 + at }));
  // Milliseconds from the first request to the writing of pages.
  const AFTER_MS = [0, 60, 150];

  async function killSyncs(area: string, home: string, env: Env, countRequests: () => number) {
    for (const ms of AFTER_MS) {
      const before = countRequests();
      const { child, ended } = startCommand(['sync', area], home, env);
      const hasEnded = () => child.exitCode !== null;
      await expect.poll(() => countRequests() > before || hasEnded(), { interval: 5 }).toBe(true);
      await delay(ms);
      child.kill('SIGKILL');
      await ended;
      expectSound(home);
    }
    const { stdout } = await quantshelf(['sync', area, '--json'], home, env);
    expect(readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
    return z.record(z.string(), z.looseObject({})).parse(JSON.parse(stdout))[area];
  }

  it.each([
    [
      'papers',
      () => startArxiv({ records: papers, pageSize: 5 }),
      "substr(source_id, 7) FROM paper WHERE source_id LIKE 'arxiv:2609.%'",
      papers.map(({ id }) => id),
    ],
    [
      'markets',
      () => startPolymarket(events),
      "source_id FROM market_event WHERE origin = 'live'",
      events.map(({ id }) => id),
    ],
  ])('of a sync of %s leaves the next sync an intact store', async (area, start, stored, ids) => {
    const upstream = await start();
    onTestFinished(() => upstream.close());
    const home = await makeShelf();
    const env = online([upstream], 20);
    const last = await killSyncs(area, home, env, () => upstream.requests.length);
    expect(last).toMatchObject({ finished: true });
    const select = `SELECT ${stored} ORDER BY 1`;
    expect(inspect(home, (db) => db.prepare(select).pluck().all())).toEqual(ids);
  });
});
