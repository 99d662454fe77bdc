import { describe, expect, it } from 'vitest';
import { attributionOf, describeSign, viewOfHistory } from '../../../../src/areas/macro/answers.ts';
import { findSeries, type SeriesRow } from '../../../../src/areas/macro/queries.ts';
import { shelfOf } from './model.ts';

describe('attribution', () => {
  const source = 'Federal Reserve Bank of New York';
  const attribution = (more: Partial<SeriesRow>) => {
    const row = findSeries(shelfOf('TEST'), 'TEST');
    if (row === undefined) throw new Error('no row');
    return attributionOf({ ...row, source, ...more });
  };

  it('names the source alone for bundled figures and for rows without any', () => {
    expect(attribution({})).toBe(`Source: ${source}.`);
    expect(attribution({ origin: 'starter' })).toBe(`Source: ${source}.`);
  });

  it.each([
    [
      'new_york_fed',
      /^Source: Federal Reserve Bank of New York, accessed 2026-11-20, subject to the Terms of Use posted at newyorkfed\.org\.$/,
    ],
    [
      'treasury',
      /^Source: Federal Reserve Bank of New York\. Newest figures: U\.S\. Department of the Treasury, .*, accessed 2026-11-20\.$/,
    ],
  ] as const)('names %s where it brought figures, and not FRED', (agency, words) => {
    const row = { agency, taken: '2026-11-21T02:00:00.000Z' };
    expect(attribution({ ...row, origin: 'starter' })).toMatch(words);
    expect(attribution({ ...row, origin: 'fred' })).toMatch(
      /^This product uses the FRED® API .* via FRED\. Newest figures: /,
    );
  });

  it('carries the notice of the API for figures that came through it', () => {
    expect(attribution({ origin: 'fred' })).toBe(
      'This product uses the FRED® API but is not endorsed or certified by the Federal Reserve ' +
        'Bank of St. Louis. Source: Federal Reserve Bank of New York via FRED.',
    );
  });
});

describe('what a model reads of a history', () => {
  function history(values: readonly (number | null)[]) {
    const observations = values.map((value, index) => ({ date: `day ${index}`, value }));
    return viewOfHistory(
      { data: { indicator: 'us.yield.10y', observations }, meta: { asOf: '' } },
      19_000,
    );
  }
  const datesOf = ({ data }: ReturnType<typeof history>) =>
    JSON.stringify(data).match(/day \d+/g) ?? [];

  it('200 observations are shown whole', () => {
    const view = history(Array.from({ length: 200 }, (_, index) => index));
    expect(datesOf(view)).toHaveLength(200);
    expect(view.told).toBeUndefined();
  });

  it('of more, an even choice with the first, last, lowest and highest', () => {
    const values = Array.from({ length: 16_000 }, () => 1);
    values[7_001] = -5;
    values[9_002] = 5;
    const view = history([null, ...values]);
    const dates = datesOf(view);
    expect(dates.length).toBeLessThanOrEqual(200);
    expect(dates.length).toBeGreaterThan(190);
    for (const day of ['day 0', 'day 7002', 'day 9003', 'day 16000']) expect(dates).toContain(day);
    expect(dates.slice(-2)).toEqual(['day 15918', 'day 16000']);
    expect(view.told).toMatch(/ of 16,001 observations, one in 82 with .*structuredContent/);
  });

  it('a long history of both signs says when it last changed', () => {
    const values = Array.from({ length: 300 }, (_, index) => (index < 211 ? -0.2 : 0.3));
    const observations = values.map((value, index) => ({ date: `day ${index}`, value }));
    expect(describeSign(observations)).toBe('Positive since day 211.');
    expect(describeSign(observations.slice(211))).toBe('');
  });
});
