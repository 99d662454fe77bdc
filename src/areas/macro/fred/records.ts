import type { FREQUENCIES } from '../catalogue/categories.ts';

/** What FRED says about a series. */
export interface SeriesDescription {
  seriesId: string;
  title: string;
  units: string;
  /** FRED's short form: "SA", "NSA", "SAAR" … */
  seasonalAdjustment: string;
  /** Null for a cadence that the catalogue has no word for, such as every second week. */
  frequency: (typeof FREQUENCIES)[number] | null;
  /** As FRED says it: "Weekly, Ending Saturday". */
  nativeFrequency: string;
  /** When the series last changed, ISO 8601 UTC. */
  lastUpdated: string;
  /** First and last date with a value, YYYY-MM-DD. */
  observationStart: string;
  observationEnd: string;
  /** FRED marks figures of private owners by this word in the notes. */
  notesSayCopyright: boolean;
}

/** One value of one date, for as long as it was current within the asked real-time period. */
export interface ObservationPeriod {
  /** YYYY-MM-DD, like all days here. */
  date: string;
  /** Null where FRED publishes a missing value. */
  value: number | null;
  /** Never before the start of the asked period: FRED clips rows to it. */
  rtStart: string;
  /** Null while the value is current; otherwise never after the end of the asked period. */
  rtEnd: string | null;
}

/** Closed on both sides; what is absent is open. */
export interface ObservationWindow {
  rtStart: string;
  rtEnd?: string | undefined;
  observationStart?: string | undefined;
  observationEnd?: string | undefined;
}
