import type { Database } from 'better-sqlite3';
import type { ExportTable, ExportValue } from '../../core/area.ts';
import { countOf } from '../../core/text.ts';

/** Rows of the view `event_markets` for markets that end on a day from `since` to `until`. */
export function exportMarkets(
  db: Database,
  { since, until, now }: { since?: string; until?: string; now: Date },
): ExportTable {
  const rows = `
    FROM event_markets
    WHERE (@since IS NULL OR substr(end_time, 1, 10) >= @since)
      AND (@until IS NULL OR substr(end_time, 1, 10) <= @until)`;
  const statement = db.prepare<object, ExportValue[]>(`SELECT * ${rows}`).raw();
  // As `isPastUnseen` for each market that has no settlement; the view has the stored states.
  const [ended = 0, seen = ''] =
    db
      .prepare<object, [number, string]>(`
        SELECT count(DISTINCT market_card_id), substr(min(synced_at), 1, 10)
        ${rows} AND settlement = 'open' AND synced_at < end_time AND end_time <= @now`)
      .raw()
      .get({ since, until, now: now.toISOString() }) ?? [];
  const notice = `Ended (end_time) since they were last seen, on ${seen} or later: ${countOf(ended, 'market')}. Their status, settlement and odds are from then, not the outcome.`;
  return {
    columns: statement.columns().map(({ name }) => name),
    rows: statement.iterate({ since, until }),
    ...(ended > 0 ? { notice } : {}),
  };
}
