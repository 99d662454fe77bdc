import { afterEach, beforeEach, expect, it } from 'vitest';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { paperRead } from '../../../../src/areas/papers/operations.ts';
import { syncPapers } from '../../../../src/areas/papers/sync.ts';
import { makePapers, type StandInPaper } from '../../../stand-ins/arxiv-papers.ts';
import { type Harvesting, startHarvesting } from './harvesting.ts';
import { failureOf, searchCards } from './shelf.ts';

const now = () => new Date('2026-11-21T12:00:00Z');
const [GONE, KEPT, OTHER] = makePapers(3);
if (GONE === undefined || KEPT === undefined || OTHER === undefined) throw new Error('no papers');

let shelf: Harvesting;
const gone = { version: 3, updated: '2026-10-02', sourceType: 'I' };
const records: StandInPaper[] = [
  { ...GONE, ...gone, comment: 'Taken down, see our superseding work' },
  { ...KEPT, comment: 'Version 2 was withdrawn by mistake', version: 3, sourceType: 'D' },
  OTHER,
];

beforeEach(async () => {
  shelf = await startHarvesting(now, { records: structuredClone(records), now });
});
afterEach(() => shelf.close());

const sync = () =>
  syncPapers({
    ...{ db: shelf.db, source: shelf.source, now, signal: new AbortController().signal },
    ...{ set: 'q-fin', since: undefined, limit: undefined, fullText: 0 },
    parse: async () => ({ ok: false, reason: 'not a paper' }),
    describeFault: String,
    log: () => {},
    startProgress: () => () => {},
    attempt: (_, work) => work().catch(() => {}),
    loadModel: () => Promise.reject(new Error('no model')),
  });

it('a read says that a paper was superseded by another, although arXiv did not withdraw it', async () => {
  await sync();
  const comment = 'Superseded by arXiv:2609.00003';
  shelf.arxiv.change(OTHER.id, { comment, datestamp: '2026-11-21' });
  await expect(sync()).resolves.toMatchObject({ withdrawn: 1, papers: 1 });
  const error = await failureOf(shelf.db, paperRead, {
    paperCardId: cardIdOf(sourceIdOf(OTHER.id)),
  });
  expect(error.message).toContain('The paper was superseded by another on 2026-11-21: ');
});

it('a sync asks once for the history of each paper whose comment may mean a withdrawal', async () => {
  await expect(sync()).resolves.toMatchObject({ added: 3, withdrawn: 1, papers: 2 });
  const histories = () => shelf.arxiv.requests.filter(({ path }) => path.includes('arXivRaw'));
  expect(histories()).toHaveLength(2);
  const error = await failureOf(shelf.db, paperRead, {
    paperCardId: cardIdOf(sourceIdOf(GONE.id)),
  });
  expect(error.message).toContain('The paper was withdrawn on 2026-10-02: ');
  const { cards } = await searchCards(shelf.db, { query: KEPT.title });
  expect(cards.map(({ sourcePaperId }) => sourcePaperId)).toContain(sourceIdOf(KEPT.id));
  await sync();
  expect(histories()).toHaveLength(2);
});
