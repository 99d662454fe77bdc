import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { insertPapers } from '../../../scripts/starter/insert-papers.ts';
import { readStarterPapers, toPaper } from '../../../scripts/starter/papers.ts';
import { createRefreshers } from '../../../src/app/app.ts';
import { migrations } from '../../../src/app/store.ts';
import { cardIdOf } from '../../../src/areas/papers/arxiv/ids.ts';
import { readConfig } from '../../../src/config.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { listen, sourcesAt } from '../../stand-ins/upstream.ts';
import { temporaryDirectory } from '../../temporary.ts';

const PAPERS = readStarterPapers('data/starter/papers')
  .slice(0, 1)
  .map((paper) =>
    toPaper(paper, '2026-05-11T12:44:29.000Z', () => new Float32Array(384).fill(384 ** -0.5)),
  );
const { signal } = new AbortController();
const KEY = '0123456789abcdefghijklmnopqrstuv';

/** Refreshers on a store that holds one paper; every upstream counts its requests and fails. */
async function place(mode: 'server' | 'one-shot', env: Record<string, string>) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(500).end();
  });
  const url = await listen(server);
  const home = temporaryDirectory();
  const db = openForWriting(join(home, 'store.sqlite'));
  migrate(db, migrations, new Date());
  insertPapers(db, PAPERS);
  const config = readConfig({
    ...sourcesAt(url),
    QUANTSHELF_HOME: home,
    QUANTSHELF_PACE_MS: '1',
    ...env,
  });
  const options = { config, mode, db, now: () => new Date(), log: () => {} };
  const refreshers = createRefreshers({ ...options, embedLater: () => {} });
  onTestFinished(async () => {
    await refreshers.close();
    db.close();
    server.close();
  });
  return { refreshers, requests };
}

it.each(['server', 'one-shot'] as const)('a %s process sends no request offline', async (mode) => {
  const env = { QUANTSHELF_OFFLINE: '1', FRED_API_KEY: KEY };
  const { refreshers, requests } = await place(mode, env);
  expect(await refreshers.freshenPaper('any', true, () => {}, signal)).toBe('offline');
  expect(await refreshers.freshenSeries('UNRATE', signal)).toBe('offline');
  expect(refreshers.refreshMarkets([])).toBe('offline');
  expect(await refreshers.freshenEvent(1, signal)).toBe('offline');
  expect(requests).toEqual([]);
});

it.each([
  ['', 'no_key'],
  ['NONSENSE', 'bad_key'],
  [KEY, 'settled'],
])(
  'with the FRED key "%s", the refresh of an unknown series sends no request and returns "%s"',
  async (key, result) => {
    const { refreshers, requests } = await place('server', { FRED_API_KEY: key });
    expect(await refreshers.freshenSeries('NO_SUCH_SERIES', signal)).toBe(result);
    expect(requests).toEqual([]);
  },
);

it('a one-shot process waits for a text that a server would fetch in the background, and refreshes no markets', async () => {
  const cardId = cardIdOf(PAPERS[0]?.sourceId ?? '');
  const server = await place('server', {});
  expect(await server.refreshers.freshenPaper(cardId, false, () => {}, signal)).toBe('pending');
  const oneShot = await place('one-shot', {});
  expect(await oneShot.refreshers.freshenPaper(cardId, false, () => {}, signal)).toBe('settled');
  expect(oneShot.requests).not.toEqual([]);
  expect(oneShot.refreshers.refreshMarkets([])).toBeNull();
});
