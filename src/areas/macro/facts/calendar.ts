import holidays from '../../../../data/calendar/holidays.json' with { type: 'json' };
import { shiftDay } from '../../../core/time.ts';

/** Formats times in New York's time zone, which all release times use. */
const EASTERN = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const MONTHS: Readonly<Record<string, number>> = { Monthly: 1, Quarterly: 3, Annual: 12 };

/** The calendar day in New York. */
export function easternDay(at: Date): string {
  return easternTime(at).day;
}

/** The calendar day and the wall-clock time in New York, "HH:MM". */
export function easternTime(at: Date): { day: string; time: string } {
  const parts = EASTERN.formatToParts(at).map(({ type, value }) => [type, value] as const);
  const { year, month, day, hour, minute } = Object.fromEntries(parts);
  return { day: `${year}-${month}-${day}`, time: `${hour}:${minute}` };
}

/** The instant of a day and wall-clock time in New York, "HH:MM". */
export function easternInstant(day: string, time: string): Date {
  const standard = new Date(`${day}T${time}:00-05:00`);
  const shown = easternTime(standard);
  const isStandard = shown.day === day && shown.time === time;
  return isStandard ? standard : new Date(`${day}T${time}:00-04:00`);
}

/** The first year of each federal holiday, by "MM-DD" or by "month-weekday-nth". */
const FIXED_HOLIDAYS = new Map(Object.entries(holidays.fixed));
const FLOATING_HOLIDAYS = new Map(Object.entries(holidays.floating));

/** False on weekends and federal holidays, when agencies do not publish. */
export function isBusinessDay(day: string): boolean {
  const weekday = new Date(day).getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  const [month, date] = [Number(day.slice(5, 7)), Number(day.slice(8))];
  // Memorial Day is the last Monday of May.
  if (month === 5 && weekday === 1 && date > 24) return false;
  const isSince = (year = Number.POSITIVE_INFINITY) => Number(day.slice(0, 4)) >= year;
  if (isSince(FLOATING_HOLIDAYS.get(`${month}-${weekday}-${Math.ceil(date / 7)}`))) return false;
  const weekendSide = { 1: shiftDay(day, -1), 5: shiftDay(day, 1) }[weekday];
  return ![day, weekendSide ?? day].some((each) => isSince(FIXED_HOLIDAYS.get(each.slice(5))));
}

/** Whether federal offices are certainly open: they often close on the days next to Christmas too. */
export function isOfficeDay(day: string): boolean {
  return isBusinessDay(day) && !holidays.closed.includes(day.slice(5));
}

/** The `count`th business day after `day`; for 0, the first one on or after it. */
export function shiftBusinessDays(day: string, count: number): string {
  let shifted = day;
  for (let left = count; left > 0; left -= isBusinessDay(shifted) ? 1 : 0) {
    shifted = shiftDay(shifted, 1);
  }
  while (!isBusinessDay(shifted)) shifted = shiftDay(shifted, 1);
  return shifted;
}

/** The first day of the period `count` periods later; undefined for daily and weekly series. */
export function shiftPeriods(frequency: string, date: string, count: number): string | undefined {
  const months = MONTHS[frequency];
  if (months === undefined) return undefined;
  const moved = new Date(`${date.slice(0, 7)}-01T00:00:00Z`);
  moved.setUTCMonth(moved.getUTCMonth() + months * count);
  return moved.toISOString().slice(0, 10);
}

/** The last day of the period dated `date`: for days and weeks, `date` itself. */
export function periodEnd(frequency: string, date: string): string {
  const next = shiftPeriods(frequency, date, 1);
  return next === undefined ? date : shiftDay(next, -1);
}
