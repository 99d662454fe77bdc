const DAY_MS = 86_400_000;

/** The day (YYYY-MM-DD) so many days later, or earlier if negative. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
