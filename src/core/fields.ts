import * as z from 'zod';

/** Length in Unicode code points, not UTF-16 code units. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Matches a visible character; white space and zero-width characters alone are blank. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/*
 * Ranges, defaults and formats are published both as JSON Schema keywords and in the descriptions, because some
 * hosts drop the keywords (Codex: minimum, maximum, default, pattern).
 */

/** Shorter limits, those of names and ids, are left out of the descriptions. */
const MENTIONED_FROM = 200;

/**
 * A required text argument: not blank, at most `max` code points. The limit is published as maxLength, which
 * JSON Schema also counts in code points.
 */
export function text(max: number, description: string) {
  const limit = max < MENTIONED_FROM ? '' : ` At most ${max.toLocaleString('en-US')} characters.`;
  return z
    .string()
    .refine((value) => VISIBLE.test(value), { error: 'must not be blank' })
    .refine((value) => codePoints(value) <= max, {
      error: (issue) =>
        `must be at most ${max.toLocaleString('en-US')} characters; it has ${codePoints(String(issue.input)).toLocaleString('en-US')}`,
    })
    .meta({ description: description + limit, maxLength: max });
}

export function wholeNumber(min: number, max: number, standard: number, description: string) {
  return z
    .int()
    .min(min)
    .max(max)
    .default(standard)
    .meta({ description: `${description} ${min} to ${max}, default ${standard}.` });
}

const day = z.iso.date();
/** Seconds are optional. */
const time = z.iso.datetime({ offset: true }).or(z.iso.datetime({ offset: true, precision: -1 }));

/** Whether the text is an existing calendar day, YYYY-MM-DD. */
export function isCalendarDay(value: string): boolean {
  return day.safeParse(value).success;
}

export function calendarDay(description: string) {
  return z
    .string()
    .refine(isCalendarDay, { error: 'must be a real calendar day, YYYY-MM-DD' })
    .meta({ description, pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
}

/**
 * Parses an ISO 8601 UTC time ("Z" or "+00:00"), or a bare day as its midnight, into milliseconds since 1970; NaN
 * for anything else.
 */
export function parseInstant(value: string): number {
  const isTime = time.safeParse(value).success && /(Z|\+00:00)$/.test(value);
  return isTime || isCalendarDay(value) ? Date.parse(value) : Number.NaN;
}

/** An ISO 8601 UTC time, or a bare day, to be parsed with `parseInstant`. */
export function instant(description: string) {
  return z
    .string()
    .refine((value) => Number.isFinite(parseInstant(value)), {
      error:
        'must be an ISO 8601 UTC time such as 2026-01-31T00:00:00Z, or a day such as 2026-01-31',
    })
    .meta({ description });
}
