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

/** The run of a set came to its end; the next one begins at `next`. */
export function finishRun(db: Database, set: string, next: string | null, at: Date): void {
  db.prepare(`
    INSERT INTO harvest (set_name, next_from, finished_at) VALUES (@set, @next, @at)
    ON CONFLICT (set_name) DO UPDATE SET
      next_from = excluded.next_from, finished_at = excluded.finished_at, run_from = NULL,
      run_token = NULL, run_answered = NULL, run_reached = NULL, run_records = 0`).run({
    set,
    next,
    at: at.toISOString(),
  });
}
