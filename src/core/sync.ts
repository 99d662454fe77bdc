import type { Database } from 'better-sqlite3';

/** What is common to the reports of the areas' syncs, as `--json` prints them. */
export interface SyncReport {
  /** The run covered everything that it should. */
  finished: boolean;
  /** The first thing that went wrong; null when nothing did. */
  error: string | null;
}

/** How far the work has come. */
export interface SyncStep {
  /** 0 to 1; null while the total is unknown. */
  share: number | null;
  /** Shown beside it, such as "2,500 records". */
  text: string;
}

/** One unit vector per text, in order. */
export type Embed = (texts: readonly string[]) => Promise<Float32Array[]>;

/** What the sync of every area is given. */
export interface SyncTools {
  /** Writable. */
  db: Database;
  now: () => Date;
  /** Aborted when the user stops the command. */
  signal: AbortSignal;
  /** Receives lines for people. */
  log: (line: string) => void;
  /** Does a part of the sync; notes its failure in the report, unless an earlier one is there. */
  attempt(report: SyncReport, work: () => Promise<void>): Promise<void>;
  /** Shows how far the work on these items has come; ends what was shown before. */
  startProgress(items: string): (step: SyncStep) => void;
  /** Loads the embedding model, which may have to be downloaded first. */
  loadModel(): Promise<{ embed: Embed; close(): Promise<void> }>;
}
