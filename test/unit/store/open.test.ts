import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeForCall } from '../../../src/store/connection.ts';
import { openForCalls, openForWriting, openReadOnly } from '../../../src/store/open.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { compile } from '../../program.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { startScript } from './start-script.ts';

/** src/store/sqlite.ts, for other processes. */
let compiled: string;
beforeAll(async () => {
  compiled = await compile('src/store/sqlite.ts');
});

let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), 'store.sqlite');
});

/** A store as it ships in the package: one table, rollback journal. */
function makeStarter(): void {
  const db = new Database(path);
  db.exec('CREATE TABLE card (x); INSERT INTO card VALUES (1)');
  db.close();
}

/** The starter as opened for calls, until the end of the test. */
function openStarter(): Database.Database {
  makeStarter();
  const { db } = openForCalls(path);
  onTestFinished(() => void db.close());
  return db;
}

describe('openForWriting', () => {
  it('creates the file in WAL mode with foreign keys enforced', () => {
    const db = openForWriting(path);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.exec('CREATE TABLE a (id PRIMARY KEY); CREATE TABLE b (a REFERENCES a (id))');
    expect(() => db.exec('INSERT INTO b VALUES (7)')).toThrow(/FOREIGN KEY/);
    db.close();
  });

  it.each(['BEGIN; SELECT * FROM card', 'BEGIN IMMEDIATE', 'BEGIN EXCLUSIVE'])(
    'waits for a transaction of another process that began with "%s"',
    async (begin) => {
      makeStarter();
      const script = `
        import { Database } from ${JSON.stringify(compiled)};
        const db = new Database(process.argv[1]);
        db.exec(${JSON.stringify(begin)});
        process.stdout.write('held');
        setTimeout(() => { db.exec('COMMIT'); db.close(); }, 500);`;
      await startScript(script, path).firstOutput;
      const db = openForWriting(path);
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(db.prepare('SELECT x FROM card').pluck().all()).toEqual([1]);
      db.close();
    },
  );
});

it('openReadOnly refuses to write, and does not create a missing file', () => {
  expect(() => openReadOnly(path)).toThrow(/does not exist|unable to open/);
  expect(existsSync(path)).toBe(false);
  makeStarter();
  const db = openReadOnly(path);
  expect(() => db.exec("INSERT INTO card VALUES ('x')")).toThrow(/readonly/);
  expect(db.prepare('SELECT x FROM card').pluck().all()).toEqual([1]);
  db.close();
});

describe('a connection opened for calls', () => {
  it('can charge an account after a read that failed halfway', () => {
    const db = openStarter();
    const read = db.prepare('SELECT x FROM card').pluck();
    const fail = db.transaction(() => {
      for (const _ of read.iterate()) throw new Error('damaged');
    });
    expect(fail).toThrow('damaged');
    writeForCall(db, () => db.exec('INSERT INTO card VALUES (2)'));
    expect(db.pragma('busy_timeout', { simple: true })).toBe(5_000);
    expect(read.all()).toEqual([1, 2]);
  });

  it.each([
    "INSERT INTO card VALUES ('x')",
    'DROP TABLE card',
    'WITH new AS (SELECT 2 AS x) INSERT INTO card SELECT x FROM new RETURNING x',
  ])('refuses %s even after a charge', (sql) => {
    const db = openStarter();
    const refused = () => {
      expect(() => db.exec(sql)).toThrow(/readonly/);
      expect(() => db.transaction(() => db.exec(sql)).immediate()).toThrow(/readonly/);
    };
    refused();
    writeForCall(db, () => db.exec('UPDATE card SET x = 1'));
    refused();
    expect(db.prepare('SELECT x FROM card').pluck().all()).toEqual([1]);
  });

  it('fails to charge an account while another connection is writing', () => {
    const db = openStarter();
    const add = () => writeForCall(db, () => db.exec('INSERT INTO card VALUES (2)'));
    const other = openForWriting(path);
    other.exec('BEGIN IMMEDIATE');
    expect(add).toThrow(/locked/);
    other.exec('COMMIT');
    add();
    expect(db.prepare('SELECT x FROM card').pluck().all()).toEqual([1, 2]);
    other.close();
  });
});
