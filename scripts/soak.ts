import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { operations } from '../src/operations.ts';
import { quantile } from './bench/figures.ts';
import { makeKey, startServe, startStdio } from './load/servers.ts';

/**
 * `npm run soak [-- --minutes 10]`: mixed calls to the build in dist/ over HTTP and over stdio, both on
 * one store, without the network. Prints calls, errors, times, and memory: all samples, and the slope
 * over the last two thirds of the time. Exits with 1 for a failed call, or when memory grows by more than
 * a tenth in that time. A run of less than five minutes shows warm-up, so its memory is not judged.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes is not a number');
const CLIENTS = 4;
const SAMPLES = 60;
const MAX_GROWTH = 0.1;
/** V8 grows its heap for some three minutes of these calls. */
const LEAST_JUDGED_MIN = 5;

const calls = operations.map(({ name, example }) => ({ name, example }));
const home = mkdtempSync(join(tmpdir(), 'quantshelf-soak-'));
const key = makeKey(home, 'soak', 1_000_000_000);
const doors = {
  HTTP: await startServe(home),
  stdio: await startStdio(home),
};
const end = Date.now() + minutes * 60_000;
const times: number[] = [];
const failures = new Map<string, number>();
const samples: { at: number; http: number; stdio: number }[] = [];

const timer = setInterval(
  () => samples.push({ at: Date.now(), http: doors.HTTP.memory(), stdio: doors.stdio.memory() }),
  (minutes * 60_000) / SAMPLES,
);
await Promise.all(
  Array.from({ length: CLIENTS }, (_, client) => [callHttp(client), callStdio(client)]).flat(),
);
clearInterval(timer);
await Promise.all([doors.HTTP.stop(), doors.stdio.stop()]);
rmSync(home, { recursive: true, force: true });

const steady = samples.filter((_, index) => index >= samples.length / 3);
const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
const lines = [
  `${minutes} min, Node ${process.versions.node}: ${times.length} calls, ${failed} failed`,
  `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
  ...[...failures].map(([reason, count]) => `  ${count} times ${reason}`),
];
for (const door of ['http', 'stdio'] as const) {
  const own = steady.map(({ at, [door]: megabytes }) => ({ at, megabytes }));
  const [perMinute, mean] = [
    slope(own),
    own.reduce((sum, each) => sum + each.megabytes, 0) / own.length,
  ];
  const growth = (perMinute * minutes * (2 / 3)) / mean;
  lines.push(
    `${door}: ${mean.toFixed(0)} MB on average, ${perMinute.toFixed(2)} MB a minute (${(growth * 100).toFixed(1)} % in ${((minutes * 2) / 3).toFixed(1)} min)`,
  );
  lines.push(`  ${samples.map((each) => each[door].toFixed(0)).join(' ')}`);
  if (minutes >= LEAST_JUDGED_MIN && growth > MAX_GROWTH) process.exitCode = 1;
}
process.stdout.write(`${lines.join('\n')}\n`);
if (failed > 0) process.exitCode = 1;

async function callHttp(client: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  for (let turn = client; Date.now() < end; turn += 1) {
    const { name, example } = calls[turn % calls.length] ?? {};
    const params = { name, arguments: example };
    const body = JSON.stringify({ jsonrpc: '2.0', id: turn, method: 'tools/call', params });
    await timed('HTTP', async () => {
      const response = await fetch(`${doors.HTTP.url}/mcp`, { method: 'POST', headers, body });
      return response.text();
    });
  }
}

async function callStdio(client: number): Promise<void> {
  for (let turn = client; Date.now() < end; turn += 1) {
    const { name, example } = calls[turn % calls.length] ?? {};
    await timed('stdio', () => doors.stdio.request('tools/call', { name, arguments: example }));
  }
}

async function timed(door: string, call: () => Promise<string>): Promise<void> {
  const from = performance.now();
  const fail = (reason: string) => {
    const told = `${door}: ${reason.slice(0, 200)}`;
    failures.set(told, (failures.get(told) ?? 0) + 1);
  };
  try {
    const answer = await call();
    if (!answer.includes('"creditsUsed"') || answer.includes('"isError":true')) fail(answer);
  } catch (error) {
    fail(String(error));
  }
  times.push(performance.now() - from);
}

/** Of the line of least squares, in MB a minute. */
function slope(points: readonly { at: number; megabytes: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [x, y] = [mean(points.map(({ at }) => at)), mean(points.map((each) => each.megabytes))];
  const spread = points.reduce((sum, { at }) => sum + (at - x) ** 2, 0);
  const common = points.reduce((sum, { at, megabytes }) => sum + (at - x) * (megabytes - y), 0);
  return spread === 0 ? 0 : (common / spread) * 60_000;
}
