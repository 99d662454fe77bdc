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

/** How many cards hold each of the stems; those that none holds are left out. SQLite counts the cards. */
export function readDocumentFrequencies(
  db: Database,
  name: string,
  stems: readonly string[],
): Map<string, number> {
  const rows = db
    .prepare<{ stems: string }, [stem: string, frequency: number]>(`
      SELECT term, doc FROM json_each(@stems) CROSS JOIN ${name}_vocabulary ON term = value`)
    .raw()
    .all({ stems: JSON.stringify(stems) });
  return new Map(rows);
}
