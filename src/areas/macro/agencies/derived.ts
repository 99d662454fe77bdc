import { shiftDay } from '../../../core/time.ts';
import { isBusinessDay, periodEnd } from './calendar.ts';
import type { Figure } from './feed.ts';

type Values = ReadonlyMap<string, number | null>;

/** `a` less `b` for every date that both have, in percentage points to two decimals. */
export function subtract(a: Values, b: Values): Figure[] {
  return combine(a, b, (x, y) => x - y);
}

/** Five-year inflation, five years ahead, from the breakeven rates of ten and five years. */
export function forwardInflation(ten: Values, five: Values): Figure[] {
  return combine(ten, five, (t, f) => {
    const growth = (1 + t / 100) ** 10 / (1 + f / 100) ** 5;
    return (growth ** 0.2 - 1) * 100;
  });
}

/** Means over the calendar days of each month all of whose days are there. */
export function monthlyMeans(daily: Values): Figure[] {
  const months = [...new Set([...daily.keys()].map((day) => `${day.slice(0, 7)}-01`))].sort();
  return months.flatMap((date) => {
    const values: number[] = [];
    for (let day = date; day <= periodEnd('Monthly', date); day = shiftDay(day, 1)) {
      const value = daily.get(day);
      if (value === undefined || value === null) return [];
      values.push(value);
    }
    const sum = values.reduce((total, value) => total + value, 0);
    return [{ date, value: toHundredths(sum / values.length) }];
  });
}

/** Gives weekends and holidays the value of the day before, as DFF does. Any other gap stays open. */
export function carryForward(figures: readonly Figure[]): Figure[] {
  return figures.flatMap((figure, index) => {
    const next = figures[index + 1]?.date;
    const run = [figure];
    let day = shiftDay(figure.date, 1);
    for (; next !== undefined && day < next && !isBusinessDay(day); day = shiftDay(day, 1)) {
      run.push({ ...figure, date: day });
    }
    return run;
  });
}

function combine(a: Values, b: Values, of: (x: number, y: number) => number): Figure[] {
  return [...a].flatMap(([date, x]) => {
    const y = b.get(date);
    if (x === null || y === undefined || y === null) return [];
    return [{ date, value: toHundredths(of(x, y)) }];
  });
}

/** Half up; the margin undoes what binary fractions lose. */
function toHundredths(value: number): number {
  return Math.floor(value * 100 + 0.5 + 1e-7) / 100;
}
