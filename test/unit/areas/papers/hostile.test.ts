import fc from 'fast-check';
import { expect, it } from 'vitest';
import { harvest } from '../../../../src/areas/papers/harvest.ts';
import { findHarvest, summarisePapers } from '../../../../src/areas/papers/queries.ts';
import { createArxivSource } from '../../../../src/areas/papers/source.ts';
import type { HttpClient } from '../../../../src/upstream/client.ts';
import { StandInOai } from '../../../stand-ins/arxiv-oai.ts';
import { makePapers, type StandInPaper } from '../../../stand-ins/arxiv-papers.ts';
import { makeEmptyShelf } from './shelf.ts';

const TODAY = '2026-11-21';
const day = fc.constantFrom('0001-01-01', '1985-12-31', '2026-11-21', '2027-06-01', '9999-12-31');
/** Up to three harvests: arXiv's clock, and what its records say of each paper. */
const replies = fc.array(
  fc.record({
    responseDate: day,
    papers: fc.array(
      fc.record(
        {
          datestamp: day,
          updated: day,
          created: day,
          published: day,
          deleted: fc.boolean(),
          comment: fc.constantFrom('This paper has been withdrawn.', 'x'.repeat(9_000)),
          title: fc.constantFrom('', '<b>', '\u202e'),
          abstract: fc.constantFrom('', 'y'.repeat(9_000)),
          authors: fc.constantFrom<StandInPaper['authors']>([]),
          categories: fc.constantFrom<string[]>([], ['cs.LG'], ['nothing']),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 12 },
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

it('no reply of arXiv removes a stored paper, withdraws many or begins the next harvest after today', async () => {
  const now = () => new Date(`${TODAY}T12:00:00Z`);
  const known = makePapers(40);
  const { signal } = new AbortController();
  const property = fc.asyncProperty(replies, async (hostile) => {
    const shelf = makeEmptyShelf();
    let papers = known;
    let theirs = now();
    const oai = new StandInOai({ pageSize: 15, joinRepeats: 1, now: () => theirs });
    const get: HttpClient['get'] = async (url, { read }) => {
      const body = Buffer.from(oai.answer(new URL(url).searchParams, papers));
      return read({ status: 200, body });
    };
    const source = createArxivSource({ get }, { oaiUrl: 'http://a', webUrl: '', ar5ivUrl: '' }, 0);
    const run = () => harvest(shelf.db, source, { set: 'q-fin', now, signal });
    await run();
    for (const { responseDate, papers: changes } of hostile) {
      theirs = new Date(`${responseDate}T12:00:00Z`);
      papers = known.map((paper, index) => ({ ...paper, ...changes[index] }));
      // What is implausible fails the run.
      await run().catch(() => {});
      const counts = shelf.db
        .prepare('SELECT count(*) AS stored, sum(withdrawn) AS withdrawn FROM paper')
        .get();
      expect(counts).toMatchObject({ stored: 40 });
      expect(Number(Object(counts).withdrawn)).toBeLessThanOrEqual(8 * hostile.length);
      const { nextFrom, from } = findHarvest(shelf.db, 'q-fin') ?? {};
      expect([nextFrom ?? '', from ?? ''].every((each) => each <= TODAY)).toBe(true);
    }
    // And a good one is taken again.
    [papers, theirs] = [known.map((paper) => ({ ...paper, datestamp: TODAY })), now()];
    expect(await run()).toMatchObject({ finished: true });
    expect(summarisePapers(shelf.db).count).toBe(40);
    shelf.remove();
  });
  await fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 25) });
});
