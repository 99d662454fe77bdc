import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readDocumentFrequencies } from '../../../src/search/lexical.ts';
import { indexText, removeFromIndex } from '../../../src/search/profile.ts';
import { tokenise } from '../../../src/search/tokenise.ts';
import { countsOf, isStoreFault, keptTable, writeForCall } from '../../../src/store/connection.ts';
import { openForCalls, openForReading, openForWriting } from '../../../src/store/open.ts';
import { createSearchIndex } from '../../search.ts';

const INDEX = { name: 'card', columns: { title: 1 } };

let directory: string;
let writer: Database;
let db: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-connection-'));
  const path = join(directory, 'store.sqlite');
  writer = openForWriting(path);
  createSearchIndex(writer, INDEX);
  db = openForReading(path);
});
afterEach(() => {
  db.close();
  writer.close();
  rmSync(directory, { recursive: true });
});

function addCard(id: number, title: string): void {
  indexText(writer, INDEX, id, { title });
}

const NAME = 'cards';

it('a connection for calls keeps its caches across its own charges', () => {
  writer.exec('CREATE TABLE ledger (credits INTEGER)');
  const { db: own } = openForCalls(join(directory, 'store.sqlite'));
  countsOf(own, NAME).set('rate', 1);
  const read = (value: number) => keptTable(own, NAME, () => Int32Array.of(value))[0];
  expect(read(1)).toBe(1);
  writeForCall(own, () => own.exec('INSERT INTO ledger VALUES (1)'));
  expect(countsOf(own, NAME)).toEqual(new Map([['rate', 1]]));
  expect(countsOf(own, 'others').size).toBe(0);
  expect(read(2)).toBe(1);
  addCard(1, 'Rough volatility');
  expect(countsOf(own, NAME).size).toBe(0);
  expect(read(3)).toBe(3);
  own.close();
});

it('a connection for writing caches nothing, since it would miss its own writes', () => {
  countsOf(writer, NAME).set('rate', 1);
  expect(countsOf(writer, NAME).size).toBe(0);
});

it('cached document frequencies match the current shelf', () => {
  const [stem = ''] = tokenise('volatility');
  const frequency = () => readDocumentFrequencies(db, INDEX.name, [stem, 'unheld']);
  expect(frequency()).toEqual(new Map());
  addCard(1, 'Rough volatility');
  addCard(2, 'Volatility surfaces');
  expect(frequency()).toEqual(new Map([[stem, 2]]));
  removeFromIndex(writer, INDEX, 1);
  expect(frequency()).toEqual(new Map([[stem, 1]]));
});

it('a fault of the store is distinguished from a busy store and from upstream faults', () => {
  const fault = (code: string) => Object.assign(new Error(code), { code });
  expect(isStoreFault(fault('SQLITE_FULL'))).toBe(true);
  expect(isStoreFault(fault('SQLITE_BUSY'))).toBe(false);
  expect(isStoreFault(fault('ECONNRESET'))).toBe(false);
});
