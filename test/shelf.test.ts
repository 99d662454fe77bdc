import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { openShelf } from '../src/shelf.ts';
import { offline } from './context.ts';

it('closes on a full disk: what the journal holds is read with the file', async () => {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-shelf-'));
  const starter = join(home, 'starter.sqlite');
  new Database(starter).exec('CREATE TABLE filling (a)').close();
  const tools = {
    policy: offline.policy,
    freshenPaper: async () => 'offline' as const,
    freshenSeries: async () => 'offline' as const,
    refreshMarkets: () => null,
    now: () => new Date('2026-11-21T12:00:00Z'),
    embedQuery: async () => ({ unavailable: 'no model' }),
  };
  const { signal } = new AbortController();
  try {
    const shelf = await openShelf({ home, credits: 5 }, starter, tools, signal);
    vi.spyOn(shelf.writer, 'pragma').mockImplementation(() => {
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    });
    expect(() => shelf.close()).not.toThrow();
    expect(shelf.writer.open).toBe(false);
    expect(shelf.db.open).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
