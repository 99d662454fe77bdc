import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { paperRead } from '../../../../src/areas/papers/operations.ts';
import { findPaperByCardId } from '../../../../src/areas/papers/queries.ts';
import { createPaperRefresher, type PaperRefresher } from '../../../../src/areas/papers/refresh.ts';
import { makePapers, withdrawalOf } from '../../../stand-ins/arxiv-papers.ts';
import { type Harvesting, startHarvesting } from './harvesting.ts';
import { failureOf } from './shelf.ts';

const [KNOWN, WITHDRAWN] = makePapers(2);
if (KNOWN === undefined || WITHDRAWN === undefined) throw new Error('no papers');

describe('a paper that is not stored', () => {
  const clock = new Date('2026-11-21T12:00:00Z');
  let shelf: Harvesting;
  let refresher: PaperRefresher;
  let isUnreachable = false;

  beforeEach(async () => {
    isUnreachable = false;
    const now = () => clock;
    shelf = await startHarvesting(now, {
      records: [KNOWN, { ...WITHDRAWN, ...withdrawalOf(WITHDRAWN, '2026-11-20') }],
      now,
    });
    refresher = createPaperRefresher({
      db: shelf.db,
      source: shelf.source,
      now,
      parse: async () => ({ ok: false, reason: 'not a paper' }),
      embedLater: () => {},
      reachability: { isUpstreamUnreachable: () => isUnreachable },
      log: () => {},
    });
  });
  afterEach(async () => {
    await refresher.close();
    await shelf.close();
  });

  const add = (id: string) => refresher.add(id, () => {}, new AbortController().signal);
  const paper = (id: string) => findPaperByCardId(shelf.db, cardIdOf(sourceIdOf(id)));

  it('is added by its arXiv id with its abstract, in one request for all callers', async () => {
    const outcomes = await Promise.all([add(KNOWN.id), add(KNOWN.id)]);
    expect(outcomes).toEqual(['settled', 'settled']);
    expect(paper(KNOWN.id)).toMatchObject({ title: KNOWN.title, origin: 'arxiv' });
    expect(shelf.arxiv.requests).toHaveLength(1);
  });

  it('is not added if arXiv does not know it or cannot be reached', async () => {
    expect(await add('2609.09999')).toBe('settled');
    expect(paper('2609.09999')).toBeUndefined();
    isUnreachable = true;
    expect(await add(KNOWN.id)).toBe('unreachable');
  });

  it('is not returned if it was withdrawn, and the read says when', async () => {
    await add(WITHDRAWN.id);
    const error = await failureOf(shelf.db, paperRead, { paperCardId: WITHDRAWN.id });
    expect(error).toMatchObject({ code: 'not_found' });
    expect(error.message).toContain('The paper was withdrawn on 2026-11-20: ');
  });

  it('gets its text in the background once added, without reports to a call that does not wait', async () => {
    await add(KNOWN.id);
    const reports: string[] = [];
    const report = (message: string) => reports.push(message);
    const { signal } = new AbortController();
    const cardId = cardIdOf(sourceIdOf(KNOWN.id));
    expect(await refresher.freshen(cardId, false, report, signal)).toBe('pending');
    const before = reports.length;
    await expect.poll(() => shelf.arxiv.requests.length).toBeGreaterThan(2);
    expect(reports).toHaveLength(before);
  });
});
