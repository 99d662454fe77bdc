import type { ListNews, News } from '../../core/news.ts';
import type { Reader } from '../../core/reader.ts';
import { listRounded, listSeries } from './queries.ts';

/** New and revised figures, one line per series: its newest changed period and how many changed. */
export const listMacroNews: ListNews = (db, since, limit) => {
  const rows = listChanged(db, since.toISOString().slice(0, 10));
  const newsOf = (what: string, isRevised: 0 | 1): News => {
    const chosen = rows.filter((row) => row.isRevised === isRevised);
    const items = chosen.slice(0, limit).map((row) => ({ id: row.indicator, text: describe(row) }));
    return { what, total: chosen.length, items };
  };
  return [newsOf('series with new figures', 0), newsOf('series with revised figures', 1)];
};

interface ChangedRow {
  indicator: string;
  isRevised: 0 | 1;
  /** The newest changed period, which the fields below describe; `periods` counts all changed ones. */
  date: string;
  value: number | null;
  /** The value before the revision. */
  old: number | null;
  /** Units of `old`, if they differ from the value's. */
  oldUnits: string | null;
  published: string;
  exact: 0 | 1;
  /** 1 if the day of a revision is unknown and `published` is the day on which it was first seen. */
  isSeen: 0 | 1;
  periods: number;
}

/**
 * Current values published on or after `since`, summarised by series, new and revised ones apart; a period
 * first published since then and revised is in both. The old value is the last one published before `since` or,
 * without one, the oldest. Omits a revision first seen since then that may be older: the old value is not known
 * to have been current on the eve. A value that only gained decimals keeps its earlier day. SQLite takes the bare
 * columns from the row of max().
 */
function listChanged(db: Reader, since: string): ChangedRow[] {
  const rounded = listSeries(db).flatMap(({ seriesId }) =>
    [...listRounded(db, seriesId, { since }).values()].map(({ date, rtStart, exact }) => {
      return [seriesId, date, rtStart, exact];
    }),
  );
  return db
    .prepare<object, ChangedRow>(`
      WITH same AS MATERIALIZED (
        -- Without the casts SQLite creates no index for the join.
        SELECT CAST(value ->> 0 AS TEXT) AS series_id, CAST(value ->> 1 AS TEXT) AS date,
          value ->> 2 AS day, value ->> 3 AS exact
        FROM json_each(@rounded)
      ), dated AS (
        SELECT series_id, date, value, coalesce(day, rt_start) AS rt_start, coalesce(same.exact, v.exact) AS exact,
          v.exact = 0 AND day IS NULL AND coalesce(known_from, rt_start) = rt_start AS isSeen
        FROM macro_vintage v LEFT JOIN same USING (series_id, date)
        WHERE rt_start >= @since AND rt_end IS NULL
      ), fresh AS MATERIALIZED (
        SELECT *, (
          SELECT json_array(p.value, p.units, p.rt_start, p.rt_end) FROM macro_vintage p
          WHERE p.series_id = v.series_id AND p.date = v.date AND p.rt_start < v.rt_start
          ORDER BY p.rt_start < @since DESC, iif(p.rt_start < @since, -1, 1) * julianday(p.rt_start)
          LIMIT 1) AS before
        FROM dated v WHERE rt_start >= @since
      )
      SELECT s.indicator, kind.value AS isRevised, max(f.date) AS date, f.value, before ->> 0 AS old,
        before ->> 1 AS oldUnits, f.rt_start AS published, f.exact,
        isSeen AND before IS NOT NULL AS isSeen, count(*) AS periods
      FROM fresh f JOIN macro_series s USING (series_id) JOIN json_each('[0, 1]') kind
      WHERE CASE kind.value
        WHEN 0 THEN before IS NULL OR before ->> 2 >= @since
        ELSE before ->> 0 IS NOT f.value AND before IS NOT NULL
          AND NOT (isSeen AND before ->> 3 < date(@since, '-1 day') AND NOT EXISTS (
            SELECT 1 FROM macro_vintage p WHERE p.series_id = f.series_id AND p.date = f.date
              AND p.exact = 1 AND p.rt_start >= @since)) END
      GROUP BY series_id, isRevised ORDER BY published DESC, s.position`)
    .all({ since, rounded: JSON.stringify(rounded) });
}

function describe(row: ChangedRow): string {
  const { isRevised, date, value, old, oldUnits, published, exact, isSeen, periods } = row;
  const show = (figure: number | null) => (figure === null ? 'no value' : String(figure));
  const before = oldUnits === null ? show(old) : `${show(old)} (${oldUnits})`;
  const change = isRevised === 1 ? `${before} → ${show(value)}` : show(value);
  const others = periods === 1 ? '' : `; ${periods} periods in all`;
  const when = exact === 1 ? '' : isSeen ? 'by ' : 'about ';
  return `${date}: ${change} (${when}${published}${others})`;
}
