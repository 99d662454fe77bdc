import type { Database } from 'better-sqlite3';

/** Ledger totals of one account. */
export interface Usage {
  /** Charged calls and their credits. */
  calls: number;
  credits: number;
  /** Time of the last one, ISO 8601; null while there is none. */
  last: string | null;
  operations: { operation: string; calls: number; credits: number }[];
}

/** Ledger totals by account and operation, for accounts with at least one row. */
export function summariseLedger(db: Database): Map<string, Usage> {
  const rows = db
    .prepare<
      [],
      { account: string; operation: string; calls: number; credits: number; last: string }
    >(`
      SELECT account, operation, count(*) AS calls, sum(credits) AS credits, max(at) AS last
      FROM ledger GROUP BY account, operation ORDER BY account, operation`)
    .all();
  const usage = new Map<string, Usage>();
  for (const { account, last, ...entry } of rows) {
    const sum = usage.get(account) ?? { calls: 0, credits: 0, last: null, operations: [] };
    sum.calls += entry.calls;
    sum.credits += entry.credits;
    if (sum.last === null || last > sum.last) sum.last = last;
    sum.operations.push(entry);
    usage.set(account, sum);
  }
  return usage;
}
