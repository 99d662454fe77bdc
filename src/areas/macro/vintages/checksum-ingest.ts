import type { Database } from 'better-sqlite3';
import { replaceRows } from '../../../store/copy-rows.ts';
import { listDamagedSeries } from './checksum-queries.ts';

/**
 * Puts the starter's figures in the place of every damaged series and makes it due, so that the
 * sync that follows fetches the rest.
 */
export function mendSeries(db: Database, starter: Database): void {
  const described = starter.prepare<{ seriesId: string }, Record<string, string | null>>(`
    SELECT origin, taken, last_updated AS lastUpdated, observation_start AS observationStart,
      observation_end AS observationEnd
    FROM macro_series WHERE series_id = @seriesId`);
  const reset = db.prepare(`
    UPDATE macro_series SET origin = @origin, taken = @taken, last_updated = @lastUpdated,
      observation_start = @observationStart, observation_end = @observationEnd,
      last_vintage = NULL, checked_at = NULL, agency = NULL, agency_checked_at = NULL,
      next_due = NULL, retry_at = NULL, fault = NULL, stale = 0
    WHERE series_id = @seriesId`);
  const nothing = {
    origin: null,
    taken: null,
    lastUpdated: null,
    observationStart: null,
    observationEnd: null,
  };
  const mend = db.transaction((seriesId: string) => {
    const tables = [{ table: 'macro_vintage', key: 'series_id' }];
    replaceRows(starter, db, tables, { from: seriesId, to: seriesId });
    reset.run({ ...nothing, ...described.get({ seriesId }), seriesId });
    // The agencies' files are read again, whatever their version.
    db.prepare('DELETE FROM agency_file').run();
  });
  for (const { seriesId } of listDamagedSeries(db)) mend.immediate(seriesId);
}
