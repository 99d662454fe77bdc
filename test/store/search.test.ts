import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { factsMigrations } from '../../src/store/facts.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openForWriting } from '../../src/store/open.ts';
import {
  createSearchIndex,
  indexVector,
  indexWords,
  removeFromIndex,
  type SearchQuery,
  searchHybrid,
} from '../../src/store/search.ts';
import { claimModel, DIMENSIONS, storedModel, vectorBlob } from '../../src/store/vectors.ts';
import { judgeMatch, VERDICT } from '../../src/store/verdict.ts';
import { contentWords } from '../../src/store/words.ts';

const INDEX = { name: 'card', columns: { title: 2, body: 1 } };
let directory: string;
let db: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-search-'));
  db = openForWriting(join(directory, 'store.sqlite'));
  createSearchIndex(db, INDEX);
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

/** A unit vector between two axes: `share` of the first. */
function between(a: number, b: number, share: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[a] = share;
  vector[b] = Math.sqrt(1 - share * share);
  return vector;
}
const axis = (index: number) => between(index, (index + 1) % DIMENSIONS, 1);

function put(id: number, title: string, body: string, vector?: Float32Array): void {
  indexWords(db, INDEX, id, { title, body });
  if (vector !== undefined) indexVector(db, INDEX, id, vector);
}

function search(query: Partial<SearchQuery>) {
  return searchHybrid(db, INDEX, { text: '', vector: null, limit: 10, ...query });
}
const ids = (query: Partial<SearchQuery>) => search(query).map((hit) => hit.id);

describe('hybrid search', () => {
  it('finds other forms of a word, and weighs a title above a body', () => {
    put(1, 'Bonds', 'nothing of note');
    put(2, 'Credit', 'volatility once');
    put(3, 'Volatilities', 'nothing of note');
    expect(ids({ text: 'What is volatility?' })).toEqual([3, 2]);
  });

  it('ranks by vectors where no word matches', () => {
    put(1, 'a', 'a', between(0, 1, 0.9));
    put(2, 'b', 'b', between(0, 1, 0.3));
    put(3, 'c', 'c');
    const hits = search({ text: 'unheard', vector: axis(0) });
    expect(hits.map((hit) => hit.id)).toEqual([1, 2]);
    expect(hits[0]?.cosine).toBeCloseTo(0.9, 5);
    expect(hits[0]?.coverage).toBe(0);
  });

  it('lets words and vectors together beat either alone', () => {
    put(1, 'carry trade', 'x', between(0, 1, 0.2));
    put(2, 'other', 'x', between(0, 1, 0.6));
    put(3, 'carry trade', 'x', between(0, 1, 0.6));
    expect(ids({ text: 'carry trade', vector: axis(0) })[0]).toBe(3);
  });

  it('gives falling scores in 0..1, ties to the older card', () => {
    for (const id of [5, 4, 3, 2, 1]) put(id, 'same words', 'same words', axis(7));
    const hits = search({ text: 'same words', vector: axis(7) });
    expect(hits.map((hit) => hit.id)).toEqual([1, 2, 3, 4, 5]);
    for (const hit of hits) {
      expect(hit.score).toBeGreaterThan(0.99);
      expect(hit.score).toBeLessThanOrEqual(1);
    }
  });

  it('restricts the search itself: matches past the depth of the rankers are found', () => {
    for (let id = 1; id <= 300; id += 1) put(id, 'swap', 'swap', between(0, 1, 0.9));
    put(301, 'a swap among many other words of a title', 'x', between(0, 1, 0.1));
    const within = {
      select: 'SELECT value FROM json_each(@allowed)',
      params: { allowed: '[301]' },
    };
    expect(ids({ text: 'swap', within })).toEqual([301]);
    expect(ids({ vector: axis(0), within })).toEqual([301]);
  });

  it('counts the words of the card itself, not those of its neighbours', () => {
    put(1, 'alpha', 'x');
    put(2, 'beta', 'x');
    expect(search({ text: 'alpha beta' }).map((hit) => hit.coverage)).toEqual([0.5, 0.5]);
  });

  it('finds nothing in an empty index, nor where no card is admitted', () => {
    expect(search({ text: 'gamma', vector: axis(0) })).toEqual([]);
    put(1, 'gamma', 'x', axis(0));
    const within = { select: 'SELECT value FROM json_each(@allowed)', params: { allowed: '[]' } };
    expect(search({ text: 'gamma', vector: axis(0), within })).toEqual([]);
  });

  it('refuses to search by a vector that is none', () => {
    const broken = axis(0);
    broken[3] = Number.NaN;
    expect(() => search({ text: 'x', vector: broken })).toThrow(/vector/);
  });

  it('leaves no ghost of what was replaced or removed', () => {
    put(1, 'gamma', 'x', axis(0));
    put(1, 'delta', 'x', axis(1));
    expect(ids({ text: 'gamma' })).toEqual([]);
    expect(search({ vector: axis(1) })[0]?.cosine).toBeCloseTo(1, 5);
    removeFromIndex(db, INDEX, 1);
    expect(ids({ text: 'delta', vector: axis(1) })).toEqual([]);
  });

  it.each([
    '"',
    '*',
    'title:',
    'a AND NOT b',
    'NEAR(a b)',
    "'; DROP TABLE card_words; --",
    '\u0000',
    '^x',
    '-',
    '(((',
    '😀',
    '§',
    'x'.repeat(5000),
    Array.from({ length: 2000 }, (_, i) => `w${i}`).join(' '),
  ])('takes %j as plain words', (text) => {
    put(1, 'title', 'body');
    expect(() => search({ text, vector: axis(0) })).not.toThrow();
  });
});

