import { readSightings, type Sighting } from './macro-copies.ts';
import { CLOSED_DAYS, KNOWN_RELEASES } from './macro-recipe.ts';
import { addDays, isWeekend } from './macro-text.ts';

/** A value whose day of publication is known; `superseded` is null while it is current. */
export interface Vintage {
  seriesId: string;
  date: string;
  value: number;
  published: string;
  superseded: string | null;
}

/**
 * The intervals of the daily pulls whose beginning is known to the day, by series, date and time.
 * `seriesIds` gives the series and their order; `recordedDir` holds the recorded macro files.
 */
export function extractVintages(recordedDir: string, seriesIds: readonly string[]): Vintage[] {
  const sightings = readSightings(recordedDir);
  const all = [...sightings.values()].flat();
  const pullDays = [...new Set(all.flatMap((row) => [row.firstSeen, row.lastSeen]))].sort();
  return seriesIds.flatMap((seriesId) =>
    vintagesOf(seriesId, sightings.get(seriesId) ?? [], pullDays),
  );
}

function vintagesOf(
  seriesId: string,
  rows: readonly Sighting[],
  pullDays: readonly string[],
): Vintage[] {
  const firstPull = rows.map((row) => row.firstSeen).sort()[0];
  const sorted = [...rows].sort((a, b) => order(a.date, b.date) || order(a.firstSeen, b.firstSeen));
  return sorted.flatMap((row, index) => {
    const next = sorted[index + 1];
    const follower = next?.date === row.date ? next : undefined;
    if (follower !== undefined && follower.firstSeen <= row.lastSeen) {
      throw new Error(`${seriesId} ${row.date}: two values were seen on ${row.lastSeen}`);
    }
    if (row.firstSeen === firstPull || !isKnownToTheDay(seriesId, row, rows, pullDays)) return [];
    const { date, value, firstSeen: published } = row;
    return [{ seriesId, date, value, published, superseded: follower?.firstSeen ?? null }];
  });
}

/**
 * A first sight is the day of publication unless an earlier day went by without a pull.
 * Where several dates of a daily series turn up at once, only the newest is certain: the series
 * brings one date a day, so an earlier pull must have missed the others.
 */
function isKnownToTheDay(
  seriesId: string,
  row: Sighting,
  rows: readonly Sighting[],
  pullDays: readonly string[],
): boolean {
  if (KNOWN_RELEASES[seriesId] === row.firstSeen) return true;
  const missed = missedDays(pullDays[pullDays.indexOf(row.firstSeen) - 1] ?? '', row.firstSeen);
  const lastMissed = missed.at(-1);
  if (lastMissed !== undefined && row.date < lastMissed) return false;
  const isDaily = rows.some((other) => !other.date.endsWith('-01'));
  return !isDaily || !rows.some((o) => o.firstSeen === row.firstSeen && o.date > row.date);
}

/** Days between two pulls on which something may have come out unseen. */
function missedDays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = addDays(from, 1); day < to; day = addDays(day, 1)) {
    if (!isWeekend(day) && !CLOSED_DAYS.includes(day)) days.push(day);
  }
  return days;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
