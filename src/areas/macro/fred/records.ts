import type { FREQUENCIES } from '../catalogue/categories.ts';

/** FRED's description of a series. */
export interface SeriesDescription {
  seriesId: string;
  title: string;
  units: string;
  /** FRED's short form: "SA", "NSA", "SAAR" … */
  seasonalAdjustment: string;
  /** Null for a cadence outside the catalogue's, such as biweekly. */
  frequency: (typeof FREQUENCIES)[number] | null;
  /** As FRED says it: "Weekly, Ending Saturday". */
  nativeFrequency: string;
  /** When the series last changed, ISO 8601 UTC. */
  lastUpdated: string;
  /** First and last date with a value, YYYY-MM-DD. */
  observationStart: string;
  observationEnd: string;
}

/** One value of one date, with its validity clipped to the requested real-time period. */
export interface ObservationPeriod {
  /** YYYY-MM-DD, as are all dates here. */
  date: string;
  /** Null where FRED publishes a missing value. */
  value: number | null;
  /** Never before the start of the requested period: FRED clips rows to it. */
  rtStart: string;
  /** Null while the value is current; otherwise within the requested period. */
  rtEnd: string | null;
}

/** A real-time period. Bounds are inclusive; without an end it is open. */
export interface ObservationWindow {
  rtStart: string;
  rtEnd?: string;
}
