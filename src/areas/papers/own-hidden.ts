import type { Database } from 'better-sqlite3';

/*
 * Everything of the user's own papers has a negative id, in `paper` and in every table keyed by a paper. That
 * suffices to hide them: on servers for others, temporary views shadow the tables.
 */

/** An id for a new paper, the user's own or not. */
export function nextId(db: Database, isOwn: boolean): number {
  const next = isOwn
    ? `min(coalesce(min(id), 0), 0) - 1 FROM paper WHERE id > -${APART}`
    : 'max(coalesce(max(id), 0), 0) + 1 FROM paper';
  return db.prepare<[], number>(`SELECT ${next}`).pluck().get() ?? 1;
}

/** More papers than any shelf has; the sum with an id of one still binds as an integer. */
const APART = 2 ** 30;

/** In SQL, the id of the own card of a paper that arXiv has, too; and back. */
export const ownIdIn = (id: string) => `-(${id} + ${APART})`;

/** The id of the own card that belongs to a card of arXiv, whether or not there is one. */
export const ownIdOf = (id: number) => -(id + APART);

/** The id of the card whose text has this id. */
export const cardIdOfText = (textId: number) => (textId < -APART ? ownIdOf(textId) : textId);

/** The tables with their keys. A unary `+` keeps the indexes that the queries rely on. */
const KEYS: Readonly<Record<string, string>> = {
  paper: '+id',
  paper_text: 'paper_id',
  paper_section: 'paper_id',
  own_file: 'paper_id',
  paper_vector: '+id',
  paper_passages: '+id',
  paper_indexed: 'id',
  paper_terms: 'rowid',
  paper_section_terms: 'rowid',
};
/** With the hidden columns of FTS5, which MATCH, bm25 and ORDER BY rank need. */
const COLUMNS: Readonly<Record<string, string>> = {
  paper_terms: 'rowid, title, abstract, tags, authors, names, paper_terms, rank',
  paper_section_terms: 'rowid, content, paper_section_terms, rank',
};

/**
 * Hides the user's own papers from every query of a connection, for as long as it lives: no name, word, count
 * or section of them remains visible.
 */
export function hideOwnPapers(db: Database): void {
  for (const [name, key] of Object.entries(KEYS)) {
    db.exec(`
      CREATE TEMP VIEW ${name} AS
      SELECT ${COLUMNS[name] ?? '*'} FROM main.${name} WHERE ${key} >= 0`);
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
