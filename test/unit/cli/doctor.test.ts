import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../../src/app/schema.ts';
import { beginPull } from '../../../src/areas/markets/pull-ingest.ts';
import { checkUpstreams } from '../../../src/cli/doctor.ts';
import { readConfig, storePath } from '../../../src/config.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';

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

it('a hub out of reach is missed only where the model is', async () => {
  const here = await listen();
  const env = Object.fromEntries(Object.keys(SOURCES_AWAY).map((name) => [name, here]));
  expect(await stateWith(env, true)).toBe('ok');
  expect(await stateWith(env, false)).toBe('fault');
});

it('Kalshi is among the upstreams once it is on for the store', async () => {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-doctor-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const here = await listen();
  const sources = Object.fromEntries(Object.keys(SOURCES_AWAY).map((name) => [name, here]));
  const env = { ...sources, QUANTSHELF_HOME: home, QUANTSHELF_KALSHI_URL: AWAY };
  const detail = async () => (await checkUpstreams(readConfig(env), true)).detail;
  const db = openForWriting(storePath(home));
  migrate(db, migrations, new Date('2026-11-22T12:00:00Z'));
  expect(await detail()).not.toContain(new URL(AWAY).host);
  beginPull(db, { source: 'kalshi', scope: 'full' }, new Date('2026-11-22T12:00:00Z'));
  db.close();
  expect(await detail()).toContain(new URL(AWAY).host);
});

it('behind a proxy that does not answer, something is broken', async () => {
  const env = { ...SOURCES_AWAY, HTTP_PROXY: 'http://127.0.0.1:9' };
  expect(await stateWith(env, false)).toBe('fault');
});
