import type { Database } from 'better-sqlite3';

/*
 * The user's own papers have negative ids, in `paper` and in every table keyed by a paper. That
 * suffices to hide them: on servers for others, temporary views shadow the tables.
 */

/** An id for a new paper, the user's own or not. */
export function nextId(db: Database, isOwn: boolean): number {
  const next = isOwn ? 'min(coalesce(min(id), 0), 0) - 1' : 'max(coalesce(max(id), 0), 0) + 1';
  return db.prepare<[], number>(`SELECT ${next} FROM paper`).pluck().get() ?? 1;
}

/** The text of an arXiv paper may come from one of the user's own files. */
const FROM_FILE = 'SELECT paper_id FROM main.own_file';
/** A unary `+` keeps the indexes that the queries rely on. */
const SHOWN: Readonly<Record<string, string>> = {
  paper: 'SELECT * FROM main.paper WHERE +id >= 0',
  paper_text: `SELECT * FROM main.paper_text WHERE paper_id >= 0 AND paper_id NOT IN (${FROM_FILE})`,
  paper_section: `
    SELECT * FROM main.paper_section
    WHERE paper_id >= 0 AND (section_key = 'abstract' OR paper_id NOT IN (${FROM_FILE}))`,
  own_file: 'SELECT * FROM main.own_file WHERE false',
  paper_vector: 'SELECT * FROM main.paper_vector WHERE +id >= 0',
  paper_passages: 'SELECT * FROM main.paper_passages WHERE +id >= 0',
  paper_indexed: 'SELECT id FROM main.paper_indexed WHERE id >= 0',
  // With the hidden columns of FTS5, which MATCH, bm25 and ORDER BY rank need.
  paper_terms: `
    SELECT rowid, title, abstract, tags, authors, names, paper_terms, rank
    FROM main.paper_terms WHERE rowid >= 0`,
  paper_section_terms: `
    SELECT rowid, content, paper_section_terms, rank FROM main.paper_section_terms
    WHERE rowid >= 0 AND (rowid & 4095 = 0 OR rowid >> 12 NOT IN (${FROM_FILE}))`,
  // A word found only in own papers is in no visible document: it corrects no other word and has no
  // weight.
  paper_vocabulary: `
    SELECT term, doc - iif(EXISTS (SELECT 1 FROM main.paper WHERE id < 0), (
      SELECT count(*) FROM main.paper_terms AS own
      WHERE own.paper_terms MATCH '"' || term || '"' AND own.rowid < 0
    ), 0) AS doc
    FROM main.paper_vocabulary`,
};

/**
 * Hides the user's own papers from every query of a connection, for as long as it lives: no name, word, count
 * or section of them remains visible.
 */
export function hideOwnPapers(db: Database): void {
  for (const [name, query] of Object.entries(SHOWN))
    db.exec(`CREATE TEMP VIEW ${name} AS ${query}`);
}
