import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { DIGEST_MARK } from '../../../../src/areas/papers/digest.ts';
import { digestPending } from '../../../../src/areas/papers/vector-ingest.ts';
import type { HeldShelf } from '../../../../src/core/context.ts';
import { axis } from '../../../vectors.ts';
import { makeEmptyShelf } from './shelf.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let db: HeldShelf['db'];
let remove: () => void;
beforeEach(() => {
  ({ db, remove } = makeEmptyShelf());
});
afterEach(() => remove());

/** A card of the starter shelf without vectors. */
function putStarter(): void {
  insertPapers(db, [
    {
      ...{ sourceId: sourceIdOf('2609.00001'), version: 1, title: 'Dealers', authors: ['Ada'] },
      ...{
        abstract: `${DIGEST_MARK}What dealers do.`,
        summary: 'Our summary.',
        tags: ['dealers'],
        categories: ['q-fin.TR'],
      },
      ...{ published: '2026-05-01', licenseUrl: null, pdfUrl: 'https://arxiv.org/pdf/x' },
      ...{ origin: 'starter', asOf: NOW.toISOString(), vector: null },
      sections: [
        { key: 'digest', type: 'note', title: 'Digest', content: 'Our digest.', vectors: [] },
      ],
    },
  ]);
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
