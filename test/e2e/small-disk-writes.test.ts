import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { bundledFigures, startAgencies } from '../stand-ins/agencies.ts';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { makePdf } from '../stand-ins/own-pdfs.ts';
import { makeWireEvent, startPolymarket } from '../stand-ins/polymarket.ts';
import { ask, serveForTest } from './serving.ts';
import { canMount, SmallDisk } from './small-disk.ts';
import { books, expectSound, inspect } from './store.ts';
import {
  aPricedRow,
  envelope,
  type Finished,
  failure,
  makeHome,
  online,
  storeIn,
  WITHOUT_MODEL,
} from './support.ts';
import { startWire } from './wire.ts';

const FULL = 'The disk is full. Free some space and try again.';
/** Free space on the disk, in KiB. SQLite's log takes some for each change. */
const ROOMS = [0, 16];
const row = aPricedRow();

let disk: SmallDisk;
beforeEach(async () => {
  disk = await SmallDisk.mount(80);
  await disk.addShelf();
});
afterEach(() => disk.unmount());

/** An account in the store on the disk; null if there is none. */
function accountOf(name: string): { credits: number; revoked: string | null } | null {
  return inspect(
    disk.copyHome(),
    (db) =>
      db
        .prepare<[string], { credits: number; revoked: string | null }>(
          'SELECT credits, revoked FROM accounts LEFT JOIN keys ON account = name WHERE name = ?',
        )
        .get(name) ?? null,
  );
}

/** Runs a command with little space, then with more; each run must succeed or say that it did not. */
async function tellTruth(
  command: (kib: number) => readonly string[],
  isDone: (kib: number, ended: Finished) => boolean,
  env: Record<string, string> = {},
): Promise<void> {
  const refused: number[] = [];
  for (const kib of ROOMS) {
    disk.fill(kib);
    const ended = await disk.quantshelf(command(kib), env);
    disk.free();
    const said = ended.stdout + ended.stderr;
    expect({ kib, done: isDone(kib, ended), said }).toEqual({ kib, done: ended.code === 0, said });
    expect(disk.files().filter((name) => name.includes('.tmp'))).toEqual([]);
    if (ended.code === 0) continue;
    expect(ended.code, said).toBe(1);
    expect(said).toMatch(/disk is full.*free some space/is);
    refused.push(kib);
  }
  expect(refused, 'rooms that were too small').toContain(0);
  expectSound(disk.copyHome());
}

/** Starts a server, which keeps the store's files open: without that, few commands could start. */
async function serve(...args: string[]) {
  const serving = await serveForTest(disk.home, { launcher: disk.launcher, args });
  return { get: (path: string, key: string) => ask(serving.url, key, path) };
}

async function makeKey(name: string): Promise<string> {
  const { code, stdout } = await disk.quantshelf(['keys', 'create', name]);
  expect(code).toBe(0);
  return stdout.trim();
}

const events = Array.from({ length: 100 }, (_, at) => makeWireEvent({ id: 100 + at }));
/**
 * Syncs with the rows that they store, their number when all are stored, and the exit code then. Without a
 * model, papers and events still lack their vectors.
 */
const SYNCS = [
  ['papers', "paper WHERE source_id LIKE 'arxiv:2609.%'", 30, 1],
  ['macro', 'macro_series WHERE agency IS NOT NULL', 45, 0],
  ['markets', "market_event WHERE origin = 'live'", events.length, 1],
] as const;
const START = {
  papers: () => startArxiv({ records: makePapers(30) }),
  macro: () => startAgencies(bundledFigures()),
  markets: () => startPolymarket(events),
};

const FREE = '/api/macro/indicators?q=cpi';

