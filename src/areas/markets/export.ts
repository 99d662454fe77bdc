import type { Database } from 'better-sqlite3';
import type { ExportTable, ExportValue } from '../../core/area.ts';
import { noticeOf } from '../../core/envelope.ts';
import { describeEndedMarkets } from './notices.ts';

/** Rows of the view `event_markets` for markets that end on a day from `since` to `until`. */
export function exportMarkets(
  db: Database,
  options: { since?: string | null; until?: string | null; now: Date },
): ExportTable {
  const { since = null, until = null } = options;
  const rows = `
    FROM event_markets
    WHERE (@since IS NULL OR substr(end_time, 1, 10) >= @since)
      AND (@until IS NULL OR substr(end_time, 1, 10) <= @until)`;
  const statement = db.prepare<object, ExportValue[]>(`SELECT * ${rows}`).raw();
  // By the same rule as `endedUnseen`; the view has the stored states.
  const ended = db
    .prepare<object, { count: number; first: string; last: string }>(`
      SELECT count(DISTINCT market_card_id) AS count, min(synced_at) AS first, max(synced_at) AS last
      ${rows} AND settlement = 'open' AND synced_at < end_time AND end_time <= @now`)
    .get({ since, until, now: options.now.toISOString() });
  return {
    columns: statement.columns().map(({ name }) => name),
    rows: statement.iterate({ since, until }),
    ...noticeOf([ended === undefined ? '' : describeEndedMarkets(ended)]),
  };
}