describe('vectors', () => {
  it.each([
    ['NaN', Float32Array.from({ length: DIMENSIONS }, () => Number.NaN)],
    ['infinity', Float32Array.from({ length: DIMENSIONS }, (_, i) => (i === 0 ? Infinity : 0))],
    ['length 2', Float32Array.from({ length: DIMENSIONS }, (_, i) => (i === 0 ? 2 : 0))],
    ['nothing', new Float32Array(DIMENSIONS)],
    ['another dimension', Float32Array.from([1])],
  ])('refuses a vector of %s', (_, vector) => {
    expect(() => indexVector(db, INDEX, 1, vector)).toThrow(/vector/);
    expect(ids({ vector: axis(0) })).toEqual([]);
  });

  it('keeps a view of a larger buffer to its own part', () => {
    const buffer = new Float32Array(3 * DIMENSIONS);
    buffer[DIMENSIONS] = 1;
    const blob = vectorBlob(buffer.subarray(DIMENSIONS, 2 * DIMENSIONS));
    expect(blob.byteLength).toBe(4 * DIMENSIONS);
    expect(blob.readFloatLE(0)).toBe(1);
  });

  it('stamps the store with one model and refuses another', () => {
    migrate(db, factsMigrations, new Date('2026-11-21'));
    claimModel(db, 'one@q4/mean');
    claimModel(db, 'one@q4/mean');
    expect(() => claimModel(db, 'two@q4/mean')).toThrow('do not mix');
    expect(storedModel(db)).toBe('one@q4/mean');
  });
});

describe('words', () => {
  it('drops the words of asking, unless there is nothing else', () => {
    expect(contentWords('What are the best papers about rough volatility?')).toEqual([
      'best',
      'rough',
      'volatility',
    ]);
    expect(contentWords('the and of')).toEqual(['the', 'and', 'of']);
    expect(contentWords('CALL and PUT options')).toEqual(['call', 'put', 'options']);
  });

  it('reads full-width letters as letters', () => {
    expect(contentWords('ＶＩＸ')).toEqual(['vix']);
  });
});

describe('verdict', () => {
  const hit = (cosine: number | null, coverage: number) => ({
    id: 1,
    score: 0.5,
    cosine,
    coverage,
  });
  const { strongCosine, weakCosine, strongCoverage, weakCoverage } = VERDICT;
  const below = 0.01;
  it.each([
    [[], true, 'none'],
    [[], false, 'none'],
    [[hit(strongCosine, 0)], true, 'strong'],
    [[hit(strongCosine - below, 1)], true, 'weak'],
    [[hit(weakCosine, 1)], true, 'weak'],
    [[hit(weakCosine - below, 1)], true, 'none'],
    [[hit(null, 1)], true, 'none'],
    [[hit(0, 1), hit(strongCosine, 0)], true, 'strong'],
    [[hit(null, strongCoverage)], false, 'strong'],
    [[hit(null, strongCoverage - below)], false, 'weak'],
    [[hit(null, weakCoverage)], false, 'weak'],
    [[hit(null, weakCoverage - below)], false, 'none'],
  ] as const)('judges %j with vectors %s as %s', (hits, withVectors, verdict) => {
    expect(judgeMatch(hits, withVectors)).toBe(verdict);
  });
});
