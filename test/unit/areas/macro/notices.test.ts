import { describe, expect, it } from 'vitest';
import { attributionOf, describeCategory } from '../../../../src/areas/macro/notices.ts';
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
  stale: 0,
  fault: null,
};

describe('a query that is the name of a category', () => {
  it('is told of the category, unless it was passed', () => {
    expect(describeCategory(' inflation ', undefined)).toContain('pass it as category');
    expect(describeCategory('inflation', 'Inflation')).toBe('');
    expect(describeCategory('inflation rate', undefined)).toBe('');
    expect(describeCategory(undefined, undefined)).toBe('');
  });
});

describe('attribution', () => {
  it('names the source alone for bundled figures and for rows without any', () => {
    const expected = 'Source: Federal Reserve Bank of New York.';
    expect(attributionOf(ROW)).toBe(expected);
    expect(attributionOf({ ...ROW, origin: 'starter' })).toBe(expected);
  });

  it('carries the notice of the API for figures that came through it', () => {
    expect(attributionOf({ ...ROW, origin: 'fred' })).toBe(
      'This product uses the FRED® API but is not endorsed or certified by the Federal Reserve ' +
        'Bank of St. Louis. Source: Federal Reserve Bank of New York via FRED.',
    );
  });
});
