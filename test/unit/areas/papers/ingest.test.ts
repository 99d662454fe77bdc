import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertPapers, type Paper } from '../../../../scripts/starter/insert-papers.ts';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { findPaperByCardId, listSections } from '../../../../src/areas/papers/queries.ts';
import { paperIndex } from '../../../../src/areas/papers/tables.ts';
import { DIMENSIONS } from '../../../../src/search/vectors.ts';
import { searchWith } from '../../../search.ts';
import { axis } from '../../../vectors.ts';
import { makeEmptyShelf } from './shelf.ts';

let shelf: ReturnType<typeof makeEmptyShelf>;
beforeEach(() => {
  shelf = makeEmptyShelf();
});
afterEach(() => shelf.remove());

function paper(changes: Partial<Paper> = {}): Paper {
  return {
    sourceId: sourceIdOf('1404.4944'),
    version: 1,
    title: 'A paper on kurtosis',
    authors: ['Ada Example'],
    abstract: 'About tails.',
    summary: 'About tails.',
    tags: ['tail risk'],
    categories: ['q-fin.RM'],
    published: '2014-04-19',
    licenseUrl: null,
    pdfUrl: 'https://arxiv.org/pdf/1404.4944v1',
    origin: 'arxiv',
    asOf: '2026-01-01T00:00:00.000Z',
    sections: [
      {
        key: 'abstract',
        type: 'abstract',
        title: 'Abstract',
        content: 'About tails.',
        vectors: [],
      },
    ],
    vector: axis(0),
    ...changes,
  };
}

it('gives a paper the same card id on every machine', () => {
  // Computed independently, with Python's uuid.uuid5 and the same namespace.
  expect(cardIdOf('arxiv:1404.4944')).toBe('ff05c4c6-1274-5292-aa0e-b5ee72a48b2e');
  expect(cardIdOf('arxiv:q-fin/0601001')).not.toBe(cardIdOf('arxiv:1404.4944'));
});

async function found(db: Database, text: string, vector: Float32Array | null, limit: number) {
  return (await searchWith(db, paperIndex, { text: text || 'unheard', vector, limit })).matches;
}

it('replaces a known paper completely, under the same card id and in search', async () => {
  const { db } = shelf;
  insertPapers(db, [paper()]);
  const before = findPaperByCardId(db, cardIdOf('arxiv:1404.4944'));
  insertPapers(db, [
    paper({ version: 2, title: 'A paper on skewness', sections: [], vector: axis(1) }),
  ]);
  const after = findPaperByCardId(db, cardIdOf('arxiv:1404.4944'));
  expect(after?.id).toBe(before?.id);
  expect(after?.title).toBe('A paper on skewness');
  expect(listSections(db, after?.id ?? 0)).toEqual([]);
  expect(await found(db, 'kurtosis', null, 5)).toEqual([]);
  expect(await found(db, 'skewness', null, 5)).toHaveLength(1);
  expect((await found(db, '', axis(0), 5))[0]?.cosine).toBeCloseTo(0, 1);
  expect((await found(db, '', axis(1), 5))[0]?.cosine).toBeCloseTo(1, 1);
});

it('inserts all papers of a call or none', async () => {
  const { db } = shelf;
  const bad = paper({ sourceId: sourceIdOf('1404.0001'), vector: new Float32Array(DIMENSIONS) });
  expect(() => insertPapers(db, [paper(), bad])).toThrow('unit length');
  expect(db.prepare('SELECT count(*) FROM paper').pluck().get()).toBe(0);
  expect(await found(db, 'kurtosis', null, 5)).toEqual([]);
});
