import type { Database } from 'better-sqlite3';
import { keepStatements } from '../statements.ts';
import type { QueryStem } from './tokens.ts';
import type { Pause } from './turns.ts';

/** A stem of a query with the number of cards that hold it. */
export interface CountedStem extends QueryStem {
  holders: number;
}

/** Counts of one index, as long as its words stand as they were. */
interface Known {
  words: Buffer;
  counts: Map<string, number>;
}

/** Stems whose counts are kept; FTS5 goes through all holders of a stem to count them. */
const KEPT = 10_000;
/** Where FTS5 keeps the list of its segments, which every change of the index writes anew. */
const STRUCTURE_ROW = 10;

const known = new WeakMap<Database, Map<string, Known>>();

const selectHolders = keepStatements((db, name) =>
  db.prepare<[string], number>(`SELECT doc FROM ${name}_stem WHERE term = ?`).pluck(),
);
const selectStructure = keepStatements((db, name) =>
  db
    .prepare<{ row: number }, Buffer>(`SELECT block FROM ${name}_words_data WHERE id = @row`)
    .pluck(),
);

/** What changes with every change of an index's words; undefined where there is no such index. */
export function wordsStamp(db: Database, name: string): Buffer | undefined {
  return selectStructure(db, name).get({ row: STRUCTURE_ROW });
}

/** How many cards hold each stem; a joined compound or another name that none holds is left out. */
export async function countHolders(
  db: Database,
  name: string,
  stems: readonly QueryStem[],
  pause: Pause,
): Promise<CountedStem[]> {
  const counts = countsOf(db, name);
  const find = selectHolders(db, name);
  const counted: CountedStem[] = [];
  for (const stem of stems) {
    const holders = counts.get(stem.stem) ?? find.get(stem.stem) ?? 0;
    counts.set(stem.stem, holders);
    const isOwn = !stem.isJoined && stem.isOther !== true;
    if (isOwn || holders > 0) counted.push({ ...stem, holders });
    await pause();
  }
  return counted;
}

/** The counts that still hold, to be added to. */
function countsOf(db: Database, name: string): Map<string, number> {
  // What an open transaction has written may yet be undone.
  if (db.inTransaction) return new Map();
  const words = wordsStamp(db, name);
  const indexes = known.get(db) ?? new Map<string, Known>();
  known.set(db, indexes);
  const held = indexes.get(name);
  if (words !== undefined && held?.words.equals(words) && held.counts.size < KEPT) {
    return held.counts;
  }
  const counts = new Map<string, number>();
  if (words !== undefined) indexes.set(name, { words, counts });
  return counts;
}
