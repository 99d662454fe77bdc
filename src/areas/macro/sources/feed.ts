import type { Validators } from '../../../upstream/connections.ts';
import type { AgencyName } from '../facts/agencies.ts';
import { rowsOfFeed } from '../facts/indicators.ts';

/** A figure as the agency currently publishes it. */
export interface Figure {
  /** FRED's date for the period, YYYY-MM-DD: its first day, or the last day of a week. */
  date: string;
  /** Null if the agency publishes a missing value. */
  value: number | null;
  /** The publication day, as stated by the agency or taken from the day of its file; absent if unknown. */
  released?: string;
}

/** The current figures of a series, oldest first. */
export interface AgencySeries {
  seriesId: string;
  /** Units in FRED's wording, if the response reveals them. */
  units?: string;
  figures: readonly Figure[];
}

/** What feeds need to know about stored figures. */
export interface StoredFigures {
  /** The stored date from which requests continue; null if there is none. */
  lastDate(seriesId: string): string | null;
  /** Current values from `from` on, by date. */
  since(seriesId: string, from: string): ReadonlyMap<string, number | null>;
  /** The version of a file whose figures are stored. */
  versionOf(url: string): Validators | undefined;
  /** Notes the version of a file, to be saved once all its figures are stored. */
  keepVersion(url: string, version: Validators): void;
}

/** What one refresh fetches from an agency: usually the series of one release. */
export interface Feed {
  name: string;
  agency: AgencyName;
  seriesIds: readonly string[];
  /**
   * `today` is the day in New York. Rejects with the client's errors or a RejectedRequestError. The
   * result lacks series that the agency left out; it is null if the file's figures are already
   * stored.
   */
  fetch(
    stored: StoredFigures,
    today: string,
    signal: AbortSignal,
  ): Promise<readonly AgencySeries[] | null>;
}

/** A request overlaps the stored figures by this many days, for comparison. */
export const OVERLAP_DAYS = 60;

export function createFeed(agency: AgencyName, name: string, fetch: Feed['fetch']): Feed {
  return { name, agency, seriesIds: rowsOfFeed(name).map(({ series_id }) => series_id), fetch };
}

export function byDate(a: Figure, b: Figure): number {
  return a.date < b.date ? -1 : 1;
}

/** Splits a line of CSV. Quoted cells may contain commas; a cell with a stray quote is dropped. */
export function cellsOf(line: string): string[] {
  const cells = line.trim().matchAll(/(?:^|,)("[^"]*"|[^,"]*)(?=,|$)/g);
  return [...cells].map(([, cell = '']) => cell.replaceAll('"', '').trim());
}

/** Reads a decimal number, with or without commas; undefined for anything else. */
export function readNumber(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  return /^-?\d+(\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}

/** Rounds half up to two decimals; the margin compensates for binary fractions. */
export function toHundredths(value: number): number {
  return Math.floor(value * 100 + 0.5 + 1e-7) / 100;
}
