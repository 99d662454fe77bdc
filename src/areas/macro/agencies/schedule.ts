import agencyFile from '../../../../data/agencies.json' with { type: 'json' };
import { shiftDay } from '../../../core/time.ts';
import { easternInstant, easternTime, periodEnd, shiftPeriods, shiftWeekdays } from './calendar.ts';
import type { Feed } from './feed.ts';

const HOUR_MS = 3_600_000;

interface FeedTimes {
  /** New York time, "HH:MM". */
  released: string;
  weekdaysLater?: number;
  askAgainHours?: number;
}

const FEEDS: Readonly<Record<string, FeedTimes>> = agencyFile.feeds;
const OWN_TIMES: Readonly<Record<string, string>> = agencyFile.ownTimes;
/** Between queries while a figure is overdue. */
const USUAL_ASK_AGAIN_HOURS = 3;

export interface Timing {
  seriesId: string;
  frequency: string;
  /** Days from the end of a period to its usual release. */
  lagDays: number;
}

/** When the first release of `date` was, by its usual lag: a weekday, YYYY-MM-DD. */
export function estimateRelease(
  feed: Pick<Feed, 'name'>,
  { frequency, lagDays }: Timing,
  date: string,
): string {
  const weekdays = frequency === 'Daily' ? FEEDS[feed.name]?.weekdaysLater : undefined;
  return weekdays === undefined
    ? shiftWeekdays(shiftDay(periodEnd(frequency, date), lagDays), 0)
    : shiftWeekdays(date, weekdays);
}

/** When to ask for the figure after `last`, the last date held; a few hours from now when that has passed. */
export function nextFigureDue(
  feed: Pick<Feed, 'name'>,
  timing: Timing,
  last: string,
  now: Date,
): Date {
  const next =
    timing.frequency === 'Weekly'
      ? shiftDay(last, 7)
      : (shiftPeriods(timing.frequency, last, 1) ?? shiftWeekdays(last, 1));
  const day = estimateRelease(feed, timing, next);
  const time = OWN_TIMES[timing.seriesId] ?? FEEDS[feed.name]?.released ?? '12:00';
  const again = askAgain(feed, now);
  const due = easternInstant(day, time);
  if (due > again) return due;
  const shown = easternTime(again);
  // On a weekend nothing comes out, so the next try waits for a weekday.
  return easternInstant(shiftWeekdays(shown.day, 0), shown.time);
}

/** When to ask again for what is overdue. */
export function askAgain({ name }: Pick<Feed, 'name'>, now: Date): Date {
  const hours = FEEDS[name]?.askAgainHours ?? USUAL_ASK_AGAIN_HOURS;
  return new Date(now.getTime() + hours * HOUR_MS);
}
