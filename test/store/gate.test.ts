import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGate, type Gate, gateMigrations } from '../../src/store/gate.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openForWriting } from '../../src/store/open.ts';

let directory: string;
let db: Database;
let clock: number | undefined;
const now = () => new Date(clock ?? Date.now());

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-gate-'));
  db = openForWriting(join(directory, 'store.sqlite'));
  migrate(db, gateMigrations, new Date());
  clock = undefined;
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

function makeGate(name = 'upstream'): Gate {
  return createGate(db, name, join(directory, `${name}.lock`), now);
}

const LAST_START = 'SELECT last_start FROM gate';

/** When each pass was let through, as the gate wrote it down before the work. */
async function startsOf(gate: Gate, intervals: readonly number[]): Promise<number[]> {
  const starts: number[] = [];
  const passes = intervals.map((ms) =>
    gate.pass(ms, async () => starts.push(Number(db.prepare(LAST_START).pluck().get()))),
  );
  await Promise.all(passes);
  return starts;
}

function gapsOf(starts: readonly number[]): number[] {
  return starts.slice(1).map((start, index) => start - (starts[index] ?? start));
}

it('keeps the pause between the beginnings of what passes', async () => {
  const gaps = gapsOf(await startsOf(makeGate(), [60, 60, 60]));
  expect(gaps).toHaveLength(2);
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(60);
});

it('lets one pass at a time, however long it takes', async () => {
  const gate = makeGate();
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await delay(30);
    inside -= 1;
  };
  await Promise.all([1, 2, 3, 4].map(() => gate.pass(0, work)));
  expect(most).toBe(1);
});

it('lets whoever needs the shorter pause go first', async () => {
  const gate = makeGate();
  const order: string[] = [];
  clock = Date.now();
  await gate.pass(0, async () => {});
  const slow = gate.pass(400, async () => order.push('filling'));
  const quick = gate.pass(50, async () => order.push('reading'));
  clock = undefined;
  await Promise.all([slow, quick]);
  expect(order).toEqual(['reading', 'filling']);
});

it('shares pauses between processes, those of a killed one too', async () => {
  const log = join(directory, 'log');
  const script = `
    import { appendFileSync } from 'node:fs';
    import { createGate } from ${JSON.stringify(resolve('src/store/gate.ts'))};
    import { openForWriting } from ${JSON.stringify(resolve('src/store/open.ts'))};
    const [store, lock, log, rounds] = process.argv.slice(1);
    const db = openForWriting(store);
    const gate = createGate(db, 'upstream', lock, () => new Date());
    for (let round = 0; round < Number(rounds); round += 1) {
      await gate.pass(150, async () => {
        appendFileSync(log, db.prepare('${LAST_START}').pluck().get() + '\\n');
        if (rounds === '1') process.kill(process.pid, 'SIGKILL');
      });
    }
    process.exit(0);`;
  const start = (rounds: string) =>
    spawn(
      process.execPath,
      [
        ...['--import', 'tsx', '--input-type=module', '-e', script],
        ...[join(directory, 'store.sqlite'), join(directory, 'upstream.lock'), log, rounds],
      ],
      { stdio: 'inherit' },
    );
  const children = [start('3'), start('1'), start('3')];
  await Promise.all(children.map((child) => once(child, 'exit')));
  const starts = readFileSync(log, 'utf8').trim().split('\n').map(Number).sort();
  expect(starts).toHaveLength(7);
  for (const gap of gapsOf(starts)) expect(gap).toBeGreaterThanOrEqual(150);
});

it('gives the pause back for what never reached the upstream, and for nothing else', async () => {
  const unsent = new Error('no connection');
  const lock = join(directory, 'upstream.lock');
  const gate = createGate(db, 'upstream', lock, now, (error) => error === unsent);
  const lastStart = () => db.prepare(LAST_START).pluck().get();
  const fail = (error: Error) => gate.pass(0, () => Promise.reject(error)).catch(() => {});
  clock = Date.parse('2026-11-22T12:00:00Z');
  const first = clock;
  await fail(new Error('broken off'));
  expect(lastStart()).toBe(first);
  clock += 5_000;
  await fail(unsent);
  expect(lastStart()).toBe(first);
});

it('passes nobody during a hold, and says how long it lasts', async () => {
  const gate = makeGate();
  const begun = Date.now();
  clock = begun;
  gate.hold(120);
  expect(gate.heldFor()).toBe(120);
  expect(makeGate('other').heldFor()).toBe(0);
  clock = undefined;
  const [start = 0] = await startsOf(gate, [0]);
  expect(start).toBeGreaterThanOrEqual(begun + 120);
  expect(gate.heldFor()).toBe(0);
});

it('keeps the longer of two holds', () => {
  const gate = makeGate();
  clock = Date.parse('2026-11-21T00:00:00Z');
  gate.hold(60_000);
  gate.hold(1_000);
  expect(gate.heldFor()).toBe(60_000);
});

it('does not wait for a clock that was set back', async () => {
  const gate = makeGate();
  clock = Date.parse('2030-01-01T00:00:00Z');
  await gate.pass(0, async () => {});
  gate.hold(60_000);
  clock = undefined;
  expect(gate.heldFor()).toBe(0);
  const begun = Date.now();
  const [start = 0] = await startsOf(gate, [40]);
  expect(start).toBeGreaterThanOrEqual(begun + 40);
  expect(start).toBeLessThan(begun + 60_000);
});

it('holds for no longer than it was told to when the clock is set back by some hours', () => {
  const gate = makeGate();
  const noon = Date.parse('2026-11-21T12:00:00Z');
  clock = noon;
  gate.hold(60_000);
  clock = noon - 20 * 3_600_000;
  expect(gate.heldFor()).toBeLessThanOrEqual(60_000);
  gate.hold(5_000);
  expect(gate.heldFor()).toBe(5_000);
  clock = noon + 1_000;
  expect(gate.heldFor()).toBe(0);
});

it('gives up the wait when it is told to, and frees the gate after a failure', async () => {
  const gate = makeGate();
  gate.hold(60_000);
  const stopping = new AbortController();
  const waiting = gate.pass(0, async () => {}, stopping.signal);
  stopping.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  const other = makeGate('other');
  await expect(other.pass(0, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(other.pass(0, async () => 'in')).resolves.toBe('in');
});
