import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dataVersionOf, memoised, watchDataVersion } from '../../../src/store/memoise.ts';
import { openForReading, openForWriting } from '../../../src/store/open.ts';
import { keepStatement, keepStatements } from '../../../src/store/statements.ts';

let accounts: Database;
let writer: Database;
let reader: Database;
let reads = 0;

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-memoise-'));
  const path = join(directory, 'store.sqlite');
  writer = openForWriting(path);
  writer.exec('CREATE TABLE shelf (v INTEGER); CREATE TABLE ledger (v INTEGER)');
  writer.exec('INSERT INTO shelf VALUES (1)');
  accounts = openForWriting(path);
  reader = openForReading(path);
  reads = 0;
  onTestFinished(() => {
    for (const db of [reader, accounts, writer]) db.close();
    rmSync(directory, { recursive: true });
  });
});

const cache = memoised<number[]>();
const shelf = (key = '') =>
  cache(reader, key, () => {
    reads += 1;
    return reader.prepare<[], number>('SELECT v FROM shelf').pluck().all();
  });
const watch = () => watchDataVersion(reader, dataVersionOf(accounts));

describe('memoised', () => {
  it('reads once until another connection has written', () => {
    watch();
    expect([shelf(), shelf(), shelf()]).toEqual([[1], [1], [1]]);
    expect(reads).toBe(1);
    writer.exec('UPDATE shelf SET v = 2');
    expect([shelf(), shelf()]).toEqual([[2], [2]]);
    expect(reads).toBe(2);
  });

  it('keeps results through writes of the watching connection itself', () => {
    watch();
    shelf();
    for (let row = 0; row < 10; row += 1) {
      accounts.exec('INSERT INTO ledger VALUES (1)');
      expect(shelf()).toEqual([1]);
    }
    expect(reads).toBe(1);
  });

  it('caches results by key', () => {
    watch();
    shelf('a');
    shelf('b');
    shelf('a');
    expect(reads).toBe(2);
  });

  it('caches nothing for a connection that is not watched', () => {
    shelf();
    shelf();
    expect(reads).toBe(2);
  });

  it('caches nothing inside a transaction, which sees an old snapshot', () => {
    watch();
    reader.transaction(() => {
      reader.prepare('SELECT v FROM shelf').get();
      writer.exec('UPDATE shelf SET v = 2');
      expect(shelf()).toEqual([1]);
    })();
    expect(shelf()).toEqual([2]);
  });

  it('bounds the number of cached results', () => {
    watch();
    for (let key = 0; key < 1_000; key += 1) shelf(String(key));
    reads = 0;
    for (let key = 0; key < 1_000; key += 1) shelf(String(key));
    expect(reads).toBeGreaterThan(700);
  });
});

describe('keepStatement', () => {
  it('prepares once per connection', () => {
    let made = 0;
    const all = keepStatement((db) => {
      made += 1;
      return db.prepare<[], number>('SELECT v FROM shelf').pluck();
    });
    expect([all(reader).get(), all(reader).get(), all(writer).get()]).toEqual([1, 1, 1]);
    expect(made).toBe(2);
  });

  it('prepares varying SQL once per text, up to a bound', () => {
    let made = 0;
    const under = keepStatements((db, sql) => {
      made += 1;
      return db.prepare<[], number>(sql).pluck();
    });
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 50; n += 1) expect(under(reader, `SELECT ${n}`).get()).toBe(n);
    }
    expect(made).toBe(50);
    for (let n = 0; n < 500; n += 1) expect(under(reader, `SELECT ${n} + 1`).get()).toBe(n + 1);
    expect(under(reader, 'SELECT 0').get()).toBe(0);
  });
});
