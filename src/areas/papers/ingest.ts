import type { Database } from 'better-sqlite3';
import { codePoints } from '../../core/fields.ts';
import { indexVector, indexWords } from '../../store/search.ts';
import { vectorBlob } from '../../store/vectors.ts';
import { cardIdOf } from './ids.ts';
import { paperIndex } from './tables.ts';

export interface PaperSection {
  key: string;
  type: string;
  title: string;
  /** Markdown. */
  content: string;
  vector: Float32Array | null;
}

/** A paper as the shelf takes it in. */
export interface Paper {
  sourceId: string;
  version: number | null;
  title: string;
  authors: readonly string[];
  abstract: string;
  summary: string;
  tags: readonly string[];
  categories: readonly string[];
  /** YYYY-MM-DD. */
  published: string | null;
  licenseUrl: string | null;
  pdfUrl: string;
  origin: 'starter' | 'arxiv';
  /** ISO 8601. */
  asOf: string;
  sections: readonly PaperSection[];
  vector: Float32Array | null;
}

/**
 * Puts papers into the shelf, each with its words, vectors and sections; a known paper is
 * replaced whole. One transaction: all of them, or none. Throws on a vector that is no unit vector.
 */
export function insertPapers(db: Database, papers: readonly Paper[]): void {
  db.transaction(() => {
    for (const paper of papers) insertPaper(db, paper);
  }).immediate();
}

function insertPaper(db: Database, paper: Paper): void {
  const id = upsertCard(db, paper);
  indexWords(db, paperIndex, id, {
    title: paper.title,
    abstract: paper.abstract,
    tags: paper.tags.join(' '),
    authors: paper.authors.join(' '),
  });
  if (paper.vector !== null) indexVector(db, paperIndex, id, paper.vector);
  replaceSections(db, id, paper.sections);
}

function upsertCard(db: Database, paper: Paper): number {
  const row = db
    .prepare<object, { id: number }>(`
      INSERT INTO paper (
        card_id, source_id, version, title, authors, abstract, summary, tags, categories,
        published, license_url, pdf_url, origin, as_of
      ) VALUES (
        @cardId, @sourceId, @version, @title, @authors, @abstract, @summary, @tags, @categories,
        @published, @licenseUrl, @pdfUrl, @origin, @asOf
      )
      ON CONFLICT (source_id) DO UPDATE SET
        version = excluded.version, title = excluded.title, authors = excluded.authors,
        abstract = excluded.abstract, summary = excluded.summary, tags = excluded.tags,
        categories = excluded.categories, published = excluded.published,
        license_url = excluded.license_url, pdf_url = excluded.pdf_url,
        origin = excluded.origin, as_of = excluded.as_of
      RETURNING id`)
    .get({
      cardId: cardIdOf(paper.sourceId),
      sourceId: paper.sourceId,
      version: paper.version,
      title: paper.title,
      authors: JSON.stringify(paper.authors),
      abstract: paper.abstract,
      summary: paper.summary,
      tags: JSON.stringify(paper.tags),
      categories: JSON.stringify(paper.categories),
      published: paper.published,
      licenseUrl: paper.licenseUrl,
      pdfUrl: paper.pdfUrl,
      origin: paper.origin,
      asOf: paper.asOf,
    });
  if (row === undefined) throw new Error(`no row came back for ${paper.sourceId}`);
  return row.id;
}

function replaceSections(db: Database, paperId: number, sections: readonly PaperSection[]): void {
  db.prepare('DELETE FROM paper_section WHERE paper_id = @paperId').run({ paperId });
  const insert = db.prepare(`
    INSERT INTO paper_section (
      paper_id, section_order, section_key, section_type, title, content, char_count, embedding
    ) VALUES (@paperId, @order, @key, @type, @title, @content, @charCount, @embedding)`);
  for (const [order, section] of sections.entries()) {
    insert.run({
      paperId,
      order,
      key: section.key,
      type: section.type,
      title: section.title,
      content: section.content,
      charCount: codePoints(section.content),
      embedding: section.vector === null ? null : vectorBlob(section.vector),
    });
  }
}
