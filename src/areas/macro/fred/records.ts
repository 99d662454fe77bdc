import type { FREQUENCIES } from '../catalogue/categories.ts';
import type { Vintage } from '../vintages/row-ingest.ts';

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

/** One value of one date; FRED clips its validity to the requested real-time period. */
export type ObservationPeriod = Omit<Vintage, 'exact'>;

/** A real-time period. Bounds are inclusive; without an end it is open. */
export interface ObservationWindow {
  rtStart: string;
  rtEnd?: string;
}
