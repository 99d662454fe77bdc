import type { Database } from 'better-sqlite3';

/*
 * The user's own papers have negative ids, in `paper` and in every table keyed by a paper, so that
 * temporary views can hide them on servers for others. A paper that is also on arXiv has two rows:
 * its public card, and an "own row" with the text of the user's file. Card and source ids are
 * unique, so those of the own row get the prefix `own:`, which queries strip.
 */

/** An unused id for a new paper; negative for one of the user's own. */
export function nextId(db: Database, isOwn: boolean): number {
  const next = isOwn
    ? `min(coalesce(min(id), 0), 0) - 1 FROM paper WHERE id > -${APART}`
    : 'max(coalesce(max(id), 0), 0) + 1 FROM paper';
  return db.prepare<[], number>(`SELECT ${next}`).pluck().get() ?? 1;
}

/** Above any paper's id; the sum with an id fits in 32 bits, beyond which better-sqlite3 binds floats. */
const APART = 2 ** 30;

/** `ownIdOf` in SQL. */
export const ownIdIn = (id: string) => `-(${id} + ${APART})`;

/** The id of an arXiv card's own row, even if there is none yet. The function is its own inverse. */
export const ownIdOf = (id: number) => -(id + APART);

/** A card or source id in SQL, without the prefix `own:`. Migrations use it, so it is frozen. */
export const plainIdIn = (column: string, row = '') =>
  `CASE WHEN ${row}id < -${APART} THEN substr(${row}${column}, 5) ELSE ${row}${column} END`;

/** The id of the card to which a text belongs. */
export const cardIdOfText = (textId: number) => (textId < -APART ? ownIdOf(textId) : textId);

/**
 * Tables with rows of own papers, their keys and their columns. A unary `+` keeps SQLite from
 * scanning by key where a query has a better index. MATCH, bm25 and ORDER BY rank need the hidden
 * columns of FTS5.
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
 * Hides the user's own papers from all queries on a connection. Only bm25 still counts their words,
 * which may change the candidates of a search; correcting these counts would take over 100 ms for
 * common words and 30,000 cards.
 */
export function hideOwnPapers(db: Database): void {
  for (const [name, key, columns = '*'] of TABLES) {
    db.exec(`CREATE TEMP VIEW ${name} AS SELECT ${columns} FROM main.${name} WHERE ${key} >= 0`);
  }
  // Own papers must not count: no misspelling may be corrected to a word that only they contain, and no
  // weight may depend on them.
  db.exec(`
    CREATE TEMP VIEW paper_vocabulary AS
    SELECT term, doc - iif(EXISTS (SELECT 1 FROM main.paper WHERE id < 0), (
      SELECT count(*) FROM main.paper_terms AS own
      WHERE own.paper_terms MATCH '"' || term || '"' AND own.rowid < 0
    ), 0) AS doc
    FROM main.paper_vocabulary`);
}
