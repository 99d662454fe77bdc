import { describe, expect, it } from 'vitest';
import { TokenExpired } from '../../../../src/areas/papers/arxiv/oai.ts';
import type { RecordPage } from '../../../../src/areas/papers/arxiv/records.ts';
import type { ArxivSource } from '../../../../src/areas/papers/source.ts';
import {
  LICENSES,
  makePaper,
  makePapers,
  readRecordedPapers,
  withdrawalOf,
} from '../../../stand-ins/arxiv-papers.ts';
import { startSource } from './arxiv/start.ts';

const SET = 'q-fin:q-fin';
const FIRST_DAY = '2005-09-16';

async function listAll(source: ArxivSource, from = FIRST_DAY): Promise<RecordPage[]> {
  const pages = [await source.listRecords({ set: SET, from })];
  for (let token = pages[0]?.token ?? null; token !== null; token = pages.at(-1)?.token ?? null) {
    pages.push(await source.listRecords({ token }));
  }
  return pages;
}

const idsOf = (pages: readonly RecordPage[]) =>
  pages.flatMap(({ records }) => records.map(({ id }) => id));

describe('lists of records', () => {
  it('come in pages, each of which repeats the end of the one before', async () => {
    const { standIn, source } = await startSource();
    const pages = await listAll(source);
    const ids = idsOf(pages);
    expect(pages.map(({ records }) => records.length)).toEqual([4, 4, 4]);
    expect([...new Set(ids)]).toEqual(makePapers(10).map(({ id }) => id));
    expect(ids).toHaveLength(12);
    expect(pages.every(({ responseDate }) => responseDate === '2026-06-10')).toBe(true);
    const [first, second] = standIn.requests.map(({ path }) => path);
    expect(first).toBe(
      '/oai?verb=ListRecords&metadataPrefix=arXiv&set=q-fin%3Aq-fin&from=2005-09-16',
    );
    expect(second).toMatch(/^\/oai\?verb=ListRecords&resumptionToken=[^&]+$/);
  });

  it('contain changes since a day, or nothing', async () => {
    const { standIn, source } = await startSource();
    expect(idsOf(await listAll(source, '2026-05-03'))).toEqual(
      expect.arrayContaining(['2609.00007', '2609.00010']),
    );
    expect(await listAll(source, '2026-06-01')).toEqual([
      { records: [], skipped: [], token: null, responseDate: '2026-06-10' },
    ]);
    standIn.change('2609.00002', { datestamp: '2026-06-02', abstract: 'Another.' });
    expect((await listAll(source, '2026-06-01'))[0]?.records).toMatchObject([
      { id: '2609.00002', datestamp: '2026-06-02', metadata: { abstract: 'Another.' } },
    ]);
  });

  it('contain withdrawals, deletions and new versions', async () => {
    const { standIn, source } = await startSource({ records: [makePaper(), makePaper({}, 1)] });
    standIn.change('2609.00001', withdrawalOf(makePaper(), '2026-05-04'));
    standIn.change('2609.00002', { deleted: true });
    standIn.records.push(makePaper({ id: 'q-fin/0601001', license: LICENSES.by }, 2));
    const [page] = await listAll(source);
    expect(page?.records.map(({ id, metadata }) => [id, metadata === null])).toEqual([
      ['2609.00002', true],
      ['q-fin/0601001', false],
      ['2609.00001', false],
    ]);
    expect(page?.records[2]?.metadata?.comment).toMatch(/withdrawn/);
  });

  it('reject with TokenExpired when the token is no longer known', async () => {
    const { standIn, source } = await startSource();
    const { token } = await source.listRecords({ set: SET, from: FIRST_DAY });
    standIn.expireTokens();
    await expect(source.listRecords({ token: token ?? '' })).rejects.toThrow(TokenExpired);
    standIn.fault('/oai', [{ kind: 'bad-token' }]);
    await expect(source.listRecords({ set: SET, from: FIRST_DAY })).rejects.toThrow(TokenExpired);
  });

  it('are rejected for days before the beginning', async () => {
    const { source } = await startSource();
    await expect(source.listRecords({ set: SET, from: '1999-01-01' })).rejects.toMatchObject({
      name: 'RejectedRequestError',
      message: 'arXiv rejected the request for records (badArgument).',
    });
  });

  const recorded = readRecordedPapers();
  it.skipIf(recorded.length === 0)('accept real papers, 2,000 at once', async () => {
    const { source } = await startSource({ records: recorded, pageSize: 2_500, gzip: true });
    const { records } = await source.listRecords({ set: 'q-fin', from: FIRST_DAY });
    const byId = new Map(records.map((record) => [record.id, record.metadata]));
    expect(byId.size).toBeGreaterThan(1_900);
    for (const { id, title, authors } of recorded.slice(0, 300)) {
      const metadata = byId.get(id);
      if (metadata === undefined) continue;
      expect(metadata?.title).toBe(title.replace(/\s+/g, ' ').trim());
      expect(metadata?.authors).toHaveLength(authors.length);
    }
  });
});

describe('one record', () => {
  it('is found by its id, old or new, or is unknown', async () => {
    const old = makePaper({ id: 'q-fin/0601001', title: 'An old one' });
    const { source } = await startSource({ records: [makePaper(), old] });
    expect((await source.getRecord('2609.00001'))?.id).toBe('2609.00001');
    expect((await source.getRecord('q-fin/0601001'))?.metadata?.title).toBe('An old one');
    expect(await source.getRecord('2609.09999')).toBeNull();
    expect((await source.getHistory('q-fin/0601001'))?.metadata?.versions).toHaveLength(1);
    expect(await source.getHistory('2609.09999')).toBeNull();
  });
});
