/** The agencies whose figures can be had without a key. */
export type AgencyName = 'bls' | 'treasury' | 'new_york_fed';

/** One figure as an agency gives it now. */
export interface Figure {
  /** Start of the period as FRED dates it, YYYY-MM-DD. */
  date: string;
  /** Null where the agency publishes a missing value. */
  value: number | null;
  /** Day on which it came out, where the agency says so. */
  released?: string;
}

/** The current figures of a series from `from` on, oldest first. */
export interface AgencySeries {
  seriesId: string;
  /** First date that the request covered. */
  from: string;
  figures: readonly Figure[];
}

/** What the store holds, for requests that depend on it. */
export interface HeldFigures {
  /** The last date with a value; null where none is held. */
  lastDate(seriesId: string): string | null;
  /** Current values from `from` on, by date. */
  since(seriesId: string, from: string): ReadonlyMap<string, number | null>;
}

/** What one visit to an agency brings: the series that come together. */
export interface Feed {
  name: string;
  agency: AgencyName;
  seriesIds: readonly string[];
  /**
   * `today` is the day in New York. Rejects with the client's errors or an AgencyRequestError; a
   * series that the agency left out is missing from the result.
   */
  fetch(held: HeldFigures, today: string, signal: AbortSignal): Promise<AgencySeries[]>;
}

/** An agency rejected a request; repeating it will not help. The message is ours. */
export class AgencyRequestError extends Error {
  override readonly name = 'AgencyRequestError';
}

/** Days before the last date held that a request repeats: enough to compare with what is held. */
export const OVERLAP_DAYS = 60;
