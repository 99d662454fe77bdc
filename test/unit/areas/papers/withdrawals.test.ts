import { beforeEach, expect, it } from 'vitest';
import { sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { paperRead } from '../../../../src/areas/papers/operations.ts';
import { syncPapers } from '../../../../src/areas/papers/sync.ts';
import { makePaper, type StandInPaper } from '../../../stand-ins/arxiv-papers.ts';
import { type Harvesting, startHarvesting } from './harvesting.ts';
import { failureOf, findPaper, searchCards } from './shelf.ts';

const now = () => new Date('2026-11-21T12:00:00Z');
const GONE = makePaper({}, 0);
const KEPT = makePaper({}, 1);
const OTHER = makePaper({}, 2);

let shelf: Harvesting;
const dates = { updated: '2026-10-02', datestamp: '2026-11-21' };
const records: StandInPaper[] = [
  { ...GONE, ...dates, version: 3, sourceType: 'I', comment: '12 pages' },
  { ...KEPT, comment: 'Version 2 was withdrawn by mistake', version: 3, sourceType: 'D' },
  OTHER,
];

beforeEach(async () => {
  shelf = await startHarvesting(now, { records: structuredClone(records), pageSize: 2, now });
});

const sync = (limit?: number) =>
  syncPapers({
    db: shelf.db,
    source: shelf.source,
    now,
    signal: new AbortController().signal,
    set: 'q-fin',
    since: undefined,
    limit,
    fullText: 0,
    parse: async () => ({ ok: false, reason: 'not a paper' }),
    describeFault: String,
    log: () => {},
    startProgress: () => () => {},
    attempt: (_, work) => work().catch(() => {}),
    loadModel: () => Promise.reject(new Error('no model')),
  });

const paper = (id: string) => findPaper(shelf.db, id);
const read = (id: string) => failureOf(shelf.db, paperRead, { paperCardId: id });

it('a sync removes a paper whose last version has no source, and the next sync does not restore it', async () => {
  await expect(sync()).resolves.toMatchObject({ added: 3, withdrawn: 1, papers: 2 });
  expect((await read(GONE.id)).message).toContain('The paper was withdrawn on 2026-10-02: ');
  const { cards } = await searchCards(shelf.db, { query: KEPT.title });
  expect(cards.map(({ sourcePaperId }) => sourcePaperId)).not.toContain(sourceIdOf(GONE.id));
  const card = cards.find(({ sourcePaperId }) => sourcePaperId === sourceIdOf(KEPT.id));
  const { published, updated } = KEPT;
  expect(card).toMatchObject({ version: 3, published, updated });
  // The record alone does not say that the paper was withdrawn, and must not restore it.
  await expect(sync()).resolves.toMatchObject({ changed: 0, withdrawn: 0, papers: 2 });
  shelf.arxiv.change(GONE.id, { version: 4, sourceType: 'D' });
  await expect(sync()).resolves.toMatchObject({ changed: 1, withdrawn: 0, papers: 3 });
});

it('accents that the list of versions writes in TeX are shown as letters', async () => {
  shelf.arxiv.change(KEPT.id, { journalRef: 'Erd\\H{o}s Review 3' });
  await sync();
  expect(paper(KEPT.id)?.journalRef).toBe('Erdős Review 3');
});

it('a sync requests one page of versions per page of records, and none if it stops at its limit', async () => {
  const lists = () => shelf.arxiv.requests.filter(({ path }) => path.includes('ListRecords'));
  const isOfVersions = ({ path }: { path: string }) => path.includes('arXivRaw');
  await sync(1);
  expect(lists()).toHaveLength(1);
  await sync();
  const versions = lists().filter(isOfVersions).length;
  expect(versions).toBeGreaterThan(1);
  expect(lists()).toHaveLength(2 * versions + 1);
  expect(shelf.arxiv.requests).toHaveLength(lists().length);
});

it('a sync requests the versions of all papers from earlier harvests', async () => {
  await shelf.run({ since: '2024-01-01' });
  await expect(sync()).resolves.toMatchObject({ withdrawn: 1 });
  const first = shelf.arxiv.requests.find(({ path }) => path.includes('arXivRaw'));
  expect(first?.path).toContain('from=2024-01-01');
});

it('a paper is withdrawn while its comment says that another paper supersedes it', async () => {
  const titles = async () =>
    (await searchCards(shelf.db, { query: OTHER.title })).cards.map(({ title }) => title);
  const say = (comment: string) => {
    shelf.arxiv.change(OTHER.id, { comment, datestamp: '2026-11-21' });
    return sync();
  };
  await say('9 pages');
  const superseded = await say('Superseded by arXiv:2609.00003');
  expect(superseded).toMatchObject({ withdrawn: 1, papers: 1 });
  expect(await titles()).not.toContain(OTHER.title);
  const { message } = await read(OTHER.id);
  expect(message).toContain('The paper was superseded by another on 2026-11-21: ');
  await say('9 pages');
  expect(await titles()).toContain(OTHER.title);
  expect(paper(OTHER.id)).toMatchObject({ withdrawn: 0, comment: '9 pages' });
});
