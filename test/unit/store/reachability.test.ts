import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { createReachability, reachabilityMigrations } from '../../../src/store/upstreams.ts';

let directory: string;
let db: Database;
let clock: number;
const now = () => new Date(clock);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-reach-'));
  db = openForWriting(join(directory, 'store.sqlite'));
  migrate(db, reachabilityMigrations, new Date());
  clock = Date.parse('2026-11-22T12:00:00Z');
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

it('marks an upstream unreachable until one of its hosts accepts a connection', () => {
  const hosts = createReachability(db, 'arxiv', now);
  hosts.markUnreachable('oaipmh.arxiv.org');
  clock += 1_000;
  hosts.markConnected('arxiv.org');
  expect(hosts.isUpstreamUnreachable()).toBe(false);
  // The other host is still unreachable.
  expect(hosts.isUnreachable('oaipmh.arxiv.org')).toBe(true);
  clock += 1_000;
  hosts.markConnected('oaipmh.arxiv.org');
  expect(hosts.isUnreachable('oaipmh.arxiv.org')).toBe(false);
  clock += 1_000;
  hosts.markUnreachable('arxiv.org');
  expect(hosts.isUpstreamUnreachable()).toBe(true);
});

it('ignores times in the future, which came from a clock that was ahead', () => {
  const hosts = createReachability(db, 'arxiv', now);
  hosts.markUnreachable('arxiv.org');
  clock -= 1;
  expect(hosts.isUnreachable('arxiv.org')).toBe(false);
  expect(hosts.isUpstreamUnreachable()).toBe(false);
});

it('does not throw when the store cannot be written', () => {
  const hosts = createReachability(db, 'arxiv', now);
  db.pragma('query_only = ON');
  hosts.markUnreachable('arxiv.org');
  expect(hosts.isUnreachable('arxiv.org')).toBe(false);
});
