import type { Database } from 'better-sqlite3';
import type { ExportTable, ExportValue } from '../../core/area.ts';

/** Rows of the view `event_markets` for markets that end on a day from `since` to `until`. */
export function exportMarkets(
  db: Database,
  { since = null, until = null }: { since?: string | null; until?: string | null },
): ExportTable {
  const statement = db
    .prepare<object, ExportValue[]>(`
      SELECT * FROM event_markets
      WHERE (@since IS NULL OR substr(end_time, 1, 10) >= @since)
        AND (@until IS NULL OR substr(end_time, 1, 10) <= @until)`)
    .raw();
  return {
    columns: statement.columns().map(({ name }) => name),
    rows: statement.iterate({ since, until }),
  };
}
