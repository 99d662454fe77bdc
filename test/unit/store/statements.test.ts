import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openForReading, openForWriting } from '../../../src/store/open.ts';

let directory: string;
let writer: Database;
let db: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-statements-'));
  const path = join(directory, 'store.sqlite');
  writer = openForWriting(path);
  writer.exec('CREATE TABLE card (id INTEGER PRIMARY KEY); INSERT INTO card VALUES (1), (2)');
  db = openForReading(path);
});
afterEach(() => {
  db.close();
  writer.close();
  rmSync(directory, { recursive: true });
});

const CARDS = 'SELECT id FROM card ORDER BY id';

describe('a connection for reading', () => {
  it('prepares a statement once', () => {
    expect(db.prepare(CARDS)).toBe(db.prepare(CARDS));
    expect(db.prepare(CARDS).pluck()).toBe(db.prepare(CARDS).pluck());
  });

  it('keeps the ways of reading apart', () => {
    const [rows, plucked, raw] = [
      db.prepare(CARDS),
      db.prepare(CARDS).pluck(),
      db.prepare(CARDS).raw(),
    ];
    expect(rows.all()).toEqual([{ id: 1 }, { id: 2 }]);
    expect(plucked.all()).toEqual([1, 2]);
    expect(raw.all()).toEqual([[1], [2]]);
    expect(rows.all()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('runs a statement inside an iteration of the same', () => {
    const pairs: unknown[] = [];
    for (const outer of db.prepare(CARDS).pluck().iterate()) {
      for (const inner of db.prepare(CARDS).pluck().iterate()) pairs.push([outer, inner]);
    }
    expect(pairs).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
    ]);
    for (const _ of db.prepare(CARDS).iterate()) expect(db.prepare(CARDS).all()).toHaveLength(2);
  });

  it('sees rows and columns that were added after a statement was prepared', () => {
    const all = () => db.prepare('SELECT * FROM card ORDER BY id').all();
    expect(all()).toEqual([{ id: 1 }, { id: 2 }]);
    writer.exec("ALTER TABLE card ADD COLUMN title TEXT NOT NULL DEFAULT ''");
    writer.exec("INSERT INTO card VALUES (3, 'Rough volatility')");
    expect(all()).toEqual([
      { id: 1, title: '' },
      { id: 2, title: '' },
      { id: 3, title: 'Rough volatility' },
    ]);
  });

  it('keeps only the statements used last', () => {
    const first = db.prepare('SELECT 0');
    for (let number = 1; number <= 1_000; number += 1) db.prepare(`SELECT ${number}`);
    expect(db.prepare('SELECT 0')).not.toBe(first);
    expect(first.get()).toEqual({ 0: 0 });
  });
});
