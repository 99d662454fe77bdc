import { describe, expect, it } from 'vitest';
import { attributionOf } from '../../../../src/areas/macro/notices.ts';
import type { SeriesRow } from '../../../../src/areas/macro/queries.ts';

const ROW: SeriesRow = {
  seriesId: 'SOFR',
  indicator: 'us.rates.sofr',
  category: 'Rates',
  title: 'Secured Overnight Financing Rate',
  frequency: 'Daily',
  units: 'Percent',
  seasonalAdjustment: 'NSA',
  source: 'Federal Reserve Bank of New York',
  copyrightStatus: 'Citation required',
  observationStart: null,
  observationEnd: null,
  lastUpdated: null,
  taken: null,
  origin: null,
  agency: null,
  lastVintage: null,
  fredEnd: '',
  checkedAt: null,
  nextDue: null,
  stale: 0,
  retryAt: null,
  fault: null,
};

describe('attribution', () => {
  it('names the source alone for bundled figures and for rows without any', () => {
    const expected = 'Source: Federal Reserve Bank of New York.';
    expect(attributionOf(ROW)).toBe(expected);
    expect(attributionOf({ ...ROW, origin: 'starter' })).toBe(expected);
  });

  it.each([
    [
      'bls',
      'UNRATE',
      'U.S. Bureau of Labor Statistics',
      /^Source: U\.S\. Bureau of Labor Statistics, accessed 2026-11-20\. BLS\.gov cannot vouch for /,
    ],
    [
      'new_york_fed',
      'SOFR',
      'Federal Reserve Bank of New York',
      /^Source: Federal Reserve Bank of New York, accessed 2026-11-20, subject to the Terms of Use posted at newyorkfed\.org\.$/,
    ],
    [
      'treasury',
      'DGS10',
      'Board of Governors of the Federal Reserve System (US)',
      /^Source: Board of Governors of the Federal Reserve System \(US\)\. Newest figures: U\.S\. Department of the Treasury, .*, accessed 2026-11-20\.$/,
    ],
  ] as const)(
    'names %s where it brought figures, and not FRED',
    (agency, seriesId, source, words) => {
      const taken = '2026-11-21T02:00:00.000Z';
      const row = { ...ROW, seriesId, source, taken, agency };
      expect(attributionOf({ ...row, origin: 'starter' })).toMatch(words);
      expect(attributionOf({ ...row, origin: 'starter' })).not.toContain('FRED');
      const both = attributionOf({ ...row, origin: 'fred' });
      expect(both).toMatch(/^This product uses the FRED® API .* via FRED\. Newest figures: /);
    },
  );

  it('carries the notice of the API for figures that came through it', () => {
    expect(attributionOf({ ...ROW, origin: 'fred' })).toBe(
      'This product uses the FRED® API but is not endorsed or certified by the Federal Reserve ' +
        'Bank of St. Louis. Source: Federal Reserve Bank of New York via FRED.',
    );
  });
});
