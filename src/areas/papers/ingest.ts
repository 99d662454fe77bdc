import type { Database } from 'better-sqlite3';
import { codePoints } from '../../core/fields.ts';
import { escapeMarkup } from '../../core/text.ts';
import { packVectors, unpackVectors } from '../../search/float32.ts';
import { indexText, removeFromIndex } from '../../search/profile.ts';
import { authorKeys } from './authors.ts';
import { plainTex } from './latex.ts';
import { paperIndex } from './tables.ts';

/** A section to be stored; its content is Markdown. */
export interface PaperSection {
  key: string;
  type: string;
  title: string;
  content: string;
  /** One per passage; empty until they are embedded. */
  vectors: readonly Float32Array[];
  /** Written by us, not by the paper's authors. */
  ours?: boolean;
}

/** The section of a paper whose full text is not held; `abstract` is that of its card. */
export function toAbstractSection(abstract: string): PaperSection {
  const content = escapeMarkup(abstract);
  return { key: 'abstract', type: 'abstract', title: 'Abstract', content, vectors: [] };
}

/** The indexed fields of a card. */
export interface IndexedFields {
  title: string;
  abstract: string;
  tags: readonly string[];
  authors: readonly string[];
}

/** Adds a card's text to the index, or replaces it; TeX is stripped. */
export function indexCard(db: Database, id: number, fields: IndexedFields): void {
  indexText(db, paperIndex, id, {
    title: plainTex(fields.title),
    abstract: plainTex(fields.abstract),
    tags: fields.tags.join(' '),
    authors: fields.authors.join(' '),
    names: fields.authors.flatMap(authorKeys).join(' '),
  });
}

/** Removes a paper from search; its card stays, so that a read can say that it was withdrawn. */
export function withdrawPaper(db: Database, id: number): void {
  db.prepare('UPDATE paper SET withdrawn = 1 WHERE id = @id').run({ id });
  removeFromIndex(db, paperIndex, id);
}

/**
 * Replaces the sections by the paper's authors. Our notes follow them, under their old keys
 * unless the paper now uses those. Call it inside the transaction that writes the paper.
 */
export function replaceOwnSections(
  db: Database,
  paperId: number,
  sections: readonly PaperSection[],
): void {
  const taken = new Set(sections.map(({ key }) => key));
  const notes = db
    .prepare<{ paperId: number }, Omit<PaperSection, 'vectors'> & { embedding: Buffer | null }>(`
      SELECT section_key AS key, section_type AS type, title, content, embedding
      FROM paper_section WHERE paper_id = @paperId AND ours = 1
      ORDER BY section_order`)
    .all({ paperId })
    .map(({ embedding, ...note }, index) => ({
      ...note,
      key: taken.has(note.key) ? noteKey(note.title, sections.length + index) : note.key,
      ours: true,
      vectors: embedding === null ? [] : unpackVectors(embedding),
    }));
  replaceSections(db, paperId, [...sections, ...notes]);
}

/** Unique: its number is above those of the paper's own sections. */
function noteKey(title: string, order: number): string {
  return `s${String(order).padStart(2, '0')}-note-${title.toLowerCase()}`;
}

/** Replaces the sections of a paper. Call it inside the transaction that writes the paper. */
export function replaceSections(
  db: Database,
  paperId: number,
  sections: readonly PaperSection[],
): void {
  db.prepare('DELETE FROM paper_section WHERE paper_id = @paperId').run({ paperId });
  const insert = db.prepare(`
    INSERT INTO paper_section (
      paper_id, section_order, section_key, section_type, title, content, char_count, embedding, ours
    ) VALUES (
      @paperId, @order, @key, @type, @title, @content, @charCount, @embedding, @ours
    )`);
  for (const [order, section] of sections.entries()) {
    insert.run({
      ...section,
      paperId,
      order,
      charCount: codePoints(section.content),
      embedding: packVectors(section.vectors),
      ours: section.ours === true ? 1 : 0,
    });
  }
  indexSections(db, paperId);
}

/** Stores the vectors of a section's passages. */
export function storeSectionEmbedding(
  db: Database,
  paperId: number,
  key: string,
  vectors: readonly Float32Array[],
): void {
  db.prepare(`
    UPDATE paper_section SET embedding = @embedding
    WHERE paper_id = @paperId AND section_key = @key`).run({
    ...{ paperId, key },
    embedding: packVectors(vectors),
  });
}

/**
 * Indexes the words of a paper's sections, in the transaction that wrote them. By statements and not by triggers, in which FTS5 writes
 * each row to disk at once.
 */
export function indexSections(db: Database, paperId: number): void {
  db.prepare(`
    DELETE FROM paper_section_terms
    WHERE rowid BETWEEN @paperId * 4096 AND @paperId * 4096 + 4095`).run({ paperId });
  db.prepare(`
    INSERT INTO paper_section_terms (rowid, content)
    SELECT paper_id * 4096 + section_order, content FROM paper_section
    WHERE paper_id = @paperId`).run({ paperId });
}
