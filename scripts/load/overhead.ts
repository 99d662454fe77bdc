import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createKeyFinder } from '../../src/accounts/keys.ts';
import { createRateLimiter } from '../../src/accounts/rate.ts';
import { readConfig, storePath } from '../../src/config.ts';
import type { Operation } from '../../src/core/operation.ts';
import { run } from '../../src/core/run.ts';
import { createHttpDoor } from '../../src/doors/http.ts';
import { createHostGuard } from '../../src/doors/http-guard.ts';
import { operations } from '../../src/operations.ts';
import { createSession } from '../../src/session.ts';
import { openForWriting } from '../../src/store/open.ts';
import { versionSeenBy, watchVersion } from '../../src/store/remember.ts';
import { quantile } from '../bench/figures.ts';
import { CALLS, type Row, recordAnswers } from './measure.ts';
import { makeKey, startBare, startServe } from './servers.ts';

const STARTER = fileURLToPath(new URL('../../dist/starter.sqlite', import.meta.url));
const TARGET_MS = 0.3;
const WARM = 1_000;

/** What the same calls cost as `run`, through the door without a socket, and over one connection. */
export async function measureOverhead(home: string, calls: number): Promise<Row[]> {
  const key = makeKey(home, 'overhead', 100_000_000);
  const inside = await openInside(home, key);
  const ours = await startServe(home);
  const bare = await startBare(home, await recordAnswers(ours.url, key));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const rows: Row[] = [];
  for (const [what, path] of Object.entries(CALLS)) {
    const ways: Record<string, () => Promise<void>> = {
      run: () => inside.run(path),
      door: () => inside.fetch(path),
      bare: () => get(bare.url + path, key, agent),
      ours: () => get(ours.url + path, key, agent),
    };
    const p50: Record<string, number> = {};
    for (const [name, way] of Object.entries(ways)) {
      for (let call = 0; call < WARM; call += 1) await way();
      const spent: number[] = [];
      for (let call = 0; call < calls; call += 1) {
        const begun = performance.now();
        await way();
        spent.push(performance.now() - begun);
      }
      p50[name] = quantile(spent, 0.5);
    }
    const { run: core = 0, door = 0, bare: wire = 0, ours: whole = 0 } = p50;
    rows.push(
      {
        what: `${what}, one call after another`,
        value: `run ${ms(core)}, through the door ${ms(door)}, over HTTP ${ms(whole)}, bare server ${ms(wire)}`,
      },
      {
        what: '  the door over run, p50',
        value: `${ms(door - core)} without a socket; over HTTP ${ms(whole - core - wire)} more than a bare server`,
        target: `both < ${TARGET_MS} ms`,
        isMet: Math.max(door - core, whole - core - wire) < TARGET_MS,
      },
    );
  }
  agent.destroy();
  inside.close();
  await bare.stop();
  await ours.stop();
  return rows;
}

/** The parts of `serve` in this process, on a shelf of its own. */
async function openInside(home: string, key: string) {
  const config = readConfig({ QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' });
  const session = createSession(config, STARTER, () => {});
  const { context } = await session.shelf();
  const accounts = openForWriting(storePath(config.home));
  watchVersion(context.db, versionSeenBy(accounts));
  const now = () => new Date();
  const findAccount = createKeyFinder(accounts, now);
  const account = findAccount(key);
  if (account === undefined) throw new Error('the key opens nothing');
  const caller = { open: async () => ({ context, account }), log: () => {} };
  const door = createHttpDoor({
    table: operations,
    version: '0',
    checkOrigin: createHostGuard('127.0.0.1', []),
    findAccount,
    takeCall: createRateLimiter(accounts, 100_000_000, now),
    call: (operation, input, by) => run(operation, input, { ...caller, ...by }),
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
      return session.close();
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
