import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointOf, isPossibleDate, losesTooMany } from '../../../src/core/gate.ts';

it('a date is possible from the first period of its series until tomorrow', () => {
  const possible = ['1948-01-01', '2026-11-29'];
  const others = ['1000-01-01', '1947-12-01', '2026-11-30', '9999-01-01'];
  const range = { first: '1948-01-01', today: '2026-11-28' };
  const dates = [...possible, ...others];
  expect(dates.filter((date) => isPossibleDate(date, range))).toEqual(possible);
});

describe('a response', () => {
  it('has lost history if it lacks more than five dates and more than a fifth of all', () => {
    expect([losesTooMany(5, 5), losesTooMany(20, 100)]).toEqual([false, false]);
    expect([losesTooMany(6, 6), losesTooMany(21, 100)]).toEqual([true, true]);
  });

  it("sets a checkpoint no later than today, however fast the upstream's clock is", () => {
    const day = fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 10));
    fc.assert(
      fc.property(day, day, (reported, today) => {
        const checkpoint = checkpointOf(reported, today);
        expect(checkpoint <= today && checkpoint <= reported).toBe(true);
      }),
    );
  });
});
