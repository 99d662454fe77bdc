import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { type SearchQuery, searchHybrid } from '../../src/store/search/search.ts';
import { searchHere } from '../../src/store/search/search-here.ts';
import {
  createSearchIndex,
  indexVectors,
  indexWords,
  type SearchIndex,
} from '../../src/store/search/search-index.ts';
import { openSearchThread } from '../../src/store/search/thread.ts';
import { DIMENSIONS } from '../../src/store/vectors.ts';
import { makeHome, root, storeIn } from './support.ts';

const PROGRAM = pathToFileURL(join(root, 'dist', 'search-thread.mjs'));
const INDEX: SearchIndex = {
  name: 'card',
  columns: { title: 2, body: 1 },
  synonyms: [['VIX', 'volatility index']],
};
const CARDS = 60;

function vectorOf(id: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[id % 7] = 0.6;
  vector[100 + (id % 200)] = 0.8;
  return vector;
}

function put(db: Database, id: number, title: string): void {
  indexWords(db, INDEX, id, { title, body: `card ${id}` });
  indexVectors(db, INDEX, [{ id, vector: vectorOf(id), passages: [vectorOf(id + 1)] }]);
}

/** A store with some cards, and a reading connection with a search thread. */
function open(program: URL, from: number) {
  const path = storeIn(makeHome());
  const writer = openForWriting(path);
  createSearchIndex(writer, INDEX);
  for (let id = 1; id <= CARDS; id += 1) {
    put(writer, id, id % 3 === 0 ? 'volatility index' : 'swap');
  }
  const db = openForReading(path);
  const logged: string[] = [];
  const thread = openSearchThread(db, { program, from, log: (line) => logged.push(line) });
  onTestFinished(async () => {
    await thread.close();
    db.close();
    writer.close();
  });
  return { writer, db, thread, logged };
}

const within = { from: 'card_card c', id: 'c.id', where: 'c.id > @least', params: { least: 40 } };
const QUERIES: readonly SearchQuery[] = [
  { text: 'vix', vector: null, limit: 10 },
  { text: 'vix', vector: vectorOf(3), limit: 10 },
  { text: 'a swap', vector: vectorOf(50), limit: 5, within },
];

it('finds in the thread what is found without it', async () => {
  const { db, logged } = open(PROGRAM, CARDS);
  const found = await Promise.all(QUERIES.map((query) => searchHybrid(db, INDEX, query)));
  for (const [index, query] of QUERIES.entries()) {
    expect(found[index]).toEqual(await searchHere(db, INDEX, query));
  }
  expect(found[0]?.map(({ id }) => id % 3)).toEqual(Array.from({ length: 10 }, () => 0));
  expect(logged).toEqual([]);
});

it('sees what another connection has written since', async () => {
  const { db, writer } = open(PROGRAM, CARDS);
  const ask = () => searchHybrid(db, INDEX, { text: 'tontine', vector: vectorOf(0), limit: 3 });
  const before = await ask();
  put(writer, 900, 'tontine');
  const [first] = await ask();
  expect(before.map(({ id }) => id)).not.toContain(900);
  expect(first?.id).toBe(900);
});

it('tells what failed, with the code of SQLite, and goes on', async () => {
  const { db, thread } = open(PROGRAM, CARDS);
  const [query] = QUERIES;
  if (query === undefined) throw new Error('there are no queries');
  await expect(thread.search({ ...INDEX, name: 'nowhere' }, query)).rejects.toMatchObject({
    code: 'SQLITE_ERROR',
    message: expect.stringContaining('nowhere'),
  });
  expect(await searchHybrid(db, INDEX, query)).toHaveLength(10);
});

it.each([
  ['has no program', new URL('nothing.mjs', PROGRAM)],
  ['cannot even begin', new URL('https://localhost/')],
])('is done without where the thread %s, which the log says once', async (_, program) => {
  const { db, logged } = open(program, CARDS);
  for (const query of QUERIES) {
    expect(await searchHybrid(db, INDEX, query)).toEqual(await searchHere(db, INDEX, query));
  }
  expect(logged).toEqual([expect.stringMatching(/search thread: .*searching without it/)]);
});

it('is done without where another store lies in the place of the one that is open', async () => {
  const { db, logged } = open(PROGRAM, CARDS);
  expect(await searchHere(db, INDEX, { text: 'swap', vector: null, limit: 1 })).toHaveLength(1);
  for (const suffix of ['', '-wal', '-shm']) {
    renameSync(db.name + suffix, `${db.name}.aside${suffix}`);
  }
  const other = openForWriting(db.name);
  createSearchIndex(other, INDEX);
  for (let id = 1; id <= CARDS; id += 1) put(other, id, 'tontine');
  other.close();
  for (const query of QUERIES) {
    expect(await searchHybrid(db, INDEX, query)).toEqual(await searchHere(db, INDEX, query));
  }
  expect(logged).toEqual([expect.stringMatching(/another file/)]);
});

it('is not asked for what an open transaction has written', async () => {
  const { writer } = open(PROGRAM, CARDS);
  const thread = openSearchThread(writer, { program: PROGRAM, from: 1, log: () => {} });
  onTestFinished(() => thread.close());
  writer.exec('BEGIN');
  put(writer, 900, 'tontine');
  const query = { text: 'tontine', vector: null, limit: 3 };
  expect((await searchHybrid(writer, INDEX, query)).map(({ id }) => id)).toEqual([900]);
  writer.exec('ROLLBACK');
});

it('has no thread while the index is small', async () => {
  const missing = new URL('nothing.mjs', PROGRAM);
  const { db, logged } = open(missing, CARDS + 1);
  for (const query of QUERIES) await searchHybrid(db, INDEX, query);
  expect(logged).toEqual([]);
});

it('ends what is under way when it is closed', async () => {
  const { db, thread } = open(PROGRAM, CARDS);
  const [query] = QUERIES;
  if (query === undefined) throw new Error('there are no queries');
  const underWay = searchHybrid(db, INDEX, query);
  const outcome = expect(underWay).rejects.toThrow('closed');
  await new Promise((resolve) => setImmediate(resolve));
  await thread.close();
  await outcome;
});
