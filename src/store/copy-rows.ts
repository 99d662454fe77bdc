import type { Database } from 'better-sqlite3';

/** A table whose rows belong to one card or series, and the column that names it. */
export interface OwnedTable {
  table: string;
  key: string;
}

/**
 * Replaces the rows of `target` that belong to `to` by the rows of `source` that belong to `from`.
 * Both stores have the same schema. The first table owns the others, which are deleted with it.
 * Call it inside a transaction of `target`.
 */
export function replaceRows(
  source: Database,
  target: Database,
  tables: readonly OwnedTable[],
  { from, to }: { from: number | string; to: number | string },
): void {
  for (const { table, key } of tables.toReversed()) {
    target.prepare(`DELETE FROM ${table} WHERE ${key} = @to`).run({ to });
  }
  for (const { table, key } of tables) {
    const columns = source
      .prepare<{ table: string }, string>('SELECT name FROM pragma_table_info(@table)')
      .pluck()
      .all({ table })
      .filter((column) => column !== key);
    const rows = source
      .prepare<{ from: number | string }, unknown[]>(
        `SELECT ${columns.join(', ')} FROM ${table} WHERE ${key} = @from`,
      )
      .raw()
      .all({ from });
    const places = columns.map(() => '?').join(', ');
    const insert = target.prepare(
      `INSERT INTO ${table} (${key}, ${columns.join(', ')}) VALUES (?, ${places})`,
    );
    for (const row of rows) insert.run(to, ...row);
  }
}
