import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKeyFinder } from '../../src/accounts/keys.ts';
import { createRateLimiter } from '../../src/accounts/rate.ts';
import { openApp } from '../../src/app/app.ts';
import { readConfig, storePath } from '../../src/config.ts';
import type { Operation } from '../../src/core/operation.ts';
import { readShelf } from '../../src/core/read.ts';
import { run } from '../../src/core/run.ts';
import { createHttpDoor } from '../../src/doors/http/app.ts';
import { createHostGuard } from '../../src/doors/http/guard.ts';
import { beside, operations } from '../../src/operations.ts';
import { openForWriting } from '../../src/store/open.ts';
import { quantile } from '../bench/figures.ts';
import { CALLS, type Row, recordAnswers } from './measure.ts';
import { makeKey, startBare, startServe } from './servers.ts';

const STARTER = fileURLToPath(new URL('../../dist/starter.sqlite', import.meta.url));
const TARGET_MS = 0.3;
const BLOCK = 50;

/**
 * The cost of a call by `run`, by the HTTP door without a socket, and over one connection, after `warm`
 * calls of each.
 */
export async function measureOverhead(home: string, calls: number, warm = 1_000): Promise<Row[]> {
  const size = Math.min(BLOCK, calls);
  // Separate stores, because charges by one process invalidate the cache of the other.
  const [here, there] = [join(home, 'here'), join(home, 'there')];
  const inside = await openInside(here, makeKey(here, 'overhead', 100_000_000));
  const key = makeKey(there, 'overhead', 100_000_000);
  const ours = await startServe(there);
  const bare = await startBare(there, await recordAnswers(ours.url, key));
  const rows: Row[] = [];
  for (const [what, path] of Object.entries(CALLS)) {
    // A new agent, because the server may just be closing the idle connection of the last path.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ways: Record<string, () => Promise<void>> = {
      run: () => inside.run(path),
      door: () => inside.fetch(path),
      bare: () => get(bare.url + path, key, agent),
      ours: () => get(ours.url + path, key, agent),
    };
    const spent: Record<string, number[]> = { run: [], door: [], bare: [], ours: [] };
    // Alternating, so that a slower machine affects all.
    for (let block = -Math.ceil(warm / size); block < calls / size; block += 1) {
      for (const [name, way] of Object.entries(ways)) {
        for (let call = 0; call < size; call += 1) {
          const begun = performance.now();
          await way();
          if (block >= 0) spent[name]?.push(performance.now() - begun);
        }
      }
    }
    agent.destroy();
    const p50 = (name: string) => quantile(spent[name] ?? [], 0.5);
    const [core, door, wire, whole] = [p50('run'), p50('door'), p50('bare'), p50('ours')];
    rows.push(
      {
        what: `${what}, one call after another`,
        value: `run ${ms(core)}, door ${ms(door)}, over HTTP ${ms(whole)}, bare server ${ms(wire)}`,
      },
      {
        what: '  overhead of the door, p50',
        value: `${ms(door - core)} without a socket; over HTTP ${ms(whole - core - wire)} more than a bare server`,
        target: `both < ${TARGET_MS} ms`,
        isMet: Math.max(door - core, whole - core - wire) < TARGET_MS,
      },
    );
  }
  await inside.close();
  await bare.stop();
  await ours.stop();
  return rows;
}

/** The parts of `serve` in this process, on a separate shelf. */
async function openInside(home: string, key: string) {
  const config = readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' });
  const options = { mode: 'one-shot', starterPath: STARTER, log: () => {} } as const;
  const app = await openApp(config, options, new AbortController().signal);
  const { context } = app;
  const accounts = openForWriting(storePath(config.home));
  const now = () => new Date();
  const findAccount = createKeyFinder(accounts, now);
  const account = findAccount(key);
  if (account === undefined) throw new Error('the key was not found');
  const caller = { open: async () => ({ context, account }), log: () => {} };
  const door = createHttpDoor({
    table: operations,
    beside,
    version: '0',
    checkOrigin: createHostGuard('127.0.0.1', []),
    findAccount: async (key) => findAccount(key),
    takeCall: createRateLimiter(accounts, 100_000_000, now),
    call: (operation, input, by) => run(operation, input, { ...caller, ...by }),
    readShelf: (asked, read, by) => readShelf(asked, read, { ...caller, ...by }),
    pages: {},
    now,
    log: () => {},
  });
  return {
    async run(path: string) {
      const { operation, input } = argumentsIn(path);
      JSON.stringify((await run(operation, input, caller)).envelope);
    },
    async fetch(path: string) {
      const headers = { authorization: `Bearer ${key}`, host: '127.0.0.1' };
      const response = await door.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
      if (!response.ok) throw new Error(await response.text());
      await response.text();
    },
    close: () => {
      accounts.close();
      return app.close();
    },
  };
}

function argumentsIn(path: string): { operation: Operation; input: Record<string, unknown> } {
  const { pathname, searchParams } = new URL(path, 'http://127.0.0.1');
  const operation = operations.find((each) => each.path === pathname);
  if (operation === undefined) throw new Error(`no operation at ${pathname}`);
  const pairs = [...searchParams].map(([name, text]) => [
    name,
    /^\d+$/.test(text) ? Number(text) : text,
  ]);
  return { operation, input: Object.fromEntries(pairs) };
}

function get(url: string, key: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume().on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
      );
    })
      .on('error', reject)
      .end();
  });
}

function ms(value: number): string {
  return `${value.toFixed(3)} ms`;
}
