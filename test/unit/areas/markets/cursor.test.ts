import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { predictionMarketEventBrowse } from '../../../../src/areas/markets/operations.ts';
import { answer, event, failure, makeShelf, put } from './shelf.ts';

let db: Database;
beforeEach(() => {
  db = makeShelf();
});
afterEach(() => db.close());

const browse = (input: object) => answer(db, predictionMarketEventBrowse, input);
const fault = (input: object) => failure(db, predictionMarketEventBrowse, input);

describe('the cursor', () => {
  beforeEach(() =>
    put(
      db,
      ['1', '2', '3'].map((id) => event({ id, title: id })),
    ),
  );

  it('goes on under the same filters, however spelled and with another limit', async () => {
    const first = await browse({ limit: 1, q: 'no  yes', tag: 'Economy' });
    const cursor = first.data.nextCursor;
    const rest = await browse({ limit: 50, q: 'YES NO', tag: 'economy', cursor });
    expect(rest.data.events.map(({ title }) => title)).toEqual(['2', '3']);
    expect(rest.data.nextCursor).toBeUndefined();
  });

  it('is refused under other filters', async () => {
    const { nextCursor: cursor } = (await browse({ limit: 1 })).data;
    for (const other of [
      { status: 'closed' },
      { tag: 'economy' },
      { q: 'yes' },
      { min_volume: 0 },
    ]) {
      const error = await fault({ ...other, cursor });
      expect(error).toMatchObject({ code: 'invalid_request', param: 'cursor' });
      expect(error.message).toContain('start again without cursor');
    }
  });

  it('is refused when it is broken', async () => {
    const { nextCursor = '' } = (await browse({ limit: 1 })).data;
    const { filters, after } = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
    const forge = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const broken = [
      ...['x', '!!!', nextCursor.slice(0, -4), forge(null), forge({ filters })],
      ...[{ id: '1' }, { sortRank: 9 }, { sortLiquidity: null }, { sortVolume: undefined }].map(
        (change) => forge({ filters, after: { ...after, ...change } }),
      ),
    ];
    for (const cursor of broken) {
      const error = await fault({ cursor });
      expect(error, cursor).toMatchObject({ code: 'invalid_request', param: 'cursor' });
      expect(error.message).toMatch(/Start again without cursor/);
    }
  });
});
