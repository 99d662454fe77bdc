import { expect, it } from 'vitest';
import { attributionOf } from '../../../../src/areas/macro/card.ts';
import { findSeries } from '../../../../src/areas/macro/queries.ts';
import { shelfOf } from './model.ts';

it('the attribution names the agency of the newest figures beside the source of the older ones', () => {
  const db = shelfOf('TEST');
  db.exec("UPDATE macro_series SET agency = 'treasury', taken = '2026-11-21T02:00:00.000Z'");
  const series = findSeries(db, 'TEST');
  expect(series && attributionOf(series)).toMatch(
    /^Source: Nobody\. Newest figures: U\.S\. Department of the Treasury, .*, accessed 2026-11-20\.$/,
  );
});
