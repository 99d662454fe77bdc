import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { storePath } from '../src/config.ts';
import { openShelf } from '../src/shelf.ts';
import { offline } from './context.ts';

const tools = {
  policy: offline.policy,
  freshenPaper: async () => 'offline' as const,
  freshenSeries: async () => 'offline' as const,
  refreshMarkets: () => null,
  now: () => new Date('2026-11-21T12:00:00Z'),
  embedQuery: async () => ({ unavailable: 'no model' }),
};

/** A home with a starter file that holds none of the program's tables yet. */
function place() {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-shelf-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const starter = join(home, 'starter.sqlite');
  new Database(starter).exec('CREATE TABLE filling (a)').close();
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const { signal } = new AbortController();
  return { home, logged, open: () => openShelf({ home, credits: 5 }, starter, tools, log, signal) };
}

it('closes on a full disk: what the journal holds is read with the file', async () => {
  const shelf = await place().open();
  vi.spyOn(shelf.writer, 'pragma').mockImplementation(() => {
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  });
  await shelf.close();
  expect(shelf.writer.open).toBe(false);
  expect(shelf.db.open).toBe(false);
});

describe('a shelf of an older version', () => {
  it('is brought up to date once, which the log says before', async () => {
    const { logged, open } = place();
    await (await open()).close();
    expect(logged.join()).toMatch(/up to date/);
    await (await open()).close();
    expect(logged).toHaveLength(1);
  });

  it('that another process holds meanwhile is to be asked again, no fault of the shelf', async () => {
    const { home, open } = place();
    await (await open()).close();
    const other = new Database(storePath(home));
    onTestFinished(() => void other.close());
    // One step is still to take, and the other process is at it.
    other.exec('DELETE FROM migrations WHERE rowid = (SELECT max(rowid) FROM migrations)');
    other.exec('BEGIN IMMEDIATE');
    await expect(open()).rejects.toThrow(/Another process is writing/);
  });
});
