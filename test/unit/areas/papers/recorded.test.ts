import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { findPapers } from '../../../../src/areas/papers/find.ts';
import { summarisePapers } from '../../../../src/areas/papers/queries.ts';
import { allOf, isPublished } from '../../../../src/areas/papers/restrictions.ts';
import { offline } from '../../../context.ts';
import { readRecordedPapers, type StandInPaper } from '../../../stand-ins/arxiv-papers.ts';
import { syncPapers } from '../../../stand-ins/synced-papers.ts';
import { makeEmptyShelf } from './shelf.ts';

/** Papers that the tests name, and all of an author. */
const isNamed = ({ id, authors }: StandInPaper) =>
  ['2511.13277', '2509.25076'].includes(id) ||
  authors.some(({ keyname }) => keyname === 'Bouchaud');
/** Every fourth of 2,000 besides: to store them takes most of the time. */
const recorded = readRecordedPapers().filter((paper, at) => at % 4 === 0 || isNamed(paper));
const NOW = new Date('2026-11-21T12:00:00Z');
const NO_MODEL = { unavailable: 'no model in this test' };

interface Row {
  id: string;
  published: string;
}

describe.skipIf(recorded.length === 0)('recorded papers, synced', () => {
  let shelf: ReturnType<typeof makeEmptyShelf>;
  let db: Database;
  beforeAll(async () => {
    shelf = makeEmptyShelf();
    db = shelf.db;
    await syncPapers(db, recorded, { now: () => NOW });
  }, 180_000);
  afterAll(() => shelf.remove());

  const within = (from: string | null, to: string | null): Row[] => {
    const { where, params } = allOf([isPublished({ from, to }, 'day')]);
    return db
      .prepare<object, Row>(
        `SELECT substr(source_id, 7) AS id, published FROM paper p WHERE ${where}`,
      )
      .all(params);
  };

  it('recorded papers have the day of their first version, or the month in their id', () => {
    const truth = new Map(recorded.map((paper) => [paper.id, paper]));
    const rows = within(null, null);
    expect(rows.map(({ id }) => id).sort()).toEqual([...truth.keys()].sort());
    for (const { id, published } of rows) {
      const paper = truth.get(id);
      const month = `20${id.slice(0, 2)}-${id.slice(2, 4)}`;
      if (paper?.version === 1) expect(published).toBe(paper.published);
      // Records of later versions may be of a later day in the same month, never of a later month.
      else expect([month, paper?.published.slice(0, 7)]).toContain(published.slice(0, 7));
    }
    // The recorded data know which were revised.
    expect(rows.filter(({ published }) => published.length === 7).length).toBeGreaterThan(80);
    const newest = rows
      .map(({ published }) => published)
      .sort()
      .at(-1);
    expect(summarisePapers(db).newest).toBe(newest);
  });

  it('a span of dates includes each recorded paper that may be in it', () => {
    const has = (id: string, from: string | null, to: string | null) =>
      within(from, to).some((row) => row.id === id);
    // 2511.13277, of which the record tells the month alone, and 2509.25076 of 2025-09-29.
    expect(has('2511.13277', '2025-11-20', null)).toBe(true);
    expect(has('2511.13277', null, '2025-11-02')).toBe(true);
    expect(has('2511.13277', '2025-12-01', null)).toBe(false);
    expect(has('2511.13277', null, '2025-10-31')).toBe(false);
    expect(has('2509.25076', '2025-09-29', '2025-09-29')).toBe(true);
    expect(has('2509.25076', '2025-09-30', null)).toBe(false);
    expect(has('2509.25076', null, '2025-09-28')).toBe(false);
    expect(has('2509.25076', '2025-09', '2025-09')).toBe(true);
    expect(has('2509.25076', '2025', '2025')).toBe(true);
    expect(has('2509.25076', null, '2025-08')).toBe(false);
    expect(has('2509.25076', '2026', null)).toBe(false);
  });

  it('the recorded papers of an author come newest first', async () => {
    const context = { ...offline, db, now: () => NOW, embedQuery: async () => NO_MODEL };
    const { papers, verdict } = await findPapers(context, 'author:bouchaud', 10);
    const newest = papers.map(({ paper }) => paper.sourceId);
    expect(verdict).toBe('strong');
    const truth = recorded
      .filter(({ authors }) => authors.some(({ keyname }) => keyname === 'Bouchaud'))
      .sort((a, b) => (a.published < b.published ? 1 : -1));
    expect(truth).toHaveLength(9);
    expect(newest).toEqual(truth.map(({ id }) => sourceIdOf(id)));
  });
});
