import { afterAll, expect, it, vi } from 'vitest';
import { findRestriction } from '../../../../../src/areas/papers/query/preferences.ts';
import { makeStarterShelf } from '../shelf.ts';

const { db, remove } = makeStarterShelf();
afterAll(remove);

/** The restriction of a question, and how many queries it took. */
function restrict(question: string) {
  const prepare = vi.spyOn(db, 'prepare');
  const restriction = findRestriction(db, question, new Date('2026-11-21T12:00:00Z'));
  const queries = prepare.mock.calls.length;
  prepare.mockRestore();
  return { restriction, queries };
}

it('an author named many times is looked up and listed once', () => {
  const once = restrict('papers by Abi Jaber on hedging');
  const asked = (times: number) => `papers by ${'Abi Jaber, '.repeat(times)}Abi Jaber on hedging`;
  expect(restrict(asked(20))).toEqual(once);
  // No more names are read as one list, so the rest stays in the question.
  const { restriction, queries } = restrict(asked(150));
  expect(queries).toBe(once.queries);
  expect(restriction?.understood).toEqual(['author: Eduardo Abi Jaber']);
  expect(restrict('papers by Abi Jaber and Eduardo Abi Jaber').restriction?.understood).toEqual([
    'author: Eduardo Abi Jaber',
  ]);
});

it('a question with many names looks few of them up', () => {
  const names = Array.from({ length: 200 }, (_, at) => `by aa${at} bb`).join(' ');
  expect(restrict(`papers ${names}`).queries).toBeLessThan(30);
});

it('a method after "by" is no author, and nothing is said of it', () => {
  expect(restrict('papers on option pricing by Monte Carlo').restriction).toBeNull();
  expect(restrict('papers by Nobody Unknown on jumps').restriction).toMatchObject({
    notices: [expect.stringContaining('"author: Nobody Unknown"'), ''],
    isUnmet: true,
  });
});
