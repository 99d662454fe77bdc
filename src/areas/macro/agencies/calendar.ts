import { shiftDay } from '../../../core/time.ts';

/** The time zone of all release times. */
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

/** The instant of a wall-clock time in New York, "HH:MM". */
export function easternInstant(day: string, time: string): Date {
  const standard = new Date(`${day}T${time}:00-05:00`);
  const shown = easternTime(standard);
  const isStandard = shown.day === day && shown.time === time;
  return isStandard ? standard : new Date(`${day}T${time}:00-04:00`);
}

function isWeekend(day: string): boolean {
  return new Date(day).getUTCDay() % 6 === 0;
}

/** The `count`th weekday after `day`; with 0, `day` itself or the Monday after it. */
export function shiftWeekdays(day: string, count: number): string {
  let shifted = day;
  for (let left = count; left > 0; left -= isWeekend(shifted) ? 0 : 1) {
    shifted = shiftDay(shifted, 1);
  }
  while (isWeekend(shifted)) shifted = shiftDay(shifted, 1);
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

/** The last day of the period that is dated `date`; a day or a week is dated with it. */
export function periodEnd(frequency: string, date: string): string {
  const next = shiftPeriods(frequency, date, 1);
  return next === undefined ? date : shiftDay(next, -1);
}
