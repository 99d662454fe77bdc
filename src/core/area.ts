import type { Database } from 'better-sqlite3';
import { v5 } from 'uuid';

/** The shelf's areas, which are also the scopes of API keys. */
export const AREAS = ['papers', 'macro', 'markets'] as const;
export type Area = (typeof AREAS)[number];

export const AREA_TITLES: Readonly<Record<Area, string>> = {
  papers: 'Research papers on quantitative finance: search, and sections of the full text.',
  macro: 'U.S. macro indicators: the catalogue, and the observations of a series.',
  markets: 'Finance events on prediction markets: lists, search, and single events.',
};

/** Must never change: every card id on every machine depends on it. */
const NAMESPACE = '6f0c9d0e-3f3b-5d0a-9b54-6a2d7c1e8f41';

/** The UUID v5 of a card, derived from a name such as "arxiv:1404.4944": the same on every machine. */
export function cardIdOfName(name: string): string {
  return v5(name, NAMESPACE);
}

/** The fields that all areas' sync reports share, as `sync --json` prints them. */
export interface SyncReport {
  /** Whether the run covered everything in its scope. */
  finished: boolean;
  /** The first failure; null if there was none. */
  error: string | null;
}

export interface SyncStep {
  /** 0 to 1; null if the total is unknown. */
  share: number | null;
  /** Shown beside the progress bar, such as "2,500 records". */
  text: string;
}

/** One unit vector per text, in order. */
export type Embed = (texts: readonly string[]) => Promise<Float32Array[]>;

/** What a command provides to an area's sync. */
export interface SyncTools {
  /** Writable. */
  db: Database;
  now: () => Date;
  /** Aborted when the user stops the command. */
  signal: AbortSignal;
  /** Writes a line for the user. */
  log: (line: string) => void;
  /** Runs one part of the sync. Never rejects: the first failure goes into the report, later ones to `log`. */
  attempt(report: SyncReport, work: () => Promise<void>): Promise<void>;
  /** Starts a progress display for `items`, replacing any earlier one, and returns its update function. */
  startProgress(items: string): (step: SyncStep) => void;
}

/** For a sync that also computes vectors. */
export interface VectorTools extends SyncTools {
  /** Loads the embedding model, which may have to be downloaded first. */
  loadModel(): Promise<{ embed: Embed; close(): Promise<void> }>;
}

export type ExportValue = string | number | boolean | null;

/** An area's export. Long tables are streamed from the store, so that memory does not grow with them. */
export interface ExportTable {
  columns: readonly string[];
  rows: Iterable<readonly ExportValue[]>;
  /** Columns stored as JSON text; the JSON formats write them as arrays. */
  lists?: readonly string[];
  /** Printed for the user, apart from the rows. */
  notice?: string;
}
