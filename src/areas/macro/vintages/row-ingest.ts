import type { Database } from 'better-sqlite3';
import { valueChecksum } from './checksum-queries.ts';

/** One value of one date, with the period for which it was current. */
export interface Vintage {
  /** Start of the observation period as FRED dates it, YYYY-MM-DD. */
  date: string;
  /** Null where the source publishes a missing value. */
  value: number | null;
  /** First day on which the value was published, YYYY-MM-DD. */
  rtStart: string;
  /** Last day on which it was current; null while it is. */
  rtEnd: string | null;
  /** 0 where `rtStart` is an estimate. */
  exact: 0 | 1;
}

/** Every vintage that we write goes through here, so that each has its checksum. */
export function prepareInsert(db: Database): (seriesId: string, vintage: Vintage) => void {
  const insert = db.prepare(`
    INSERT INTO macro_vintage (series_id, date, rt_start, rt_end, value, exact, checksum)
    VALUES (@seriesId, @date, @rtStart, @rtEnd, @value, @exact, @checksum)`);
  return (seriesId, { date, rtStart, rtEnd, value, exact }) => {
    const checksum = valueChecksum(seriesId, [date, rtStart, rtEnd, value, exact]);
    insert.run({ seriesId, date, rtStart, rtEnd, value, exact, checksum });
  };
}
