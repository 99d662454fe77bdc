import type { Database } from 'better-sqlite3';
import { createLruCache } from '../../../core/lru.ts';
import { recall } from '../../memo.ts';

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

/** Document frequencies that a connection remembers. */
const REMEMBERED = 4_096;

class Frequencies {
  readonly byStem = createLruCache<number>(REMEMBERED);
}

/**
 * How many cards hold each of the stems; those that none holds are left out. SQLite counts the cards, which takes half a millisecond for a
 * common stem, and the common ones recur from question to question.
 */
export function readDocumentFrequencies(
  db: Database,
  name: string,
  stems: readonly string[],
): Map<string, number> {
  const { byStem } = recall(db, `document frequencies of ${name}`, {
    type: Frequencies,
    compute: () => new Frequencies(),
  });
  const unknown = stems.filter((stem) => byStem.get(stem) === undefined);
  const counted = new Map(unknown.length === 0 ? [] : countCards(db, name, unknown));
  for (const stem of unknown) byStem.set(stem, counted.get(stem) ?? 0);
  return new Map(
    stems.map((stem) => [stem, byStem.get(stem) ?? 0] as const).filter(([, cards]) => cards > 0),
  );
}

/** Those of the stems that a card holds, with the number of such cards. */
function countCards(
  db: Database,
  name: string,
  stems: readonly string[],
): [stem: string, frequency: number][] {
  return db
    .prepare<{ stems: string }, [stem: string, frequency: number]>(`
      SELECT term, doc FROM json_each(@stems) CROSS JOIN ${name}_vocabulary ON term = value`)
    .raw()
    .all({ stems: JSON.stringify(stems) });
}
