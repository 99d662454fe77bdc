import type { Database } from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { storeHistory } from '../../../../src/areas/papers/ingest.ts';
import { isWithdrawn } from '../../../../src/areas/papers/withdrawals.ts';
import { makePaper } from '../../../stand-ins/arxiv-papers.ts';
import { syncPapers } from '../../../stand-ins/synced-papers.ts';
import { findPaper, makeEmptyShelf, readPaper, recordOf, searchCards } from './shelf.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let db: Database;

beforeEach(() => {
  db = makeEmptyShelf();
});

it.each([
  ['2605.00001', '2026-05-07', '2026-05-07'],
  // The id may be of the month after the submission.
  ['2605.00001', '2026-04-30', '2026-04-30'],
  // The day may be that of a later version.
  ['2605.00001', '2026-06-01', '2026-05'],
  ['0704.0001', '2007-04-02', '2007-04-02'],
  ['q-fin/0601001', '2026-06-01', '2006-01'],
  ['hep-th/9108001', '1991-08-31', '1991-08-31'],
])(
  'the paper %s, whose record says that it was created on %s, has the publication date %s',
  async (id, created, published) => {
    await syncPapers(db, [makePaper({ id, created })]);
    expect(findPaper(db, id)?.published).toBe(published);
  },
);

it('the card, reading and citation of a paper show the same publication date, which the list of versions completes', async () => {
  const paper = makePaper({ id: '2601.00009', created: '2026-02-11', published: '2025-12-20' });
  const dates = async () => {
    const [card] = (await searchCards(db, { query: paper.title })).cards;
    const { data: reading } = await readPaper(db, { paperCardId: card?.paperCardId });
    const year = /year = \{(.*)\}/.exec(reading.bibtex)?.[1];
    return [card?.published, reading.published, year];
  };
  await syncPapers(db, [paper], { now: () => NOW });
  expect(await dates()).toEqual(['2026-01', '2026-01', '2026']);
  storeHistory(db, recordOf(paper, 'arXivRaw'), NOW);
  expect(await dates()).toEqual(['2025-12-20', '2025-12-20', '2025']);
  await syncPapers(db, [{ ...paper, title: `${paper.title}, revised` }]);
  expect(await dates()).toEqual(['2025-12-20', '2025-12-20', '2025']);
});

const ABSTRACT = 'We price options.';

it.each([
  'Withdrawn',
  'This paper has been withdrawn by the author due to an error in equation 4',
  'arXiv admin note: This submission has been withdrawn by arXiv administrators due to disputed authorship',
  'This paper has been superseded and withdrawn, see arXiv:2401.00001',
  'This paper was withdrawn because Theorem 1 of an earlier paper had to be removed',
  'We have withdrawn this paper because of an error in Lemma 2',
  'To be withdrawn: the main theorem is wrong',
  'The first author has withdrawn this paper',
  'Retracted because of an error in the data of Section 3',
  'We are withdrawing this paper until the data are checked',
  'Withdrawing this submission, since Lemma 2 is wrong',
  'I decided to retract this note',
  'Superseded by arXiv:2401.00001',
  '12 pages. This paper is now superseded by a newer paper of ours, arXiv:2401.00001',
])('a paper with the comment "%s" counts as withdrawn', (comment) => {
  expect(isWithdrawn({ comment, abstract: ABSTRACT })).toBe(true);
});

it.each([
  'Withdrawn.',
  'We withdraw this paper: the proof of Theorem 3 is wrong.',
  'This article has been removed by arXiv administrators.',
  'This work has been superseded by arXiv:2401.00001.',
  'We price options. This paper has been withdrawn by the author due to an error.',
])('a paper with the abstract "%s" counts as withdrawn', (abstract) => {
  expect(isWithdrawn({ comment: null, abstract })).toBe(true);
});

it('a paper counts as withdrawn if its last version was withdrawn, but not if an earlier one was', () => {
  const version = { version: 1, day: '2026-01-02' };
  const gone = { version: 2, day: '2026-02-03', isWithdrawn: true } as const;
  const said = { comment: null, abstract: ABSTRACT };
  expect(isWithdrawn({ ...said, versions: [version, gone] })).toBe(true);
  expect(isWithdrawn({ ...said, versions: [gone, { ...version, version: 3 }] })).toBe(false);
});

it.each([
  'Replaces the paper that was withdrawn by the author in March',
  'v2 was withdrawn by mistake; v3 is complete',
  'This paper was withdrawn from the conference and sent to a journal',
  'The previous version was removed by arXiv administrators',
  'Two figures removed by arXiv because of their size',
  'We have withdrawn the claim on existence',
  'This paper supersedes arXiv:2301.00001, which was withdrawn',
  'This paper is superseded by the published version in a journal',
  'The results of our previous paper are superseded by this paper',
  'Contains a corrected proof of a lemma that was retracted elsewhere',
])('a paper with the comment "%s" does not count as withdrawn', (comment) => {
  expect(isWithdrawn({ comment, abstract: ABSTRACT })).toBe(false);
});

it.each([
  'Withdrawn deposits move from weak banks to strong ones, as we show.',
  'We measure withdrawal risk in open-ended funds.',
  'This paper asks why articles are retracted by journals, and at what cost.',
  'We study submissions that were withdrawn by authors of economics journals.',
])('a paper with the abstract "%s" does not count as withdrawn', (abstract) => {
  expect(isWithdrawn({ comment: null, abstract })).toBe(false);
});
