const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
/** But for those that are other words, too. */
const EXPLICIT_MONTH = new RegExp(
  `\\b(?:${MONTHS.filter((month) => !['March', 'May'].includes(month)).join('|')})\\b`,
  'iu',
);
const EXPLICIT_YEAR = /\b(?:19|20)\d\d\b/u;
/** "Year-end" is that of this year, unless the text names another. */
const YEAR_END =
  /\b(?:(?:end|close|rest|remainder|course) of (?:the |this )?(?:calendar )?year|(?:year|calendar) (?:ends|closes|runs out|is (?:out|over))|(?:by|before|until) (?:the )?new year|year[- ]end|eoy)\b/iu;
/** Words of such a date, which say nothing of a subject: cards have them in "10-year" and "a month". */
const PERIOD_WORDS =
  /\b(?:(?:rest|remainder|course) of |of )(?:the |this )?(?:calendar )?year\b|\b(?:this|next|last|calendar|current|coming) (?:year|quarter|month|week)\b/giu;
const PERIOD = /\b(this|next|last) (year|month)\b/giu;

/**
 * The years and months that a text names relative to `now`, as words: "2027" for "next year", "May
 * 2026" for "this month". A date that it names explicitly counts instead. Empty where it names none.
 */
export function relativeDatesOf(text: string, now: Date): string {
  const named = [...text.matchAll(PERIOD)].flatMap(([, which = '', unit = '']) => {
    const explicit = unit.toLowerCase() === 'year' ? EXPLICIT_YEAR : EXPLICIT_MONTH;
    return explicit.test(text)
      ? []
      : nameOf(unit.toLowerCase(), STEPS[which.toLowerCase()] ?? 0, now);
  });
  const isYearEnd = named.length === 0 && YEAR_END.test(text) && !EXPLICIT_YEAR.test(text);
  return [...named, ...(isYearEnd ? [nameOf('year', 0, now)] : [])].join(' ');
}

/** A text without the words of its relative dates. */
export function withoutRelativeDates(text: string): string {
  return text.replace(PERIOD_WORDS, ' ');
}

const STEPS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

function nameOf(unit: string, steps: number, now: Date): string {
  if (unit === 'year') return String(now.getUTCFullYear() + steps);
  const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + steps, 1));
  return `${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}
