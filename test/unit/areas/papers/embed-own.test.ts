import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { DIGEST_MARK } from '../../../../src/areas/papers/digest.ts';
import { digestPending } from '../../../../src/areas/papers/vector-ingest.ts';
import type { HeldShelf } from '../../../../src/core/context.ts';
import { axis } from '../../../vectors.ts';
import { makeCard, makeEmptyShelf } from './shelf.ts';

let db: HeldShelf['db'];
let remove: () => void;
beforeEach(() => {
  ({ db, remove } = makeEmptyShelf());
});
afterEach(() => remove());

/** A card of the starter shelf without vectors. */
function putStarter(): void {
  const abstract = `${DIGEST_MARK}What dealers do.`;
  const ours = { abstract, summary: 'Our summary.', tags: ['dealers'], origin: 'starter' } as const;
  insertPapers(db, [makeCard(ours)]);
}

it('a starter card without vectors gets them, and keeps our summary and tags', async () => {
  putStarter();
  const texts: string[] = [];
  const embed = async (batch: readonly string[]) => {
    texts.push(...batch);
    return batch.map(() => axis(0));
  };
  const signal = AbortSignal.timeout(5_000);
  expect(await digestPending(db, embed, { signal })).toBe(1);
  expect(texts.at(-1)).toBe('Dealers. What dealers do. Our summary. dealers.');
  const [card] = db.prepare('SELECT summary, tags, digested FROM paper').all();
  expect(card).toEqual({ summary: 'Our summary.', tags: '["dealers"]', digested: 1 });
  expect(await digestPending(db, embed, { signal })).toBe(0);
});
