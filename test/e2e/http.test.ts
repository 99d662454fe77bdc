import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { LONG_PAGE } from '../stand-ins/arxiv-pages.ts';
import { LICENSES, makePaper } from '../stand-ins/arxiv-papers.ts';
import { makeHold } from '../stand-ins/faults.ts';
import { AMPLE_CREDITS, ask, makeKey, type Serving, serveForTest } from './serving.ts';
import { books, edit } from './store.ts';
import { envelope, makeHome, online, quantshelf, storeIn } from './support.ts';

const HISTORY = '/api/macro/historical?indicator=us.nonfarm_payrolls&limit=3';
const CATALOGUE = '/api/macro/indicators?limit=1';

async function read(response: Response) {
  return envelope.parse(await response.json());
}

describe('a server on HTTP', () => {
  const home = makeHome();

  it('listens on the given IPv4 or IPv6 address, and exits with 0 even if nobody reads its log', async () => {
    for (const [host, url] of [
      ['127.0.0.1', /^http:\/\/127\.0\.0\.1:[1-9]\d+$/],
      ['::1', /^http:\/\/\[::1\]:\d+$/],
    ] as const) {
      const serving = await serveForTest(home, { args: ['--host', host] });
      expect(serving.url).toMatch(url);
      serving.stopListening();
      for (let call = 0; call < 5; call += 1) {
        expect(await (await fetch(`${serving.url}/health`)).json()).toMatchObject({ status: 'ok' });
      }
      expect(await serving.stop()).toBe(0);
      await expect(fetch(`${serving.url}/health`)).rejects.toThrow();
    }
  });

  it('immediately sees the credits, revocations and series that other processes write', async () => {
    const key = await makeKey(home, 'poor', '--credits', '0');
    const serving = await serveForTest(home);
    expect((await ask(serving.url, key, HISTORY)).status).toBe(402);
    expect((await ask(serving.url, key, CATALOGUE)).status).toBe(200);
    expect((await quantshelf(['keys', 'grant', 'poor', '2'], home)).code).toBe(0);
    const replies = [];
    for (const title of ['Before', 'After']) {
      edit(storeIn(home), `UPDATE macro_series SET title = '${title}' WHERE series_id = 'PAYEMS'`);
      replies.push(await read(await ask(serving.url, key, HISTORY)));
    }
    expect(replies).toMatchObject([
      { data: { title: 'Before' }, meta: { remainingCredits: 1 } },
      { data: { title: 'After' }, meta: { remainingCredits: 0 } },
    ]);
    expect((await quantshelf(['keys', 'revoke', 'poor'], home)).code).toBe(0);
    expect((await ask(serving.url, key, CATALOGUE)).status).toBe(401);
  });
});

describe('a server that is told to stop', () => {
  it('loses no paid reply under load', async () => {
    const home = makeHome();
    const key = await makeKey(home, 'busy', '--credits', AMPLE_CREDITS);
    const serving = await serveForTest(home);
    const results: (string | number)[] = [];
    const load = Array.from({ length: 16 }, async () => {
      for (;;) {
        const response = await ask(serving.url, key, HISTORY).catch(() => undefined);
        if (response === undefined) return;
        const reply = await read(response);
        results.push('data' in reply ? reply.meta.requestId : response.status);
      }
    });
    while (results.length < 50) await delay(1);
    expect(await serving.stop()).toBe(0);
    await Promise.all(load);
    const paidIds = results.filter((each) => typeof each === 'string');
    expect(results.filter((each) => typeof each === 'number' && each !== 503)).toEqual([]);
    expect(books(home, 'busy').paid).toEqual(paidIds.sort());
  });

  it('does not wait for idle connections or half-sent bodies', async () => {
    const home = makeHome();
    const key = await makeKey(home, 'ada');
    const serving = await serveForTest(home);
    const requests = [
      'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      `POST /api/paper/search HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query":',
    ];
    for (const request of requests) {
      const socket = connect(Number(new URL(serving.url).port), '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      socket.pause().write(request);
    }
    await delay(300);
    expect(await serving.stop()).toBe(0);
    expect(serving.said()).not.toMatch(/ POST \/api\/paper\/search 500 /);
  });

  it.each([
    ['a SIGTERM', ['SIGTERM']],
    ['two SIGHUPs', ['SIGHUP', 'SIGHUP']],
  ] as const)(
    'by %s finishes a call that waits for an upstream, and is unavailable meanwhile',
    async (_, signals) => {
      const { serving, readOn, webPaths, hold } = await startReader();
      const release = hold();
      const running = readOn(serving);
      await expect.poll(() => webPaths().length).toBe(1);
      const ended = serving.stop(signals);
      await expect.poll(async () => (await fetch(`${serving.url}/health`)).status).toBe(503);
      release();
      const reply = await read(await running);
      expect(reply).toHaveProperty('data');
      expect(await ended).toBe(0);
    },
  );
});

/** A server whose `paper_read` of one paper queries a stand-in for arXiv. */
async function startReader() {
  const paper = makePaper({ id: '2504.09380', license: LICENSES.arxiv, html: LONG_PAGE });
  const arxiv = await startArxiv({ records: [paper] });
  onTestFinished(() => arxiv.close());
  const home = makeHome();
  const key = await makeKey(home, 'reader');
  const serving = await serveForTest(home, { env: online([arxiv]) });
  const body = JSON.stringify({ paperCardId: paper.id });
  const readOn = (server: Serving) =>
    ask(server.url, key, '/api/paper/read', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
  return {
    home,
    serving,
    readOn,
    webPaths: () => arxiv.requests.filter(({ path }) => path.startsWith('/html')),
    /** Holds back the page until released. */
    hold() {
      const { fault, release } = makeHold();
      arxiv.fault('/html', [fault]);
      return release;
    },
  };
}

it('a server beyond loopback withholds a full text whose licence does not permit sharing', async () => {
  const { home, serving, readOn } = await startReader();
  const textOn = async (server: Serving) => {
    const { data, meta } = Object(await (await readOn(server)).json());
    return { text: JSON.stringify(data.sections), notice: meta.notice };
  };
  expect((await textOn(serving)).text).toContain('Wider spreads');
  const open = await serveForTest(home, { args: ['--host', '0.0.0.0'] });
  const local = { ...open, url: open.url.replace('0.0.0.0', '127.0.0.1') };
  const served = await textOn(local);
  expect(served.text).not.toContain('Wider spreads');
  expect(served.notice).toMatch(/licen[cs]e/);
  // A name beyond loopback implies a proxy, with other users behind it.
  const proxied = await serveForTest(home, { args: ['--allow-host', 'shelf.example'] });
  expect((await textOn(proxied)).text).not.toContain('Wider spreads');
});
