import { relativeDatesOf } from '../../../store/search/query/relative-dates.ts';

/* Days as questions name them: parts of patterns that ignore case, and what they mean. */

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
/** A year or month of the calendar by today's; "the last year" ends today. */
export const RELATIVE = '(?:this|(?<!\\bthe )last) (?:year|month)';
/** A year, month or day. */
export const WHEN = `(?:${RELATIVE}|(?:the )?(?:year |${MONTH}\\.? )?(?:19|20)\\d\\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\\d|3[01]))?(?!\\d))?)`;
const COUNTS: Readonly<Record<string, number>> = {
  ...{ one: 1, two: 2, 'couple of': 2, three: 3, few: 3, four: 4, five: 5, six: 6, seven: 7 },
  ...{ eight: 8, nine: 9, ten: 10, eleven: 11, twelve: 12 },
};
const DAYS: Readonly<Record<string, number>> = {
  year: 365.25,
  quarter: 91.3,
  month: 30.5,
  week: 7,
  day: 1,
};
const DAY_MS = 86_400_000;
/** A length of time: "six months", "year". */
export const LENGTH = `(?:(?:\\d{1,2}|${Object.keys(COUNTS).join('|')}) )?(?:${Object.keys(DAYS).join('|')})s?`;

/** YYYY, YYYY-MM or YYYY-MM-DD, which is also that of a length of time: the day so long ago. */
export function normalise(named: string, now: Date): string {
  const [, count = '', unit = ''] = /^(.*?) ?(year|quarter|month|week|day)s?$/iu.exec(named) ?? [];
  const when = relativeDatesOf(named, now) || named;
  if (unit !== '' && when === named) {
    const many = Number(count) || (COUNTS[count.toLowerCase()] ?? 1);
    return new Date(now.getTime() - many * (DAYS[unit.toLowerCase()] ?? 0) * DAY_MS)
      .toISOString()
      .slice(0, 10);
  }
  const [year = ''] = /(?:19|20)\d\d(?:-\d\d){0,2}/.exec(when) ?? [];
  const month = MONTHS.findIndex((name) => new RegExp(`\\b${name}`, 'iu').test(when));
  return month < 0 ? year : `${year.slice(0, 4)}-${String(month + 1).padStart(2, '0')}`;
}

/** The first day of a normalised year, month or day. */
export function firstDay(when: string): string {
  return `${when}-01-01`.slice(0, 10);
}

/** Its last day. */
export function lastDay(when: string): string {
  const [year = 0, month = 12, day] = when.split('-').map(Number);
  if (day !== undefined) return when;
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}
