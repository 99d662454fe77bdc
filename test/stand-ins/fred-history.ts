/** A row as FRED sends it. */
export interface FredRow {
  realtime_start: string;
  realtime_end: string;
  date: string;
  value: string;
}

/** The value published for a date: null if it is missing, 'gone' if the date is removed. */
export type Published = number | string | null | 'gone';

const OPEN = '9999-12-31';

export function shift(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** All vintages of one series, as FRED keeps them. */
export class FredHistory {
  /** Days on which anything changed, in order. */
  readonly days: string[] = [];
  readonly #rows = new Map<string, FredRow[]>();
  /** The dates of all rows, in order; sorted again by the next `listRows` after one is added. */
  #dates: string[] = [];

  /** `day` must not be before the last change. An equal value still starts a new row. */
  publish(day: string, changes: Readonly<Record<string, Published>>): this {
    const last = this.days.at(-1) ?? '';
    if (day < last) throw new Error('history must be published in order');
    if (day !== last) this.days.push(day);
    const dayBefore = shift(day, -1);
    for (const [date, value] of Object.entries(changes)) {
      const rows = this.#rows.get(date) ?? [];
      this.#rows.set(date, rows);
      const open = rows.at(-1);
      if (open?.realtime_end === OPEN) {
        // A second release on the same day replaces the first.
        if (open.realtime_start === day) rows.pop();
        else open.realtime_end = dayBefore;
      }
      if (value === 'gone') continue;
      const text = value === null ? '.' : String(value);
      rows.push({ realtime_start: day, realtime_end: OPEN, date, value: text });
    }
    return this;
  }

  /** The rows of a period, clipped to it, ordered by date and real time. */
  listRows(period: { from: string; to: string; start: string; end: string }): FredRow[] {
    const { from, to, start, end } = period;
    if (this.#dates.length < this.#rows.size) this.#dates = [...this.#rows.keys()].sort();
    return this.#dates
      .filter((date) => date >= start && date <= end)
      .flatMap((date) => this.#rows.get(date) ?? [])
      .filter((row) => row.realtime_end >= from && row.realtime_start <= to)
      .map((row) => ({
        realtime_start: row.realtime_start < from ? from : row.realtime_start,
        realtime_end: row.realtime_end > to ? to : row.realtime_end,
        date: row.date,
        value: row.value,
      }));
  }

  /** The days of change within a period. */
  listDays(from: string, to: string): string[] {
    return this.days.filter((day) => day >= from && day <= to);
  }
}
