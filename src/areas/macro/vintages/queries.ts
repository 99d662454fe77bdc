import type { Database } from 'better-sqlite3';
import type { ObservationRow } from '../queries.ts';
import { expectSound, type SealedValue } from './checksum-queries.ts';

/** A value of one date, current or superseded. */
export type VintageRow = Omit<ObservationRow, 'first'>;

/**
 * All vintages held of the last `dates` dates of a series, by date, the oldest vintage first. Throws
 * when a row is damaged.
 */
export function listVintages(db: Database, seriesId: string, dates: number): VintageRow[] {
  return db
    .prepare<object, [...SealedValue, checksum: number]>(`
      SELECT date, rt_start, rt_end, value, exact, checksum
      FROM macro_vintage
      WHERE series_id = @seriesId AND date >= (
        SELECT min(date) FROM (
          SELECT DISTINCT date FROM macro_vintage
          WHERE series_id = @seriesId AND rt_end IS NULL
          ORDER BY date DESC LIMIT @dates
        )
      )
      ORDER BY date, rt_start`)
    .raw()
    .all({ seriesId, dates })
    .map(([date, published, end, value, exact, checksum]) => {
      expectSound(seriesId, [date, published, end, value, exact], checksum);
      return { date, published, value, exact };
    });
}
