import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../../../src/app/migrations.ts';
import { checkModel } from '../../../../src/cli/doctor/model.ts';
import { examine } from '../../../../src/cli/doctor/run.ts';
import { readConfig, storePath } from '../../../../src/config.ts';
import { modelDirectory, modelsRoot } from '../../../../src/embedding/files.ts';
import { MODEL, MODEL_STAMP, modelStamp } from '../../../../src/embedding/model.ts';
import { listModels } from '../../../../src/embedding/records.ts';
import { beginModelChange, claimModel } from '../../../../src/store/embedding-model.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForWriting } from '../../../../src/store/open.ts';
import { REAL_MODELS } from '../../embedding/real-model.ts';

const USE_OURS = `quantshelf model --use ${MODEL.id}`;
const ADDED = 'added/one';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'quantshelf-doctor-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

/** A store whose vectors came from `model`; `isChanging`: not all of them are there. */
function makeStore(model: string, isChanging = false): void {
  const db = openForWriting(storePath(home));
  migrate(db, migrations, new Date('2026-11-22T12:00:00Z'));
  if (isChanging) beginModelChange(db, model);
  else claimModel(db, model);
  db.close();
}

/** Puts the record of a model without its files into the home; returns the model's stamp. */
async function addRecord(): Promise<string> {
  const { id: _, npm: __, ...record } = MODEL;
  const directory = modelDirectory(modelsRoot(home), { id: ADDED });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'quantshelf.json'), JSON.stringify(record));
  const { models } = await listModels({ home, modelDir: undefined });
  const model = models.find(({ id }) => id === ADDED);
  if (model === undefined) throw new Error('the record cannot be read');
  return modelStamp(model);
}

const check = (modelDir?: string) =>
  checkModel(readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_MODEL_DIR: modelDir }));

it('a shelf of a model that nobody here knows has none, ours notwithstanding', async () => {
  makeStore('gone/model@q8/mean#0123456789ab');
  expect(await check(REAL_MODELS)).toMatchObject({
    ok: false,
    state: 'missing',
    detail: expect.stringContaining('gone/model@q8/mean'),
    fix: expect.stringContaining(USE_OURS),
  });
});

it('a model that the user added is named where its files are gone, and is no download', async () => {
  makeStore(await addRecord());
  const { ok, detail, fix } = await check();
  expect({ ok, detail }).toEqual({
    ok: false,
    detail: "added/one, the shelf's model, is not on this machine",
  });
  expect(fix).toContain(USE_OURS);
  expect(fix).not.toContain('Download');
});

it('offline, what would be downloaded needs the network first', async () => {
  const config = readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' });
  const { checks } = await examine(config);
  const { fix } = checks.find(({ name }) => name === 'model') ?? {};
  expect(fix).toMatch(/^Unset QUANTSHELF_OFFLINE first\. Download it/);
  expect((await check()).fix).toMatch(/^Download it/);
});

it('an unfinished change is told with the command that goes on, and what else is missing', async () => {
  makeStore(MODEL_STAMP, true);
  expect(await check()).toMatchObject({
    ok: false,
    state: 'missing',
    detail: `the shelf is being embedded with ${MODEL.id}, so search is lexical only; not on this machine`,
    fix: expect.stringMatching(new RegExp(`^Download.*\`${USE_OURS}\` goes on`)),
  });
});

it.skipIf(REAL_MODELS === undefined)(
  'a model that is here is ready, unless the shelf is changing to it',
  async () => {
    expect(await check(REAL_MODELS)).toMatchObject({ ok: true });
    makeStore(MODEL_STAMP);
    expect(await check(REAL_MODELS)).toMatchObject({ ok: true });
    makeStore(MODEL_STAMP, true);
    expect(await check(REAL_MODELS)).toMatchObject({
      ok: false,
      state: 'missing',
      fix: expect.stringContaining(`\`${USE_OURS}\` finish`),
    });
  },
);
