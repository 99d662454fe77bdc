import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readDocumentFrequencies } from '../../../src/search/lexical.ts';
import { indexText, removeFromIndex } from '../../../src/search/profile.ts';
import { tokenise } from '../../../src/search/tokenise.ts';
import { isStoreFault, recall } from '../../../src/store/connection.ts';
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

class Count {
  readonly cards: unknown;
  constructor(cards: unknown) {
    this.cards = cards;
  }
}

/** The number of cards, and how often it was counted so far. */
function counter(connection: Database) {
  let runs = 0;
  const compute = () => {
    runs += 1;
    return new Count(connection.prepare('SELECT count(*) FROM card_terms').pluck().get());
  };
  return () => ({ cards: recall(connection, 'count', { type: Count, compute }).cards, runs });
}

function addCard(id: number, title: string): void {
  indexText(writer, INDEX, id, { title });
}

it('a connection for calls keeps a value over the charges that it writes itself', () => {
  writer.exec('CREATE TABLE ledger (credits INTEGER)');
  const { db: own, accounts } = openForCalls(join(directory, 'store.sqlite'));
  const count = counter(own);
  count();
  accounts.exec('INSERT INTO ledger VALUES (1)');
  expect(count()).toEqual({ cards: 0, runs: 1 });
  addCard(1, 'Rough volatility');
  expect(count()).toEqual({ cards: 1, runs: 2 });
  accounts.close();
});

it('a connection for writing computes every time, since its own writes would not show', () => {
  const count = counter(writer);
  count();
  addCard(1, 'Rough volatility');
  expect(count()).toEqual({ cards: 1, runs: 2 });
});

it('what searches remember are document frequencies, as the shelf is now', () => {
  const [stem = ''] = tokenise('volatility');
  const frequency = () => readDocumentFrequencies(db, INDEX.name, [stem, 'unheld']);
  expect(frequency()).toEqual(new Map());
  addCard(1, 'Rough volatility');
  addCard(2, 'Volatility surfaces');
  expect(frequency()).toEqual(new Map([[stem, 2]]));
  removeFromIndex(writer, INDEX, 1);
  expect(frequency()).toEqual(new Map([[stem, 1]]));
});

it('tells the faults of a store from those of its neighbours and of upstreams', () => {
  const fault = (code: string) => Object.assign(new Error(code), { code });
  expect(isStoreFault(fault('SQLITE_FULL'))).toBe(true);
  expect(isStoreFault(fault('SQLITE_BUSY'))).toBe(false);
  expect(isStoreFault(fault('ECONNRESET'))).toBe(false);
});
