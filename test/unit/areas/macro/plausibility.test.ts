import { describe, expect, it } from 'vitest';
import { SIGNED } from '../../../../src/areas/macro/facts/indicators.ts';
import {
  isOtherScale,
  largestStep,
  listDoubtful,
} from '../../../../src/areas/macro/facts/plausibility.ts';
import { starterMacro } from '../../../starter.ts';

const { series: bundled } = await starterMacro();
const NONE = new Map<string, number>();
const months = (count: number, levelOf: (at: number) => number | null) =>
  Array.from({ length: count }, (_, at) => ({
    date: `${2000 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-01`,
    value: levelOf(at),
  }));
const figure = (date: string, value: number) => ({ date, value });
/** A rate that moves by at most a tenth. */
const calm = months(36, (at) => 4 + (at % 2) / 10);
const doubt = (
  sent: Parameters<typeof listDoubtful>[0],
  { stored = calm, isSigned = false, doubted = NONE } = {},
) =>
  listDoubtful(sent, stored, { step: largestStep(stored), isSigned, doubted }).map(
    ({ date, value, isConfirmed }) => [date, value, isConfirmed],
  );

describe('a value', () => {
  it('of 9,999,999 after 4 is doubted, but values that fit the series are not', () => {
    const reply = [figure('2003-01-01', 9_999_999), figure('2003-02-01', 5.9)];
    expect(doubt(reply)).toEqual([['2003-01-01', 9_999_999, false]]);
  });

  it('of 400 after 4 is doubted even if it replaces a stored one, but not if it is stored itself', () => {
    expect(doubt([figure('2001-05-01', 400)])).toHaveLength(1);
    const wild = [...calm, figure('2003-01-01', 400)];
    expect(doubt(wild.slice(-1), { stored: wild })).toEqual([]);
  });

  it('below zero is doubted, except in a series that may be negative', () => {
    const reply = [figure('2003-01-01', -0.1)];
    const low = months(36, (at) => (at % 3) / 10);
    expect(doubt(reply, { stored: low })).toHaveLength(1);
    expect(doubt(reply, { stored: low, isSigned: true })).toEqual([]);
  });

  it('that a later response repeats is confirmed, and similar values after it are not doubted', () => {
    const reply = [figure('2003-01-01', 40), figure('2003-02-01', 41)];
    const confirmed = doubt(reply, { doubted: new Map([['2003-01-01', 40]]) });
    expect(confirmed).toEqual([['2003-01-01', 40, true]]);
    expect(doubt(reply, { doubted: new Map([['2003-01-01', 39]]) })).toHaveLength(2);
  });

  it('is not judged by its step in a series with fewer than twelve values', () => {
    const short = calm.slice(0, 11);
    expect(doubt([figure('2001-01-01', 400)], { stored: short })).toEqual([]);
  });

  it.each(bundled.map(({ seriesId, observations }) => [seriesId, observations]))(
    'from the published history of %s is never doubted',
    (seriesId, observations) => {
      const figures = observations.filter(({ value }) => value !== null);
      const isSigned = SIGNED.has(seriesId);
      let largest = 0;
      const doubted = figures.flatMap((figure, at) => {
        const before = figures.slice(Math.max(0, at - 1), at);
        const step = at < 12 ? Number.POSITIVE_INFINITY : largest;
        const moves = before.map(({ value }) => Math.abs((figure.value ?? 0) - (value ?? 0)));
        largest = Math.max(largest, ...moves);
        return listDoubtful([figure], before, { step, isSigned, doubted: NONE });
      });
      expect(largest).toBe(largestStep(figures));
      expect(doubted).toEqual([]);
    },
  );
});

it.each([
  [1_000, 'another'],
  [0.001, 'another'],
  [5, 'another'],
  [-1, 'another'],
  [1.5, 'the same'],
])('a response whose values are %f times the stored ones is in %s unit', (by, unit) => {
  const pairs = calm.map(({ value }) => ({ before: value ?? 0, after: (value ?? 0) * by }));
  expect(isOtherScale(pairs)).toBe(unit === 'another');
});
