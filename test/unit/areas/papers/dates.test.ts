import { afterEach, beforeEach, expect, it } from 'vitest';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { storeHistory } from '../../../../src/areas/papers/ingest.ts';
import { paperRead, paperSearch } from '../../../../src/areas/papers/operations.ts';
import { findPaperByCardId } from '../../../../src/areas/papers/queries.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { makePaper } from '../../../stand-ins/arxiv-papers.ts';
import { syncPapers } from '../../../stand-ins/synced-papers.ts';
import { call, makeEmptyShelf, makeHistory } from './shelf.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let shelf: ReturnType<typeof makeEmptyShelf>;

beforeEach(() => {
  shelf = makeEmptyShelf();
});
afterEach(() => shelf.remove());

it.each([
  ['2605.00001', '2026-05-07', '2026-05-07'],
  // Numbered in the month after.
  ['2605.00001', '2026-04-30', '2026-04-30'],
  // The day of a later version.
  ['2605.00001', '2026-06-01', '2026-05'],
  ['0704.0001', '2007-04-02', '2007-04-02'],
  ['q-fin/0601001', '2026-06-01', '2006-01'],
  ['hep-th/9108001', '1991-08-31', '1991-08-31'],
])('%s, created on %s by its record, is published %s', async (id, created, published) => {
  await syncPapers(shelf.db, [makePaper({ id, created })]);
  expect(findPaperByCardId(shelf.db, cardIdOf(sourceIdOf(id)))?.published).toBe(published);
});

it('is the same in card, reading and citation; its history makes a month a day, which stays', async () => {
  const paper = makePaper({ id: '2601.00009', created: '2026-02-11', published: '2025-12-20' });
  const answer = async (operation: Operation, input: object) => {
    const outcome = await call(shelf.db, operation, input);
    if (!outcome.ok) throw new Error(outcome.envelope.error.message);
    return outcome.envelope.data;
  };
  const dates = async () => {
    const query = paper.title;
    const [card] = paperSearch.output.parse(await answer(paperSearch, { query }));
    const { paperCardId } = card ?? {};
    const reading = paperRead.output.parse(await answer(paperRead, { paperCardId }));
    const year = /year = \{(.*)\}/.exec(reading.bibtex)?.[1];
    return [card?.published, reading.published, year];
  };
  await syncPapers(shelf.db, [paper], { now: () => NOW });
  expect(await dates()).toEqual(['2026-01', '2026-01', '2026']);
  storeHistory(shelf.db, makeHistory(paper), NOW);
  expect(await dates()).toEqual(['2025-12-20', '2025-12-20', '2025']);
  await syncPapers(shelf.db, [{ ...paper, title: `${paper.title}, revised` }]);
  expect(await dates()).toEqual(['2025-12-20', '2025-12-20', '2025']);
});
