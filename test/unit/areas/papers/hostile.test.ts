import fc from 'fast-check';
import { expect, it } from 'vitest';
import { upsertRecord } from '../../../../src/areas/papers/ingest.ts';
import { paperRead, paperSearch } from '../../../../src/areas/papers/operations.ts';
import { findHarvest, summarisePapers } from '../../../../src/areas/papers/queries.ts';
import { createArxivSource, type ListFormat } from '../../../../src/areas/papers/source.ts';
import type { HttpClient } from '../../../../src/upstream/client.ts';
import { StandInOai } from '../../../stand-ins/arxiv-oai.ts';
import { makePaper, makePapers, type StandInPaper } from '../../../stand-ins/arxiv-papers.ts';
import { runHarvest } from '../../../stand-ins/synced-papers.ts';
import { call, makeEmptyShelf, recordOf } from './shelf.ts';

const TODAY = '2026-11-21';
const day = fc.constantFrom('0001-01-01', '1985-12-31', '2026-11-21', '2027-06-01', '9999-12-31');
/** Up to three harvests: arXiv's clock, and the state of each paper in its records. */
const responses = fc.array(
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

it('no arXiv response removes a stored paper, withdraws many at once or makes the next harvest start in the future', async () => {
  const now = () => new Date(`${TODAY}T12:00:00Z`);
  const known = makePapers(40);
  const property = fc.asyncProperty(responses, async (hostile) => {
    const db = makeEmptyShelf();
    let papers = known;
    let theirs = now();
    const oai = new StandInOai({ pageSize: 15, joinRepeats: 1, now: () => theirs });
    const get: HttpClient['get'] = async (url, { read }) => {
      const body = Buffer.from(oai.respond(new URL(url).searchParams, papers));
      return read({ status: 200, body });
    };
    const source = createArxivSource({ get }, { oaiUrl: 'http://a', webUrl: '', ar5ivUrl: '' });
    const run = (format: ListFormat = 'arXiv') => runHarvest({ db: db, source, format, now });
    await run();
    for (const { responseDate, papers: changes } of hostile) {
      theirs = new Date(`${responseDate}T12:00:00Z`);
      papers = known.map((paper, index) => ({ ...paper, ...changes[index] }));
      // A run with implausible data fails.
      await run().catch(() => {});
      expect(db.prepare('SELECT count(*) FROM paper').pluck().get()).toBe(40);
      const left = summarisePapers(db).count;
      expect(left).toBeGreaterThanOrEqual(40 - 8 * hostile.length);
      const { nextFrom, from } = findHarvest(db, 'q-fin') ?? {};
      expect([nextFrom ?? '', from ?? ''].every((each) => each <= TODAY)).toBe(true);
    }
    // A good harvest is accepted afterwards.
    [papers, theirs] = [known.map((paper) => ({ ...paper, datestamp: TODAY })), now()];
    expect(await run()).toMatchObject({ finished: true });
    // Only the list of versions shows that a withdrawal on the same day was a mistake.
    await run('arXivRaw');
    expect(summarisePapers(db).count).toBe(40);
  });
  await fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 25) });
});

it('an arXiv record, however long, makes a card that fits into a reply', async () => {
  const db = makeEmptyShelf();
  const text = 'Words of this paper. '.repeat(1_000);
  const authors = Array.from({ length: 400 }, () => ({ keyname: text.slice(0, 300) }));
  const long = { title: text, abstract: text, comment: text, journalRef: text, doi: text, authors };
  const record = recordOf(makePaper(long));
  expect(record.metadata?.authors.at(-1)).toBe('others');
  upsertRecord(db, record, new Date(TODAY));
  const search = await call(db, paperSearch, { query: 'words of this paper' });
  const read = await call(db, paperRead, { paperCardId: record.id });
  for (const response of [search, read]) {
    expect(response.ok).toBe(true);
    // A read leaves out the sections that do not fit.
    const card = JSON.stringify(response.envelope, (key, value) =>
      key === 'sections' ? [] : value,
    );
    expect(card.length).toBeLessThan(19_500);
  }
});
