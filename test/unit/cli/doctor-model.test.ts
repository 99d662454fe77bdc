import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../../src/app/schema.ts';
import { examine } from '../../../src/cli/doctor.ts';
import { checkModel } from '../../../src/cli/doctor-model.ts';
import { readConfig, storePath } from '../../../src/config.ts';
import { MODEL_STAMP } from '../../../src/embedding/model.ts';
import { claimModel } from '../../../src/store/embedding-model.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { REAL_MODELS } from '../embedding/real-model.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'quantshelf-doctor-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

/** A store whose vectors came from `model`. */
function makeStore(model: string): void {
  const db = openForWriting(storePath(home));
  migrate(db, migrations, new Date('2026-11-22T12:00:00Z'));
  claimModel(db, model);
  db.close();
}

const check = (modelDir?: string) =>
  checkModel(readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_MODEL_DIR: modelDir }));

it('a shelf of another model has none, ours notwithstanding', async () => {
  makeStore('gone/model@q8/mean#0123456789ab');
  expect(await check(REAL_MODELS)).toMatchObject({
    ok: false,
    state: 'missing',
    detail: expect.stringContaining('gone/model@q8/mean'),
    fix: expect.stringContaining('quantshelf@latest'),
  });
});

it('offline, what would be downloaded needs the network first', async () => {
  const config = readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' });
  const { checks } = await examine(config);
  const { fix } = checks.find(({ name }) => name === 'model') ?? {};
  expect(fix).toMatch(/^Unset QUANTSHELF_OFFLINE first\. Download it/);
  expect((await check()).fix).toMatch(/^Download it/);
});

it.skipIf(REAL_MODELS === undefined)('a model that is here is ready', async () => {
  expect(await check(REAL_MODELS)).toMatchObject({ ok: true });
  makeStore(MODEL_STAMP);
  expect(await check(REAL_MODELS)).toMatchObject({ ok: true });
});
