import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLazyApp } from '../../../src/app/lazy-app.ts';
import { readConfig, storePath } from '../../../src/config.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { Database } from '../../../src/store/sqlite.ts';

const refreshers = vi.hoisted(() => ({ areFaulty: false }));
vi.mock('../../../src/app/refreshers.ts', async (load) => {
  const { createRefreshers } = await load<typeof import('../../../src/app/refreshers.ts')>();
  return {
    createRefreshers(...options: Parameters<typeof createRefreshers>) {
      const usual = createRefreshers(...options);
      const close = async () => {
        await usual.close();
        if (refreshers.areFaulty) throw new Error('not closed');
      };
      return { ...usual, close };
    },
  };
});

/** An app on an empty home, whose starter store can be put in place later. */
function place() {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-app-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const starterPath = join(home, 'starter.sqlite');
  const config = readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' });
  const app = createLazyApp(config, { mode: 'server', starterPath, log: () => {} });
  onTestFinished(() => app.close());
  return {
    home,
    app,
    putStarter: () => void new Database(starterPath).exec('PRAGMA user_version = 1').close(),
  };
}

it('opens nothing before it is asked, also when it is closed', async () => {
  const { home, app } = place();
  await app.close();
  expect(existsSync(storePath(home))).toBe(false);
});

it('opens once for all who ask', async () => {
  const { app, putStarter } = place();
  putStarter();
  const [one, other] = await Promise.all([app.open(), app.open()]);
  expect(one).toBe(other);
  expect(await one.context.freshenSeries('UNRATE', new AbortController().signal)).toBe('offline');
});

it('tries again after it could not be opened', async () => {
  const { app, putStarter } = place();
  await expect(app.open()).rejects.toThrow(ServiceError);
  putStarter();
  expect((await app.open()).account.name).toBe('local');
});

it('closes both connections', async () => {
  const { app, putStarter } = place();
  putStarter();
  const { db, writer } = await app.open();
  await app.close();
  expect([db.open, writer.open]).toEqual([false, false]);
});

it('closes the store also when something else cannot be closed, and then says so', async () => {
  const { app, putStarter } = place();
  putStarter();
  const { db, writer } = await app.open();
  refreshers.areFaulty = true;
  await expect(app.close()).rejects.toThrow('not closed');
  refreshers.areFaulty = false;
  expect([db.open, writer.open]).toEqual([false, false]);
});
