import type { Reader } from '../../core/reader.ts';
import { shiftDay } from '../../core/time.ts';
import { easternDay } from './facts/calendar.ts';
import { INDICATOR_OF } from './facts/indicators.ts';
import { hasEnded, nextRelease } from './facts/releases.ts';
import { listSeries } from './queries.ts';

/** A due release: its day, and the period and indicators that it publishes. */
export interface DueRelease {
  date: string;
  /** Whether the agency announced the day; otherwise it is estimated. */
  exact: boolean;
  release: string;
  period: string;
  indicators: string[];
}

/** Releases due from today to `days` days ahead; omits daily series, most of them due every business day. */
export function listDue(db: Reader, now: Date, days: number): DueRelease[] {
  const today = easternDay(now);
  const until = shiftDay(today, days);
  const due = new Map<string, DueRelease>();
  for (const series of listSeries(db)) {
    if (series.frequency === 'Daily' || hasEnded(series)) continue;
    const release = INDICATOR_OF.get(series.seriesId)?.release ?? '';
    let next = nextRelease(series, today);
    while (next !== undefined && next.date <= until) {
      const { date, exact, period } = next;
      const key = `${date} ${release} ${period}`;
      const row = due.get(key) ?? { date, exact, release, period, indicators: [] };
      row.indicators.push(series.indicator);
      due.set(key, row);
      next = nextRelease(series, shiftDay(date, 1));
    }
  }
  return [...due.values()].sort((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)));
}
