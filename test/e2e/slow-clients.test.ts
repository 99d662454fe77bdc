import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { makeKey, type Serving, serveForTest } from './serving.ts';
import { inspect } from './store.ts';
import { makeHome } from './support.ts';

const MOST_MB = 300;
/** The longest answer on the starter shelf. */
const HISTORY = '/api/macro/historical?series_id=DGS10&start_date=1900-01-01&end_date=2030-01-01';

function requestOf(key: string, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** A connection on which nothing is read before `socket.resume()`. */
function connectLazily({ url }: Serving): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket.pause();
}

function residentMb({ pid }: Serving): number {
  const [, kb = ''] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

function chargesOf(home: string): number {
  return inspect(
    home,
    (db) => db.prepare<[], number>('SELECT count(*) FROM ledger').pluck().get() ?? 0,
  );
}

it.runIf(process.platform === 'linux')(
  'answers that 150 connections do not read take little memory, and make calls fail until they are cut off',
  async () => {
    const home = makeHome();
    const key = await makeKey(home, 'ada', '--credits', '100000');
    const args = ['--rate', '100000', '--max-connections', '200'];
    const serving = await serveForTest(home, { args });
    for (let opened = 0; opened < 150; opened += 1) {
      connectLazily(serving).write(requestOf(key, HISTORY));
    }
    // About sixteen of these, one after the other, reach the limit for unread answers.
    await expect.poll(() => chargesOf(home), { timeout: 60_000 }).toBeGreaterThan(10);
    expect((await fetch(`${serving.url}/health`)).status).toBe(200);
    const headers = { Authorization: `Bearer ${key}` };
    const call = () => fetch(`${serving.url}/api/macro/indicators?limit=1`, { headers });
    await expect.poll(async () => (await call()).status, { timeout: 60_000 }).toBe(200);
    expect(residentMb(serving)).toBeLessThan(MOST_MB);
  },
);

it('on SIGTERM, a server does not wait for idle connections or half-sent bodies', async () => {
  const home = makeHome();
  const key = await makeKey(home, 'ada');
  const serving = await serveForTest(home);
  const idle = connectLazily(serving);
  idle.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const half = connectLazily(serving);
  half.write(
    `POST /api/paper/search HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query":',
  );
  await delay(300);
  expect(await serving.stop()).toBe(0);
  expect(serving.said()).not.toMatch(/ POST \/api\/paper\/search 500 /);
});

it('1,000 idle connections without a key cost 200 clients with keys no call', async () => {
  const home = makeHome();
  const keys = [await makeKey(home, 'ada'), await makeKey(home, 'bob')];
  const serving = await serveForTest(home);
  const idle = Array.from({ length: 1_000 }, () => connectLazily(serving));
  await expect
    .poll(() => idle.every(({ connecting }) => !connecting), { timeout: 30_000 })
    .toBe(true);
  const client = async (_: unknown, index: number) => {
    const headers = { Authorization: `Bearer ${keys[index % keys.length]}` };
    const statuses: number[] = [];
    for (let made = 0; made < 3; made += 1) {
      const response = await fetch(`${serving.url}/api/macro/indicators?limit=1`, { headers });
      await response.text();
      statuses.push(response.status);
    }
    return statuses;
  };
  const statuses = (await Promise.all(Array.from({ length: 200 }, client))).flat();
  expect(statuses).toEqual(Array.from({ length: 600 }, () => 200));
});
