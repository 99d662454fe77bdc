import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  countsOf,
  isBusy,
  isStoreFault,
  keptTable,
  writeForCall,
} from '../../../src/store/connection.ts';
import { openForCalls, openForWriting } from '../../../src/store/open.ts';
import { temporaryDirectory } from '../../temporary.ts';

const NAME = 'cards';

let path: string;
let writer: Database;
beforeEach(() => {
  path = join(temporaryDirectory(), 'store.sqlite');
  writer = openForWriting(path);
  writer.exec('CREATE TABLE ledger (credits INTEGER)');
});
afterEach(() => {
  writer.close();
});

it('a connection for calls keeps its caches across its own charges, but not across other writes', () => {
  const { db } = openForCalls(path);
  countsOf(db, NAME).set('rate', 1);
  const read = (value: number) => keptTable(db, NAME, () => Int32Array.of(value))[0];
  expect(read(1)).toBe(1);
  writeForCall(db, () => db.exec('INSERT INTO ledger VALUES (1)'));
  expect(countsOf(db, NAME)).toEqual(new Map([['rate', 1]]));
  expect(countsOf(db, 'others').size).toBe(0);
  expect(read(2)).toBe(1);
  writer.exec('INSERT INTO ledger VALUES (2)');
  expect(countsOf(db, NAME).size).toBe(0);
  expect(read(3)).toBe(3);
  db.close();
});

it('a connection for writing caches nothing', () => {
  countsOf(writer, NAME).set('rate', 1);
  expect(countsOf(writer, NAME).size).toBe(0);
});

it('a full disk is a fault of the store, but neither a busy store nor a network error is', () => {
  const fault = (code: string) => Object.assign(new Error(code), { code });
  expect(isStoreFault(fault('SQLITE_FULL'))).toBe(true);
  for (const busy of ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT'].map(fault)) {
    expect([isStoreFault(busy), isBusy(busy)]).toEqual([false, true]);
  }
  expect(isStoreFault(fault('ECONNRESET'))).toBe(false);
});