describe.skipIf(!canMount)('on a full disk', () => {
  it('keys create succeeds only if it stores the key', async () => {
    await serve();
    await tellTruth(
      (kib) => ['keys', 'create', `k${kib}`],
      (kib) => accountOf(`k${kib}`) !== null,
    );
  });

  it('keys revoke either makes servers refuse the key at once, or says that the key still works', async () => {
    const { get } = await serve();
    for (const kib of ROOMS) {
      const key = await makeKey(`k${kib}`);
      disk.fill(kib);
      const ended = await disk.quantshelf(['keys', 'revoke', `k${kib}`]);
      disk.free();
      const { status } = await get(FREE, key);
      expect({ kib, status }).toEqual({ kib, status: ended.code === 0 ? 401 : 200 });
      if (ended.code !== 0) {
        expect(ended).toMatchObject({ code: 1, stdout: '' });
        expect(ended.stderr).toContain(`The disk is full, so the key of "k${kib}" still works.`);
      }
    }
  });

  it("keys revoke succeeds in the space that SQLite's log already has", async () => {
    const key = await makeKey('ada');
    const { get } = await serve();
    for (let turn = 0; turn < 20; turn += 1) expect((await get(FREE, key)).status).toBe(200);
    disk.fill();
    expect(await disk.quantshelf(['keys', 'revoke', 'ada'])).toMatchObject({ code: 0 });
    expect((await get(FREE, key)).status).toBe(401);
  });

  it.each(SYNCS)(
    'sync %s stores what it reports, and the rest once there is space',
    async (...row) => {
      const [area, rows, total, done] = row;
      const upstream = await START[area]();
      onTestFinished(() => upstream.close());
      const env = { ...online([upstream]), FRED_API_KEY: '' };
      await serve();
      let [told, stored] = [0, 0];
      for (const kib of [...ROOMS, 16_384]) {
        disk.fill(kib);
        const { code, stdout, stderr } = await disk.quantshelf(['sync', area, '--force'], env);
        disk.free();
        told += Number(/(\d+) (?:new|series with new)/.exec(stdout)?.[1] ?? 0);
        const count = `SELECT count(*) FROM ${rows}`;
        stored = inspect(disk.copyHome(), (db) => Number(db.prepare(count).pluck().get()));
        // An interrupted page may have stored some records that it did not count.
        expect(stored, stdout).toBeGreaterThanOrEqual(told);
        expect(code).toBe(stored === total ? done : 1);
        if (stored === total) break;
        expect(stdout + stderr).toMatch(/disk is full.*free some space/is);
      }
      expect(stored).toBe(total);
      expectSound(disk.copyHome());
    },
  );

  it('add either stores a paper or says that it did not', async () => {
    const file = join(makeHome(), 'paper.pdf');
    writeFileSync(file, await makePdf({ front: [{ text: 'On spreads', size: 16 }] }));
    await serve();
    const isStored = () =>
      inspect(disk.copyHome(), (db) => db.prepare('SELECT 1 FROM own_file').pluck().get()) === 1;
    await tellTruth(() => ['add', file], isStored, WITHOUT_MODEL);
  });

  it('backup writes either a whole copy or none', async () => {
    await serve();
    await tellTruth(
      (kib) => ['backup', join(disk.home, `saved${kib}.sqlite`)],
      (kib) => {
        const saved = join(disk.copyHome(), `saved${kib}.sqlite`);
        if (!existsSync(saved)) return false;
        const home = makeHome();
        renameSync(saved, storeIn(home));
        return books(home).granted === 100_000;
      },
    );
  });

  it('restore keeps the old store if it fails', async () => {
    const saved = join(disk.home, 'saved');
    await disk.quantshelf(['backup', saved]);
    await serve();
    await makeKey('later');
    await tellTruth(
      () => ['restore', saved],
      (_, { code }) => {
        expect(accountOf('later')).not.toBeNull();
        return code === 0;
      },
    );
  });

  it('export succeeds only if it writes the whole file, and leaves none otherwise', async () => {
    await serve();
    const whole = (await disk.quantshelf(['export', 'markets'])).stdout;
    await tellTruth(
      (kib) => ['export', 'markets', '--out', join(disk.home, `${kib}.csv`)],
      (kib, { code, stderr }) => {
        const file = join(disk.copyHome(), `${kib}.csv`);
        if (code !== 0) expect(stderr).toContain('. Nothing was written. Free some space');
        if (!existsSync(file)) return false;
        expect(readFileSync(file, 'utf8')).toBe(whole);
        return true;
      },
    );
  });

  it("init succeeds only if it writes a host's settings completely, and leaves none otherwise", async () => {
    await tellTruth(
      () => ['init', 'cursor', '--write'],
      () => {
        const file = join(disk.copyHome(), '.cursor', 'mcp.json');
        return existsSync(file) && 'mcpServers' in JSON.parse(readFileSync(file, 'utf8'));
      },
      { HOME: disk.home },
    );
  });

  it('paid calls over stdio and HTTP succeed only if they are charged', async () => {
    const key = await makeKey('ada');
    const wire = await startWire(disk.home, {}, disk.launcher);
    await wire.ask(row.name, row.example);
    const { get } = await serve();
    const paid = new Set<string>();
    let refused = 0;
    for (const kib of ROOMS) {
      disk.fill(kib);
      for (let turn = 0; turn < 10; turn += 1) {
        const overHttp = await get('/api/prediction_market/events?limit=1', key);
        const reply = envelope.parse(await overHttp.json());
        if ('data' in reply) paid.add(reply.meta.requestId);
        else {
          expect(overHttp.status).toBe(503);
          expect(failure.parse(reply).error).toMatchObject({
            code: 'service_unavailable',
            message: FULL,
          });
          refused += 1;
        }
        const overStdio = await wire.ask(row.name, row.example);
        if ('data' in overStdio) paid.add(overStdio.meta.requestId);
        else expect(overStdio.error.message).toBe(FULL);
      }
      // Free calls write nothing, so they succeed on any disk.
      expect(await wire.ask('macro_indicator_search', { q: 'cpi' })).toHaveProperty('data');
      disk.free();
    }
    expect(refused).toBeGreaterThan(5);
    await wire.finish();
    const home = disk.copyHome();
    const entered = [...books(home).paid, ...books(home, 'ada').paid];
    expect(entered).toEqual(expect.arrayContaining([...paid]));
    expect(books(home, 'ada').granted).toBe(10_000);
  });

  it('calls that cannot be counted are refused, so the rate limit holds', async () => {
    const key = await makeKey('ada');
    const { get } = await serve('--rate', '5');
    disk.fill();
    const replies = await Promise.all(Array.from({ length: 15 }, () => get(FREE, key)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(5);
    expect(statuses).toContain(503);
    const refused = replies.find(({ status }) => status === 503);
    expect(failure.parse(await refused?.json()).error).toMatchObject({
      code: 'service_unavailable',
      message: FULL,
    });
    disk.free();
    expect((await get(FREE, key)).status).toBe(200);
  });
});
