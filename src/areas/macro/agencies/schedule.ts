import { shiftDay } from '../vintages/runs.ts';
import { easternInstant, easternTime, periodEnd, shiftPeriods, shiftWeekdays } from './calendar.ts';
import type { Feed } from './feed.ts';

const HOUR_MS = 3_600_000;

/** When a feed's figures can be there, in New York; a few minutes past the release itself. */
const RELEASE_TIME: Readonly<Record<string, string>> = {
  bls: '08:35',
  sofr: '08:05',
  effr: '09:05',
  reverse_repo: '13:20',
  treasury_nominal: '18:05',
  treasury_real: '18:05',
  h10: '16:20',
  h41: '16:35',
  h6: '13:05',
  g17: '09:20',
  g19: '15:05',
  chargeoff: '16:05',
  bea_monthly: '08:35',
  bea_quarterly: '08:35',
  bea_annual: '08:35',
  census_sales: '08:35',
  census_starts: '08:35',
  census_permits: '08:35',
  census_new_homes: '10:05',
  fhfa: '09:05',
};
/** JOLTS comes later in the day than the rest of the BLS. */
const OWN_TIME: Readonly<Record<string, string>> = { JTSJOL: '10:05' };
/** Weekdays from the date of a daily figure to its release, where it does not wait for a day of the week. */
const DAYS_LATER: Readonly<Record<string, number>> = {
  ...{ treasury_nominal: 0, treasury_real: 0, reverse_repo: 0 },
  ...{ sofr: 1, effr: 1 },
};
/** Hours between queries while a figure is overdue; the BLS allows few. */
const ASK_AGAIN_HOURS: Readonly<Record<string, number>> = { bls: 12 };
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
  const weekdays = frequency === 'Daily' ? DAYS_LATER[feed.name] : undefined;
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
  const time = OWN_TIME[timing.seriesId] ?? RELEASE_TIME[feed.name] ?? '12:00';
  const again = askAgain(feed, now);
  const due = easternInstant(day, time);
  if (due > again) return due;
  const shown = easternTime(again);
  // On a weekend nothing comes out, so the next try waits for a weekday.
  return easternInstant(shiftWeekdays(shown.day, 0), shown.time);
}

/** When to ask again for what is overdue. */
export function askAgain({ name }: Pick<Feed, 'name'>, now: Date): Date {
  return new Date(now.getTime() + (ASK_AGAIN_HOURS[name] ?? USUAL_ASK_AGAIN_HOURS) * HOUR_MS);
}
