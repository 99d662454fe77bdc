import type { Database } from 'better-sqlite3';

/** Progress of a harvest run, stored after every page. Days are YYYY-MM-DD. */
export interface Run {
  from: string;
  /** Resumption token of the next page; null at the start. */
  token: string | null;
  /** Day of the first response. */
  answered: string | null;
  /** Last datestamp seen; null once records came out of order. */
  reached: string | null;
  records: number;
}

/** Saves the checkpoint of a set's run; `next` is the start of a run if there were none. */
export function saveRun(db: Database, set: string, next: string | null, run: Run): void {
  db.prepare(`
    INSERT INTO harvest (
      set_name, next_from, run_from, run_token, run_answered, run_reached, run_records
    ) VALUES (@set, @next, @from, @token, @answered, @reached, @records)
    ON CONFLICT (set_name) DO UPDATE SET
      run_from = excluded.run_from, run_token = excluded.run_token,
      run_answered = excluded.run_answered, run_reached = excluded.run_reached,
      run_records = excluded.run_records`).run({ ...run, set, next });
}

/**
 * Records that a set's run finished. `progress` holds the start of the next run and the day from which
 * the shelf holds every change; null for a run that left a gap, which moves neither.
 */
export function finishRun(
  db: Database,
  set: string,
  progress: { next: string | null; coveredFrom: string | null } | null,
  at: Date,
): void {
  db.prepare(`
    INSERT INTO harvest (set_name) VALUES (@set)
    ON CONFLICT (set_name) DO UPDATE SET run_from = NULL, run_token = NULL, run_answered = NULL,
      run_reached = NULL, run_records = 0`).run({ set });
  if (progress === null) return;
  db.prepare(`
    UPDATE harvest SET next_from = @next, covered_from = @coveredFrom, finished_at = @at
    WHERE set_name = @set`).run({ set, ...progress, at: at.toISOString() });
}

/** Progress of the harvest of a set; days are YYYY-MM-DD. */
export interface HarvestRow {
  nextFrom: string | null;
  /** The shelf has every change from this day to `nextFrom`; null means every change ever. */
  coveredFrom: string | null;
  runFrom: string | null;
  runToken: string | null;
  runAnswered: string | null;
  runReached: string | null;
  runRecords: number;
}

export function findHarvest(db: Database, set: string): HarvestRow | undefined {
  return db
    .prepare<{ set: string }, HarvestRow>(`
      SELECT next_from AS nextFrom, covered_from AS coveredFrom, run_from AS runFrom, run_token AS runToken,
        run_answered AS runAnswered, run_reached AS runReached, run_records AS runRecords
      FROM harvest WHERE set_name = @set`)
    .get({ set });
}
