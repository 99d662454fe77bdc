import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CATEGORIES, FREQUENCIES } from '../../src/areas/macro/catalogue.ts';

const rowSchema = z.object({
  indicator: z.string().regex(/^us(\.[a-z0-9_]+)+$/),
  series_id: z.string().regex(/^[A-Z0-9]+$/),
  category: z.enum(CATEGORIES),
  title: z.string().min(1),
  frequency: z.enum(FREQUENCIES),
  native_frequency: z.string().min(1),
  units: z.string().min(1),
  seasonal_adjustment: z.enum(['SA', 'NSA', 'SAAR']),
  source: z.string().min(1),
  copyright_status: z.string().regex(/^(Public Domain|Citation required|Copyrighted)/),
  release: z.string().min(1),
  lag_days: z.array(z.int().min(0).max(120)).min(1),
});

/** What the starter shelf takes from a row of the catalogue. */
export type CatalogueRow = z.output<typeof rowSchema>;

/** The rows of `indicators.json` in their order. Throws an Error that names the file and the row. */
export function parseCatalogue(path: string): CatalogueRow[] {
  const record = z.record(z.string(), z.unknown());
  const { defaults, indicators } = z
    .looseObject({ defaults: record, indicators: z.array(record) })
    .parse(JSON.parse(readFileSync(path, 'utf8')));
  const rows = indicators.map((raw, index) => {
    const result = rowSchema.safeParse({ native_frequency: raw.frequency, ...defaults, ...raw });
    if (result.success) return result.data;
    throw new Error(`${path}: row ${index + 1}: ${z.prettifyError(result.error)}`);
  });
  for (const key of ['indicator', 'series_id'] as const) {
    const values = rows.map((row) => row[key]);
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) throw new Error(`${path}: ${twice} stands twice`);
  }
  return rows;
}
