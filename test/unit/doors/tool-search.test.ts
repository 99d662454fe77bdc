import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { Database } from '../../../src/store/sqlite.ts';
import { listTools } from './tools.ts';

/*
 * Hosts with many tools load a tool only once a search has found it. Requests as agents word them
 * (data/eval/tools.json; those of `test` are held back from the wording of descriptions) are ranked by
 * SQLite's BM25 over name and description.
 */

const request = z.strictObject({ query: z.string(), tools: z.array(z.string()) });
const requests = z
  .strictObject({ train: z.array(request).length(15), test: z.array(request).length(15) })
  .parse(JSON.parse(readFileSync('data/eval/tools.json', 'utf8')));

/** Minimum number of tools that a host's search returns. */
const RETURNED = 3;

const db = new Database(':memory:');
db.exec('CREATE VIRTUAL TABLE tool USING fts5(name, description)');
const insert = db.prepare('INSERT INTO tool VALUES (@name, @description)');
for (const { name, description } of await listTools()) insert.run({ name, description });

/** Names of the tools that share a word with the query, best first. */
function search(query: string): string[] {
  const words = query.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return db
    .prepare<[string], string>('SELECT name FROM tool WHERE tool MATCH ? ORDER BY bm25(tool)')
    .pluck()
    .all(words.map((word) => `"${word}"`).join(' OR '));
}

const all = [...requests.train, ...requests.test].map(({ query, tools }) => {
  const matches = search(query);
  return { query, place: matches.findIndex((name) => tools.includes(name)), matches };
});

it('a search for tools finds the right one for at least 28 of 30 requests, and ranks it first for at least 25', () => {
  const missed = all.filter(({ place }) => place < 0 || place >= RETURNED);
  const later = all.filter(({ place }) => place !== 0);
  expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(2);
  expect(later.length, JSON.stringify(later, null, 1)).toBeLessThanOrEqual(5);
});
