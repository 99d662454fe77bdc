import { createServer } from 'node:http';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Deaf, startDeaf } from '../stand-ins/deaf.ts';
import { TEST_KEY } from '../stand-ins/fred.ts';
import { end, listen } from '../stand-ins/upstream.ts';
import { edit } from './store.ts';
import { type Env, makeHome, NO_DOWNLOAD, quantshelf, storeIn } from './support.ts';
import { startWire, type Wire } from './wire.ts';

/** Papers of the starter shelf. */
const FIRST = '2504.09380';
const SECOND = '2504.14765';

let home: string;
beforeEach(() => {
  home = makeHome();
});

/** Addresses for arXiv's four services, on as many hosts as there are URLs. */
function arxivAt(urls: readonly string[]): Env {
  const at = (index: number) => urls[index % urls.length] ?? '';
  return {
    ...NO_DOWNLOAD,
    QUANTSHELF_OFFLINE: '0',
    QUANTSHELF_ARXIV_OAI_URL: `${at(0)}/oai`,
    QUANTSHELF_ARXIV_WEB_URL: at(2),
    QUANTSHELF_AR5IV_URL: `${at(3)}/ar5iv`,
  };
}

/** Starts ports that drop packets until the test ends. */
async function deafForTest(count: number): Promise<Deaf> {
  const deaf = await startDeaf(count);
  onTestFinished(() => deaf.close());
  return deaf;
}

/** An address that refuses connections: nothing listens there any more. */
async function findRefusing(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await end(server);
  return url;
}

/** One read by a running server. */
async function readFrom(wire: Wire, paper: string, sections = ['all']) {
  return Object(await wire.ask('paper_read', { paperCardId: `arxiv:${paper}`, sections }));
}

async function startServer(env: Env): Promise<Wire> {
  const wire = await startWire(home, env);
  // Install the shelf before the first read.
  await wire.ask('macro_indicator_search', { q: 'unemployment' });
  return wire;
}

/** One read by a separate process. */
async function readOnce(env: Env, paper: string) {
  const args = ['call', 'paper_read', JSON.stringify({ paperCardId: `arxiv:${paper}` })];
  const { code, stdout } = await quantshelf(args, home, env);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

function expectStoredOnly(reply: object): void {
  const { data, meta } = Object(reply);
  expect(JSON.stringify(data.sections)).toContain('"section_key":"abstract"');
  expect(JSON.stringify(data.sections)).not.toContain('"section_key":"references"');
  expect(meta.notice).toContain('arXiv could not be reached');
  expect(meta.notice).not.toMatch(/background|being fetched|OFFLINE|longer than/);
}

it('reads by any process give up early if packets to arXiv are dropped', async () => {
  const env = arxivAt((await deafForTest(4)).urls);
  const wire = await startServer(env);
  // A call that waited for the maximum time would have another notice.
  expectStoredOnly(await readFrom(wire, FIRST));
  expectStoredOnly(await readFrom(wire, SECOND));
  expectStoredOnly(await readFrom(wire, SECOND, ['abstract']));
  expectStoredOnly(await readOnce(env, SECOND));
});

it('no process tries an unreachable host again within a minute, but the next one does afterwards', async () => {
  const url = await findRefusing();
  const env = { ...arxivAt([url]), QUANTSHELF_PACE_MS: '5' };
  expectStoredOnly(await readOnce(env, FIRST));
  let requestCount = 0;
  const server = createServer((_, response) => {
    requestCount += 1;
    response.writeHead(404).end();
  });
  await listen(server, Number(new URL(url).port));
  onTestFinished(() => end(server));
  expectStoredOnly(await readOnce(env, SECOND));
  expect(requestCount).toBe(0);
  edit(storeIn(home), 'UPDATE host_reachability SET failed_at = failed_at - 60000');
  edit(storeIn(home), 'UPDATE paper_text SET retry_at = NULL');
  expect((await readOnce(env, SECOND)).meta.notice).not.toContain('reached');
  expect(requestCount).toBeGreaterThan(0);
});

it('a sync of all areas fails if packets are dropped, and says what to check', async () => {
  const { urls } = await deafForTest(10);
  const others = ['HUB', 'NPM', 'FRED', 'POLYMARKET', 'BLS', 'TREASURY', 'NYFED'];
  const env = {
    ...arxivAt(urls.slice(others.length)),
    ...Object.fromEntries(others.map((name, at) => [`QUANTSHELF_${name}_URL`, urls[at] ?? ''])),
    FRED_API_KEY: TEST_KEY,
  };
  const { code, stderr, stdout } = await quantshelf(['sync', '--json'], home, env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/No upstream can be reached.*Check the network/);
  expect(stderr.match(/Check the network/g)).toHaveLength(1);
  expect(stderr).not.toMatch(/next try|Retrying/);
  const failed = { error: expect.stringContaining('could not be reached') };
  expect(JSON.parse(stdout)).toMatchObject({ papers: failed, macro: failed, markets: failed });
});
