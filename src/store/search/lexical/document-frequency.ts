import type { Database } from 'better-sqlite3';

/** Those of the stems that at least so many cards hold. One query takes half as long as many. */
export function filterByDocumentFrequency(
  db: Database,
  name: string,
  stems: readonly string[],
  least: number,
): Set<string> {
  const held = db
    .prepare<{ stems: string; before: number }, string>(`
      SELECT value FROM json_each(@stems)
      WHERE (
        SELECT rowid FROM ${name}_terms WHERE ${name}_terms MATCH '"' || value || '"'
        LIMIT 1 OFFSET @before
      ) IS NOT NULL`)
    .pluck()
    .all({ stems: JSON.stringify(stems), before: least - 1 });
  return new Set(held);
}
