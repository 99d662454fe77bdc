import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../../src/app/schema.ts';
import { beginPull } from '../../../src/areas/markets/pull-ingest.ts';
import { checkModel, checkUpstreams, examine } from '../../../src/cli/doctor.ts';
import { readConfig, storePath } from '../../../src/config.ts';
import { MODEL_STAMP } from '../../../src/embedding/pinned.ts';
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

const AWAY = 'http://127.0.0.1:9';
/** Every source: nothing listens there. */
const SOURCES_AWAY = Object.fromEntries(
  [
    ...['ARXIV_OAI', 'ARXIV_WEB', 'AR5IV', 'FRED', 'POLYMARKET', 'BLS', 'TREASURY'],
    ...['NYFED', 'FEDBOARD', 'BEA', 'CENSUS', 'FHFA'],
  ].map((name) => [`QUANTSHELF_${name}_URL`, AWAY]),
);

async function listen(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

const stateWith = async (env: Record<string, string>, hasModel: boolean) =>
  (await checkUpstreams(readConfig({ QUANTSHELF_HUB_URL: AWAY, ...env }), hasModel)).state;

it.each([true, false])(
  'without a source in reach nothing is broken, though a registry nearby answers (model: %s)',
  async (hasModel) => {
    const env = { ...SOURCES_AWAY, QUANTSHELF_NPM_URL: await listen() };
    expect(await stateWith(env, hasModel)).toBe('missing');
  },
);

it('a source out of reach beside one that answers is a fault', async () => {
  const env = { ...SOURCES_AWAY, QUANTSHELF_BLS_URL: await listen() };
  expect(await stateWith(env, true)).toBe('fault');
});

it('Kalshi is among the upstreams once it is on for the store', async () => {
  const here = await listen();
  const sources = Object.fromEntries(Object.keys(SOURCES_AWAY).map((name) => [name, here]));
  const env = { ...sources, QUANTSHELF_HOME: home, QUANTSHELF_KALSHI_URL: AWAY };
  const state = () => checkUpstreams(readConfig(env), true);
  makeStore(MODEL_STAMP);
  expect((await state()).detail).not.toContain(new URL(AWAY).host);
  const db = openForWriting(storePath(home));
  beginPull(db, { source: 'kalshi', scope: 'full' }, new Date());
  db.close();
  expect((await state()).detail).toContain(new URL(AWAY).host);
});

it('behind a proxy that does not answer, something is broken', async () => {
  const env = { ...SOURCES_AWAY, HTTP_PROXY: 'http://127.0.0.1:9' };
  expect(await stateWith(env, false)).toBe('fault');
});
