import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { checkUpstreams } from '../../../src/cli/doctor.ts';
import { readConfig } from '../../../src/config.ts';

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

it('behind a proxy that does not answer, something is broken', async () => {
  const env = { ...SOURCES_AWAY, HTTP_PROXY: 'http://127.0.0.1:9' };
  expect(await stateWith(env, false)).toBe('fault');
});
