import type { Database } from 'better-sqlite3';

/** Where a run stands. All of it is in the store after every page. */
export interface Run {
  from: string;
  token: string | null;
  answered: string | null;
  reached: string | null;
  records: number;
}

/** Keeps where the run of a set stands; `next` is where a run would begin if there were none. */
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
 * The run of a set came to its end. `progress` tells where the next one begins and since when nothing
 * that changed is missing; null for a run that left a gap, which moves neither.
 */
export function finishRun(
  db: Database,
  set: string,
  progress: { next: string | null; coveredFrom: string | null } | null,
  at: Date,
): void {
  db.prepare(`
    INSERT INTO harvest (set_name) VALUES (@set)
    ON CONFLICT (set_name) DO UPDATE SET
      run_from = NULL, run_token = NULL, run_answered = NULL, run_reached = NULL, run_records = 0`).run(
    { set },
  );
  if (progress === null) return;
  db.prepare(`
    UPDATE harvest SET next_from = @next, covered_from = @coveredFrom, finished_at = @at
    WHERE set_name = @set`).run({ set, ...progress, at: at.toISOString() });
}
