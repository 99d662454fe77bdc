import * as z from 'zod';
import { CATEGORIES, FREQUENCIES } from '../../src/areas/macro/catalogue/categories.ts';
import { csvCells, csvLines } from './macro-copies.ts';

const rowSchema = z.strictObject({
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
  confirm_on_first_refresh: z.enum(['yes', 'no']),
});

export type CatalogueRow = z.output<typeof rowSchema>;

/** Bundling is only for series that their owners do not hold a copyright in. */
export function isCopyrighted(row: CatalogueRow): boolean {
  return row.copyright_status.startsWith('Copyrighted');
}

/** The catalogue in its order. Throws an Error that names file and line. */
export function parseCatalogue(path: string): CatalogueRow[] {
  const [head = '', ...lines] = csvLines(path);
  const names = csvCells(head);
  const rows = lines.map((line, index) => {
    const cells = csvCells(line);
    const raw = Object.fromEntries(names.map((name, column) => [name, cells[column]]));
    const result = rowSchema.safeParse(raw);
    if (!result.success || cells.length !== names.length) {
      const why = result.success ? 'wrong number of cells' : z.prettifyError(result.error);
      throw new Error(`${path}:${index + 2}: ${why}`);
    }
    return result.data;
  });
  for (const key of ['indicator', 'series_id'] as const) {
    const seen = new Set<string>();
    for (const [index, row] of rows.entries()) {
      if (seen.has(row[key])) throw new Error(`${path}:${index + 2}: ${row[key]} stands twice`);
      seen.add(row[key]);
    }
  }
  return rows;
}
