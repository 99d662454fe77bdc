import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLazyApp } from '../../../src/app/lazy-app.ts';
import { readConfig, storePath } from '../../../src/config.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { Database } from '../../../src/store/sqlite.ts';

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
