import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import {
  createRateLimiter,
  createReachability,
  liftBlock,
  listBlocks,
  type RateLimiter,
  upstreamMigrations,
} from '../../../src/store/upstreams.ts';
import { compile } from '../../program.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { startScript } from './start-script.ts';

let directory: string;
let db: Database;
let clock: number | undefined;
const now = () => new Date(clock ?? Date.now());

beforeEach(() => {
  directory = temporaryDirectory();
  db = openForWriting(join(directory, 'store.sqlite'));
  migrate(db, upstreamMigrations, new Date());
  clock = undefined;
});
afterEach(() => {
  db.close();
});

function makeLimiter(name = 'upstream'): RateLimiter {
  return createRateLimiter(db, name, join(directory, `${name}.lock`), now);
}

const LAST_START = 'SELECT last_start FROM rate_limit';

it('a caller with a shorter interval may go before one with a longer interval', async () => {
  const limiter = makeLimiter();
  const order: string[] = [];
  clock = Date.now();
  await limiter.run(0, async () => {});
  const slow = limiter.run(400, async () => order.push('filling'));
  const quick = limiter.run(50, async () => order.push('reading'));
  clock = undefined;
  await Promise.all([slow, quick]);
  expect(order).toEqual(['reading', 'filling']);
});

it('processes share the interval between requests, even with processes that were killed', async () => {
  const log = join(directory, 'log');
  const limiter = await compile('src/store/upstreams.ts');
  const open = await compile('src/store/open.ts');
  const script = `
    import { appendFileSync } from 'node:fs';
    import { createRateLimiter } from ${JSON.stringify(limiter)};
    import { openForWriting } from ${JSON.stringify(open)};
    const [store, lock, log, rounds] = process.argv.slice(1);
    const db = openForWriting(store);
    const limiter = createRateLimiter(db, 'upstream', lock, () => new Date());
    for (let round = 0; round < Number(rounds); round += 1) {
      await limiter.run(150, async () => {
        appendFileSync(log, db.prepare('${LAST_START}').pluck().get() + '\\n');
        if (rounds === '1') process.kill(process.pid, 'SIGKILL');
      });
    }
    process.exit(0);`;
  const [store, lock] = [join(directory, 'store.sqlite'), join(directory, 'upstream.lock')];
  const children = ['3', '1', '3'].map((rounds) => startScript(script, store, lock, log, rounds));
  await Promise.all(children.map(({ child }) => once(child, 'exit')));
  const starts = readFileSync(log, 'utf8').trim().split('\n').map(Number).sort();
  expect(starts).toHaveLength(7);
  for (const [at, start] of starts.slice(1).entries()) {
    expect(start - (starts[at] ?? start)).toBeGreaterThanOrEqual(150);
  }
});

it('no request starts during a block, and the limiter reports how long the block lasts', async () => {
  const limiter = makeLimiter();
  const begun = Date.now();
  clock = begun;
  limiter.blockFor(120);
  expect(limiter.retryAfter()).toBe(120);
  expect(makeLimiter('other').retryAfter()).toBe(0);
  clock = undefined;
  const start = await limiter.run(0, async () => db.prepare(LAST_START).pluck().get());
  expect(start).toBeGreaterThanOrEqual(begun + 120);
  expect(limiter.retryAfter()).toBe(0);
});

it('a request or a block recorded by a fast clock delays nobody', async () => {
  const limiter = makeLimiter();
  clock = Date.parse('2030-01-01T00:00:00Z');
  await limiter.run(0, async () => {});
  limiter.blockFor(60_000);
  clock = Date.parse('2026-11-21T12:00:00Z');
  expect(limiter.retryAfter()).toBe(0);
  await limiter.run(60_000, async () => {});
  limiter.blockFor(5_000);
  expect(limiter.retryAfter()).toBe(5_000);
});

it('aborting ends the wait for an upstream, and a failed request does not block the next one', async () => {
  const limiter = makeLimiter();
  limiter.blockFor(60_000);
  const stopping = new AbortController();
  const waiting = limiter.run(0, async () => {}, stopping.signal);
  stopping.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  const other = makeLimiter('other');
  await expect(other.run(0, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(other.run(0, async () => 'in')).resolves.toBe('in');
});

it('a block lasts at most an hour, and is listed until it is lifted, even if a shorter one follows', () => {
  const limiter = makeLimiter();
  const noon = Date.parse('2026-11-21T12:00:00Z');
  clock = noon;
  limiter.blockFor(24 * 3_600_000);
  limiter.blockFor(1_000);
  makeLimiter('other').blockFor(1_000);
  expect(limiter.retryAfter()).toBe(3_600_000);
  clock = noon + 1_000;
  const until = '2026-11-21T13:00:00.000Z';
  expect(listBlocks(db, now())).toEqual([{ upstream: 'upstream', until }]);
  liftBlock(db, 'upstream');
  expect(limiter.retryAfter()).toBe(0);
  expect(listBlocks(db, now())).toEqual([]);
});

describe('the record of unreachable hosts', () => {
  const NOON = Date.parse('2026-11-22T12:00:00Z');
  let hosts: ReturnType<typeof createReachability>;
  beforeEach(() => {
    clock = NOON;
    hosts = createReachability(db, 'arxiv', now);
  });

  it('marks an upstream unreachable until one of its hosts accepts a connection', () => {
    hosts.markUnreachable('oaipmh.arxiv.org');
    clock = NOON + 1_000;
    hosts.markConnected('arxiv.org');
    expect(hosts.isUpstreamUnreachable()).toBe(false);
    // The other host is still unreachable.
    expect(hosts.isUnreachable('oaipmh.arxiv.org')).toBe(true);
    clock = NOON + 2_000;
    hosts.markConnected('oaipmh.arxiv.org');
    expect(hosts.isUnreachable('oaipmh.arxiv.org')).toBe(false);
    clock = NOON + 3_000;
    hosts.markUnreachable('arxiv.org');
    expect(hosts.isUpstreamUnreachable()).toBe(true);
  });

  it('ignores times in the future, which a fast clock has written', () => {
    hosts.markUnreachable('arxiv.org');
    clock = NOON - 1;
    expect(hosts.isUnreachable('arxiv.org')).toBe(false);
    expect(hosts.isUpstreamUnreachable()).toBe(false);
  });

  it('does not throw when the store cannot be written', () => {
    db.pragma('query_only = ON');
    hosts.markUnreachable('arxiv.org');
    expect(hosts.isUnreachable('arxiv.org')).toBe(false);
  });
});
