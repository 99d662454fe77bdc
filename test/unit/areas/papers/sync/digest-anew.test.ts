import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { insertPapers, type Paper } from '../../../../../src/areas/papers/ingest.ts';
import { countUndigested } from '../../../../../src/areas/papers/sync/queries.ts';
import { paperMigrations } from '../../../../../src/areas/papers/tables.ts';
import { factsMigrations } from '../../../../../src/store/facts.ts';
import { migrate } from '../../../../../src/store/migrations.ts';
import { DIMENSIONS } from '../../../../../src/store/vectors.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const vector = new Float32Array(DIMENSIONS);
vector[0] = 1;

function paper(sourceId: string, origin: 'arxiv' | 'starter'): Paper {
  return {
    sourceId,
    version: 1,
    title: 'Baskets',
    authors: ['A. Nobody'],
    abstract: 'We price baskets.',
    summary: 'A summary of the earlier rules.',
    tags: ['option pricing'],
    categories: ['q-fin.PR'],
    published: null,
    licenseUrl: null,
    pdfUrl: 'https://arxiv.org/pdf/2501.00001',
    origin,
    asOf: NOW.toISOString(),
    sections: [],
    vector,
  };
}

it('lets the next sync digest what earlier rules digested, and keeps that until then', () => {
  const db = new Sqlite(':memory:');
  const before = paperMigrations.filter(({ name }) => name !== 'papers-5-digest-anew');
  migrate(db, [...factsMigrations, ...before], NOW);
  insertPapers(db, [paper('2501.00001', 'arxiv'), paper('2501.00002', 'starter')]);
  expect(countUndigested(db)).toBe(0);

  migrate(db, [...factsMigrations, ...paperMigrations], NOW);
  const cards = db.prepare('SELECT origin, digested, summary FROM paper ORDER BY id').all();
  const summary = 'A summary of the earlier rules.';
  expect(cards).toEqual([
    { origin: 'arxiv', digested: 0, summary },
    { origin: 'starter', digested: 1, summary },
  ]);
  expect(countUndigested(db)).toBe(1);
});
