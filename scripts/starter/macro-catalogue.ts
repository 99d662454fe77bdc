import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CATEGORIES, FREQUENCIES } from '../../src/areas/macro/catalogue.ts';
import { csvCells, csvLines } from './macro-copies.ts';

const count = z.int().min(1);
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
  release: z.string().min(1),
  lag_days: z.array(z.int().min(0).max(120)).min(1),
  begins: z.iso.date().optional(),
  agency: z
    .strictObject({
      feed: z.string().min(1),
      ...z.object({ id: z.string(), column: z.string(), code: z.string() }).partial().shape,
      ...z.object({ divisor: count, decimals: count, rebased: z.literal(true) }).partial().shape,
      ...z.object({ program: z.string(), category: z.string(), dataType: z.string() }).partial()
        .shape,
      since: count.optional(),
      attributes: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  synonyms: z.array(z.string().min(1)),
});

export type CatalogueRow = z.output<typeof rowSchema>;

/** Bundling is only for series that their owners do not hold a copyright in. */
export function isCopyrighted(row: CatalogueRow): boolean {
  return row.copyright_status.startsWith('Copyrighted');
}

/** The rows of `indicators.json` in their order. Throws an Error that names the file and the row. */
export function parseCatalogue(path: string): CatalogueRow[] {
  const { indicators } = z
    .looseObject({ indicators: z.array(z.unknown()) })
    .parse(JSON.parse(readFileSync(path, 'utf8')));
  const rows = indicators.map((raw, index) => {
    const result = rowSchema.safeParse(raw);
    if (result.success) return result.data;
    throw new Error(`${path}: row ${index + 1}: ${z.prettifyError(result.error)}`);
  });
  for (const key of ['indicator', 'series_id'] as const) {
    const twice = rows.find((row) =>
      rows.some((other) => other !== row && other[key] === row[key]),
    );
    if (twice !== undefined) throw new Error(`${path}: ${twice[key]} stands twice`);
  }
  return rows;
}

/** What differs between the catalogue and the table in which it was decided, one sentence each. */
export function compareWithSpec(rows: readonly CatalogueRow[], specPath: string): string[] {
  const [head = '', ...lines] = csvLines(specPath);
  const names = csvCells(head).filter((name) => name !== 'confirm_on_first_refresh');
  if (lines.length !== rows.length) return [`${lines.length} rows were decided`];
  return lines.flatMap((line, index) => {
    const cells = csvCells(line);
    const row: Readonly<Record<string, unknown>> = rows[index] ?? {};
    return names
      .filter((name, column) => row[name] !== cells[column])
      .map((name) => `${row.series_id}: its ${name} differs from the one that was decided`);
  });
}
