import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { summarisePapers } from '../../../../../src/areas/papers/queries.ts';
import { readRecordedPapers } from '../../../../stand-ins/arxiv-papers.ts';
import { syncPapers } from '../../../../stand-ins/synced-papers.ts';
import { makeEmptyShelf } from '../shelf.ts';

const recorded = readRecordedPapers();

describe.skipIf(recorded.length === 0)('2,000 recorded papers, synced', () => {
  let shelf: ReturnType<typeof makeEmptyShelf>;
  beforeAll(async () => {
    shelf = makeEmptyShelf();
    await syncPapers(shelf.db, recorded);
  });
  afterAll(() => shelf.remove());

  it('are all on the shelf', () => {
    expect(summarisePapers(shelf.db).count).toBe(recorded.length);
  });
});
