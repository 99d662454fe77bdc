import type { Database } from 'better-sqlite3';
import { write } from '../../store/connection.ts';
import { DoubtError } from './facts/continuation.ts';
import { INDICATOR_OF, SIGNED } from './facts/indicators.ts';
import { largestStep, listDoubtful } from './facts/plausibility.ts';
import type { Dated, Vintage } from './facts/vintages.ts';
import { listCurrent, type SeriesRow } from './queries.ts';

/** The earlier of a series' known beginning and first stored date; without either, `described`. */
export function firstDateOf(
  { seriesId, observationStart }: SeriesRow,
  described: string | null = null,
): string | null {
  const { begins } = INDICATOR_OF.get(seriesId) ?? {};
  const dates = [begins, observationStart].flatMap((date) => date ?? []);
  return dates.sort()[0] ?? described;
}

/**
 * Throws a DoubtError for figures that a later response must confirm. `stored` are current
 * values, at least from the first received date on; after a change of base, the new values are `scale` times as large.
 */
export function expectBelievable(
  db: Database,
  seriesId: string,
  sent: readonly Dated[],
  stored: readonly Dated[],
  scale: number,
): void {
  const text = db
    .prepare<object, string | null>('SELECT doubted FROM macro_series WHERE series_id = @seriesId')
    .pluck()
    .get({ seriesId });
  const doubted = new Map<string, number>(Object.entries(JSON.parse(text ?? '{}')));
  const scaled = (values: readonly Dated[]) =>
    values.map(({ date, value }) => ({ date, value: value && value * scale }));
  const before = scaled(stored);
  const judge = (history: readonly Dated[]) => {
    const step = largestStep(scaled(history));
    const options = { step, isSigned: SIGNED.has(seriesId), doubted };
    return { step, doubtful: listDoubtful(sent, before, options) };
  };
  // If recent steps make every figure plausible, the older history need not be read.
  const recent = judge(stored);
  if (Number.isFinite(recent.step) && recent.doubtful.length === 0) return;
  const { doubtful } = judge(listCurrent(db, seriesId, { start: '' }));
  if (!doubtful.every(({ isConfirmed }) => isConfirmed)) throw new DoubtError(doubtful);
}

/** Replaces the `stored` rows, writing only the differences. Returns whether there were any. */
export function replaceVintages(
  db: Database,
  seriesId: string,
  stored: readonly Vintage[],
  vintages: readonly Vintage[],
): boolean {
  const [before, after] = [byContent(stored), byContent(vintages)];
  const remove = db.prepare(`
    DELETE FROM macro_vintage
    WHERE series_id = @seriesId AND date = @date AND rt_start = @rtStart`);
  const insert = db.prepare(`
    INSERT INTO macro_vintage (series_id, date, rt_start, rt_end, value, exact, known_from, units)
    VALUES (@seriesId, @date, @rtStart, @rtEnd, @value, @exact, nullif(@knownFrom, @rtStart), @units)`);
  const gone = [...before].filter(([content]) => !after.has(content));
  const added = [...after].filter(([content]) => !before.has(content));
  for (const [, { date, rtStart }] of gone) remove.run({ seriesId, date, rtStart });
  for (const [, vintage] of added) insert.run({ seriesId, units: null, ...vintage });
  if (gone.length + added.length === 0) return false;
  db.prepare(`
    UPDATE macro_series SET (observation_start, observation_end) = (
      SELECT min(date), max(date) FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL)
    WHERE series_id = @seriesId`).run({ seriesId });
  return true;
}

function byContent(vintages: readonly Vintage[]): Map<string, Vintage> {
  const entries = vintages.map((vintage) => {
    const { date, rtStart, rtEnd, value, exact, knownFrom, units = null } = vintage;
    return [
      `${date} ${rtStart} ${rtEnd} ${value} ${exact} ${knownFrom} ${units}`,
      vintage,
    ] as const;
  });
  return new Map(entries);
}

/** Sets the units after a change of base; stored values keep the old ones. */
export function changeUnits(db: Database, series: SeriesRow, units: string): void {
  const label = 'UPDATE macro_vintage SET units = ? WHERE series_id = ? AND units IS NULL';
  db.prepare(label).run(series.units, series.seriesId);
  db.prepare('UPDATE macro_series SET units = ? WHERE series_id = ?').run(units, series.seriesId);
}

/** Records a successful refresh. */
export function recordCheck(
  db: Database,
  seriesId: string,
  check: { taken: string; nextDue: string },
): void {
  db.prepare(`
    UPDATE macro_series SET next_due = @nextDue, stale = 0, fault = NULL, doubted = NULL,
      taken = @taken, checked_at = @taken, retry_at = NULL
    WHERE series_id = @seriesId`).run({ ...check, seriesId });
}

/** Records a failed refresh: the figures stay, and become stale if the refresh was due. */
export function recordFailure(
  db: Database,
  seriesId: string,
  {
    doubted,
    ...failure
  }: {
    /** The reason, as a sentence for callers. */
    fault: string;
    /** Earliest next attempt, ISO 8601. */
    retryAt: string;
    isDue: boolean;
    /** Figures to hold back; by default those from an earlier response. */
    doubted?: readonly { date: string; value: number }[] | undefined;
  },
): void {
  const record = db.prepare(`
    UPDATE macro_series SET stale = max(stale, @isDue), fault = @fault, retry_at = @retryAt,
      -- A series with figures held back stays due, so that the next sync queries its source again.
      next_due = iif(@doubted IS NULL, next_due, NULL), doubted = coalesce(@doubted, doubted)
    WHERE series_id = @seriesId`);
  const text = doubted
    ? JSON.stringify(Object.fromEntries(doubted.map(({ date, value }) => [date, value])))
    : null;
  const row = { ...failure, seriesId, isDue: failure.isDue ? 1 : 0, doubted: text };
  write(db, () => record.run(row));
}
