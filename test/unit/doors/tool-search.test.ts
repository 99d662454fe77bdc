import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listTools } from './tools.ts';

/*
 * Hosts with many tools load a tool only once a search has found it. Requests as agents word them
 * (data/eval/tools.json; those of `test` are held back from the wording of descriptions) are asked of BM25
 * over name and description, with the usual k1 and b.
 */

const request = z.strictObject({ query: z.string(), tools: z.array(z.string()) });
const requests = z
  .strictObject({ train: z.array(request).length(15), test: z.array(request).length(15) })
  .parse(JSON.parse(readFileSync('data/eval/tools.json', 'utf8')));

const [K1, B] = [1.2, 0.75];
/** Minimum number of tools that a host's search returns. */
const RETURNED = 3;
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

const documents = (await listTools()).map(({ name, description }) => ({
  name,
  words: wordsOf(`${name} ${description}`),
}));
const meanLength = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;

/** Names of the tools that share a word with the query, best first. */
function search(query: string): string[] {
  const scored = documents.map(({ name, words }) => {
    const score = [...new Set(wordsOf(query))].reduce((sum, word) => {
      const count = words.filter((each) => each === word).length;
      const holding = documents.filter((each) => each.words.includes(word)).length;
      const rarity = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
      const length = K1 * (1 - B + (B * words.length) / meanLength);
      return sum + (rarity * count * (K1 + 1)) / (count + length);
    }, 0);
    return { name, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name);
}

describe('a search for tools', () => {
  const all = [...requests.train, ...requests.test].map(({ query, tools }) => {
    const found = search(query);
    return { query, place: found.findIndex((name) => tools.includes(name)), found };
  });

  it('finds the right tool for 28 of 30 requests, and puts it first for 25', () => {
    const missed = all.filter(({ place }) => place < 0 || place >= RETURNED);
    const later = all.filter(({ place }) => place !== 0);
    expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(2);
    expect(later.length, JSON.stringify(later, null, 1)).toBeLessThanOrEqual(5);
  });
});
