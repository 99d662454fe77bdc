import { describe, expect, it } from 'vitest';
import { attributionOf } from '../../../../src/areas/macro/card.ts';
import { findSeries, type SeriesRow } from '../../../../src/areas/macro/queries.ts';
import { shelfOf } from './model.ts';

describe('attribution', () => {
  const source = 'Federal Reserve Bank of New York';
  const attribution = (more: Partial<SeriesRow>) => {
    const row = findSeries(shelfOf('TEST'), 'TEST');
    if (row === undefined) throw new Error('no row');
    return attributionOf({ ...row, source, ...more });
  };

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
    const taken = '2026-11-21T02:00:00.000Z';
    expect(attribution({ agency, taken, origin: 'starter' })).toMatch(words);
  });

  it("carries FRED's API notice for figures fetched through it", () => {
    expect(attribution({ origin: 'fred' })).toBe(
      'This product uses the FRED® API but is not endorsed or certified by the Federal Reserve ' +
        'Bank of St. Louis. Source: Federal Reserve Bank of New York via FRED.',
    );
  });
});
