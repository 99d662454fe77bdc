import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listRuleSlugs } from '../../../../../src/areas/markets/scope.ts';
import { readTagCheck } from '../../../../../src/areas/markets/sync-queries.ts';
import { checkTags } from '../../../../../src/areas/markets/tag-check.ts';
import type { Fault } from '../../../../stand-ins/faults.ts';
import { makeWireEvent } from '../../../../stand-ins/polymarket.ts';
import { makeShelf } from '../shelf.ts';
import { startSource } from '../start-polymarket.ts';
import { at } from './shelf.ts';

let db: Database;
beforeEach(() => {
  db = makeShelf();
});
afterEach(() => db.close());

const WEEK = 7 * 24;
const MAIN = ['finance', 'crypto', 'economy', 'business', 'stocks', 'fed-rates'];

/** A source that knows every tag of the lists but these. */
async function start(unknown: readonly string[]) {
  const known = [...new Set([...MAIN, ...listRuleSlugs()])].filter(
    (slug) => !unknown.includes(slug),
  );
  const { standIn, source } = await startSource([makeWireEvent({ tagSlugs: known })]);
  return { standIn, check: (hours: number) => checkTags({ db, source, now: () => at(hours) }) };
}

it('asks once a week for every tag of the lists, those that keep out included', async () => {
  const { standIn, check } = await start(['gold', 'sports']);
  expect((await check(0))?.toSorted()).toEqual(['gold', 'sports']);
  expect(standIn.requests.map(({ path }) => path)).toContain('/tags/slug/up-or-down');
  expect(standIn.requests.length).toBeGreaterThan(100);
  expect(readTagCheck(db).checkedAt).toBe(at(0).getTime());
  standIn.requests.length = 0;
  expect(await check(WEEK - 1)).toBeNull();
  expect(standIn.requests).toEqual([]);
  standIn.events = [makeWireEvent({ tagSlugs: [...MAIN, ...listRuleSlugs()] })];
  expect(await check(WEEK)).toEqual([]);
  expect(readTagCheck(db)).toEqual({ checkedAt: at(WEEK).getTime(), unknown: [] });
  // A clock that was set back since: nothing is known of that week.
  expect(await check(0)).toEqual([]);
});

it('names a main tag that has another number', async () => {
  const { standIn, check } = await start([]);
  const body = JSON.stringify({ id: '77', slug: 'economy' });
  standIn.fault('/tags/slug/economy', [{ kind: 'body', body }]);
  expect(await check(0)).toEqual(['economy (no longer number 100328)']);
});

it('is no check when the source fails, or knows nothing at all', async () => {
  const { standIn, check } = await start([]);
  const busy: Fault = { kind: 'status', status: 500 };
  standIn.fault('/tags/slug/gold', [busy, busy, busy]);
  await expect(check(0)).rejects.toMatchObject({ name: 'HttpError' });
  standIn.events = [];
  await expect(check(0)).rejects.toThrow('none of our tags');
  expect(readTagCheck(db)).toEqual({ checkedAt: null, unknown: [] });
});
