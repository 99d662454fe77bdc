import type { Vintage } from '../ingest.ts';

/** The calendar day `days` after `day`. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * Joins what abuts and is equal into one run, which begins when its oldest part began: a value is
 * published once, however often it is published again, and a row that was clipped to an asked
 * period finds the part before it. `vintages` come in the order of date and rtStart, and those of
 * one date must not overlap.
 */
export function joinRuns(vintages: readonly Vintage[]): Vintage[] {
  const joined: Vintage[] = [];
  for (const vintage of vintages) {
    const last = joined.at(-1);
    if (last !== undefined && continues(last, vintage)) {
      joined[joined.length - 1] = { ...last, rtEnd: vintage.rtEnd };
    } else {
      joined.push(vintage);
    }
  }
  return joined;
}

function continues(older: Vintage, newer: Vintage): boolean {
  return (
    older.date === newer.date &&
    older.value === newer.value &&
    older.rtEnd !== null &&
    shiftDay(older.rtEnd, 1) === newer.rtStart
  );
}

type Placed = Pick<Vintage, 'date' | 'rtStart'>;

/** The order of a series: by date, then by time of publication. */
export function compareVintages(a: Placed, b: Placed): number {
  return compare(a.date, b.date) || compare(a.rtStart, b.rtStart);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * What is held of one date after `since` has been told anew: before that day what was held stands,
 * from it on what was told.
 */
export function replaceSince(
  held: readonly Vintage[],
  told: readonly Vintage[],
  since: string,
): Vintage[] {
  const dayBefore = shiftDay(since, -1);
  const kept = held
    .filter(({ rtStart }) => rtStart < since)
    .map((vintage) =>
      vintage.rtEnd === null || vintage.rtEnd > dayBefore
        ? { ...vintage, rtEnd: dayBefore }
        : vintage,
    );
  return joinRuns([...kept, ...told]);
}
