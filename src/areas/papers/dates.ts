import { invalidRequest } from '../../core/errors.ts';
import { isCalendarDay } from '../../core/fields.ts';
import type { Filter } from '../../search/lexical.ts';
import type { Field } from '../../search/query.ts';

const DATE = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/;
const DATE_FIELDS = ['since', 'until', 'year'];

/** The fields for a date of publication. */
export function dateFieldsIn<T extends { name: string }>(fields: readonly T[]): T[] {
  return fields.filter(({ name }) => DATE_FIELDS.includes(name));
}

/** Throws `invalid_request` for an invalid date, and for two that leave no date between them. */
export function checkDates(fields: readonly Field[]): void {
  const dates = dateFieldsIn(fields);
  for (const { name, value } of dates) {
    const isReal = value.length < 10 || isCalendarDay(value);
    if (!DATE.test(value) || !isReal || (name === 'year' && value.length > 4)) {
      throw invalidRequest(
        `${name}:${value} is not a date: write year:2024, since:2024-05 or until:2024-05-31.`,
        'query',
      );
    }
  }
  const limits = dates.filter(({ isExcluded }) => !isExcluded);
  for (const { name, value } of limits.filter((first) => first.name !== 'until')) {
    const last = limits.find(
      (other) => other.name !== 'since' && value.slice(0, other.value.length) > other.value,
    );
    if (last !== undefined) {
      throw invalidRequest(
        `No date passes both ${name}:${value} and ${last.name}:${last.value}: change or drop one.`,
        'query',
      );
    }
  }
}

/**
 * Matches papers published within a span, both ends included: YYYY, YYYY-MM or YYYY-MM-DD. Some
 * papers have only a month, so dates are compared at the coarser precision.
 */
export function isPublished(
  { from, to }: { from: string | null; to: string | null },
  key: string,
): Pick<Filter, 'where' | 'params'> {
  return {
    where: `
      p.published <> '' AND p.published >= substr(@${key}From, 1, length(p.published))
      AND substr(p.published, 1, length(@${key}To)) <= @${key}To`,
    params: { [`${key}From`]: from ?? '', [`${key}To`]: to ?? '9999' },
  };
}
