import { join } from 'node:path';
import { expect, it } from 'vitest';
import substitutes from '../../../../../data/macro-substitutes.json' with { type: 'json' };
import { parseCatalogue } from '../../../../../scripts/starter/macro-catalogue.ts';
import { DATA_DIR } from '../shelf.ts';

const catalogue = parseCatalogue(join(DATA_DIR, 'indicators.csv'));

it.each(Object.entries(substitutes))(
  '%s has substitutes from the catalogue',
  (id, { indicators, how }) => {
    expect(catalogue.map((row) => row.series_id)).toContain(id);
    expect(indicators.length).toBeGreaterThan(0);
    for (const indicator of indicators) {
      expect(catalogue.map((row) => row.indicator)).toContain(indicator);
      expect(how).toContain(indicator);
    }
  },
);
