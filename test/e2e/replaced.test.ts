import { existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect, envelopeOf } from './hosts.ts';
import { ask, makeKey, serveForTest } from './serving.ts';
import { inspect } from './store.ts';
import { copyProgram, makeHome, quantshelf, storeIn } from './support.ts';
import { startWire } from './wire.ts';

/** The store file of a running server is replaced, removed or truncated. */

const SERIES = { indicator: 'us.unemployment_rate' };

/** Moves a backup into place, like an administrator who does not know `restore`. */
function replaceStore(home: string, saved: string): void {
  for (const end of ['-wal', '-shm']) rmSync(storeIn(home) + end, { force: true });
  renameSync(saved, storeIn(home));
}

const charges = (home: string) =>
  inspect(home, (db) => Number(db.prepare('SELECT count(*) FROM ledger').pluck().get()));

describe('a server on stdio', () => {
  const open = async () => {
    const home = makeHome();
    const host = await connect('current', home);
    const call = async () =>
      envelopeOf(await host.call('macro_indicator_history', SERIES)) as {
        data?: unknown;
        error?: { code: string; message: string };
        meta: { remainingCredits: number };
      };
    expect((await call()).data).toBeDefined();
    return { home, call };
  };
  const openAndBackUp = async () => {
    const { home, call } = await open();
    const before = (await call()).meta.remainingCredits;
    const saved = join(home, 'saved.sqlite');
    await quantshelf(['backup', saved], home);
    const inBackup = charges(home);
    await call();
    return { home, call, before, saved, inBackup };
  };

  it('survives the truncation of its store file', async () => {
    const { home, call } = await open();
    truncateSync(storeIn(home), statSync(storeIn(home)).size / 2);
    for (const _ of [1, 2]) {
      const { data, error } = await call();
      // The reply may come from SQLite's cache.
      if (data === undefined) expect(error?.code).toBe('service_unavailable');
    }
  });

  it('reports once that its store was replaced, then opens the new one', async () => {
    const { home, call, before, saved, inBackup } = await openAndBackUp();
    replaceStore(home, saved);
    expect((await call()).error?.message).toMatch(/was replaced or removed .*Call again/);
    expect(charges(home)).toBe(inBackup);
    expect((await call()).meta.remainingCredits).toBe(before - 1);
    expect(charges(home)).toBe(inBackup + 1);
  });

  it('replies to every call while its store is restored, and loses no charge', async () => {
    const { home, call, before, saved, inBackup } = await openAndBackUp();
    const calls = Promise.all(Array.from({ length: 20 }, call));
    const [restored, replies] = await Promise.all([quantshelf(['restore', saved], home), calls]);
    expect(restored.code).toBe(0);
    expect(replies.filter(({ data }) => data === undefined)).toEqual([]);
    const since = charges(home) - inBackup;
    expect((await call()).meta.remainingCredits).toBe(before - since - 1);
    const [kept = '', ...others] = readdirSync(home).filter((name) => /before-restore/.test(name));
    expect(others).toEqual([]);
    const former = makeHome();
    renameSync(join(home, kept), storeIn(former));
    expect(charges(former) + since).toBe(inBackup + 1 + 20);
  });

  it('fails one call after its store was removed, then starts over with the starter shelf', async () => {
    const { home, call } = await open();
    for (const end of ['', '-wal', '-shm']) rmSync(storeIn(home) + end, { force: true });
    expect((await call()).error?.code).toBe('service_unavailable');
    expect((await call()).data).toBeDefined();
    expect(existsSync(storeIn(home))).toBe(true);
    expect(charges(home)).toBe(1);
  });
});

it('a server on HTTP whose store was replaced refuses keys that the new store lacks, and charges the others', async () => {
  const home = makeHome();
  const old = await makeKey(home, 'ada');
  const saved = join(home, 'saved.sqlite');
  await quantshelf(['backup', saved], home);
  const later = await makeKey(home, 'grace');
  const { url } = await serveForTest(home);
  const path = `/api/macro/historical?${new URLSearchParams(SERIES)}`;
  const statusFor = async (key: string) => (await ask(url, key, path)).status;
  expect([await statusFor(old), await statusFor(later)]).toEqual([200, 200]);
  replaceStore(home, saved);
  expect(await statusFor(later)).toBe(503);
  expect(await statusFor(later)).toBe(401);
  expect(await statusFor(old)).toBe(200);
  expect(charges(home)).toBe(1);
});

it("calls, prompts and views fail with an error that names a remedy if the server's files vanish before its first call", async () => {
  const copy = makeHome();
  const wire = await startWire(makeHome(), {}, [], copyProgram(copy));
  rmSync(join(copy, 'dist'), { recursive: true });
  const message =
    "QuantShelf's files have changed or are missing. Restart it; if that does not help, install it again.";
  expect(await wire.ask('macro_indicator_search', {})).toMatchObject({
    error: { code: 'service_unavailable', message },
  });
  wire.send({ id: 2, method: 'prompts/get', params: { name: 'macro_briefing', arguments: {} } });
  wire.send({ id: 3, method: 'resources/read', params: { uri: 'ui://quantshelf/view.html' } });
  for (const id of [2, 3]) expect(await wire.response(id)).toMatchObject({ error: { message } });
  expect(wire.stderr).toMatch(/Cannot find module/);
});
