import type { Database } from 'better-sqlite3';

/*
 * All rows of the user's own papers have negative ids, in `paper` and in every table keyed by a paper. That
 * suffices to hide them: on servers for others, temporary views shadow the tables. A paper that arXiv has as
 * well has two rows, its public card and an own one that holds the text. Card and source ids are unique, so
 * those of the own row begin with `own:`, which queries strip.
 */

/** An id for a new paper, the user's own or not. */
export function nextId(db: Database, isOwn: boolean): number {
  const next = isOwn
    ? `min(coalesce(min(id), 0), 0) - 1 FROM paper WHERE id > -${APART}`
    : 'max(coalesce(max(id), 0), 0) + 1 FROM paper';
  return db.prepare<[], number>(`SELECT ${next}`).pluck().get() ?? 1;
}

/** Larger than any shelf, but small enough that better-sqlite3 binds its sum with an id as an integer. */
const APART = 2 ** 30;

/** The same as `ownIdOf`, in SQL. */
export const ownIdIn = (id: string) => `-(${id} + ${APART})`;

/** The id that the own row of an arXiv card has, if there is one; it is its own inverse. */
export const ownIdOf = (id: number) => -(id + APART);

/** A card or source id in SQL, without the prefix that it has in the own row of an arXiv card. */
export const plainIdIn = (column: string) =>
  `CASE WHEN id < -${APART} THEN substr(${column}, 5) ELSE ${column} END`;

/** The id of the card to which a text belongs. */
export const cardIdOfText = (textId: number) => (textId < -APART ? ownIdOf(textId) : textId);

/**
 * The tables with their keys. A unary `+` keeps the indexes that the queries rely on. MATCH, bm25 and ORDER BY
 * rank need the hidden columns of FTS5.
 */
const TABLES = [
  ['paper', '+id'],
  ['paper_text', 'paper_id'],
  ['paper_section', 'paper_id'],
  ['own_file', 'paper_id'],
  ['paper_vector', '+id'],
  ['paper_passages', '+id'],
  ['paper_indexed', 'id'],
  ['paper_terms', 'rowid', 'rowid, *, paper_terms, rank'],
  ['paper_section_terms', 'rowid', 'rowid, *, paper_section_terms, rank'],
] as const;

/**
 * Hides the user's own papers from every query of a connection, for as long as it lives: no name, word, count
 * or section of them remains visible.
 */
export function hideOwnPapers(db: Database): void {
  for (const [name, key, columns = '*'] of TABLES) {
    db.exec(`CREATE TEMP VIEW ${name} AS SELECT ${columns} FROM main.${name} WHERE ${key} >= 0`);
  }
  // A word found only in own papers is in no visible document: it corrects no other word and has no
  // weight.
  db.exec(`
    CREATE TEMP VIEW paper_vocabulary AS
    SELECT term, doc - iif(EXISTS (SELECT 1 FROM main.paper WHERE id < 0), (
      SELECT count(*) FROM main.paper_terms AS own
      WHERE own.paper_terms MATCH '"' || term || '"' AND own.rowid < 0
    ), 0) AS doc
    FROM main.paper_vocabulary`);
}
