import type { Database } from 'better-sqlite3';
import { listSections, type SectionRow } from '../queries.ts';

/** Where a section stands: a row of `paper_section`. */
export interface Place {
  paperId: number;
  order: number;
}

/** Rows of the index by section: paper_id * 4096 + section_order. */
const ROWS_PER_PAPER = 4096;

/** Sections that contain the words in this order, the shortest first. */
export function listWithPhrase(db: Database, words: readonly string[], limit: number): Place[] {
  return match(db, `"${words.join(' ')}"`, limit);
}

/** Sections that contain some of the words, those with the most and rarest first. */
export function listWithSome(db: Database, words: readonly string[], limit: number): Place[] {
  return match(db, words.map((word) => `"${word}"`).join(' OR '), limit);
}

function match(db: Database, expression: string, limit: number): Place[] {
  return db
    .prepare<object, number>(`
      SELECT rowid FROM paper_section_terms WHERE paper_section_terms MATCH @expression
      ORDER BY bm25(paper_section_terms), rowid LIMIT @limit`)
    .pluck()
    .all({ expression, limit })
    .map((row) => ({ paperId: Math.floor(row / ROWS_PER_PAPER), order: row % ROWS_PER_PAPER }));
}

/** How many sections contain a word. */
export function countSections(db: Database, word: string): number {
  const row = db
    .prepare<{ word: string }, number>(
      'SELECT doc FROM paper_section_vocabulary WHERE term = @word',
    )
    .pluck()
    .get({ word });
  return row ?? 0;
}

/** The section at a place; undefined if it is gone. Throws when it is damaged. */
export function findSectionAt(db: Database, { paperId, order }: Place): SectionRow | undefined {
  return listSections(db, paperId, order)[0];
}

/** How many papers are held, and how many of them with their full text. */
export function countTexts(db: Database): { papers: number; fullTexts: number } {
  const row = db
    .prepare<[], { papers: number; fullTexts: number }>(`
      SELECT count(*) AS papers, count(text.source) AS fullTexts
      FROM paper LEFT JOIN paper_text AS text ON paper_id = id
      WHERE withdrawn = 0`)
    .get();
  return row ?? { papers: 0, fullTexts: 0 };
}
