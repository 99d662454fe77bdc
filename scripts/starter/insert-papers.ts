import type { Database } from 'better-sqlite3';
import { cardIdOf } from '../../src/areas/papers/arxiv/ids.ts';
import { indexCard } from '../../src/areas/papers/ingest.ts';
import { type PaperSection, replaceSections } from '../../src/areas/papers/stored-text.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { indexVectors } from '../../src/search/profile.ts';

/** A paper to be stored. */
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
  published: string;
  licenseUrl: string | null;
  pdfUrl: string;
  origin: 'starter' | 'arxiv';
  /** ISO 8601. */
  asOf: string;
  sections: readonly PaperSection[];
  vector: Float32Array | null;
}

/**
 * Inserts or replaces papers with their sections and index entries. One transaction.
 * Throws on a vector that is not of unit length.
 */
export function insertPapers(db: Database, papers: readonly Paper[]): void {
  db.transaction(() => {
    for (const paper of papers) insertPaper(db, paper);
  }).immediate();
}

function insertPaper(db: Database, paper: Paper): void {
  const id = upsertCard(db, paper);
  indexCard(db, id, paper);
  if (paper.vector !== null) {
    const passages = paper.sections.flatMap(({ vectors }) => vectors ?? []);
    indexVectors(db, paperIndex, [{ id, vector: paper.vector, passages }]);
  }
  replaceSections(db, id, paper.sections);
}

function upsertCard(db: Database, paper: Paper): number {
  const card = {
    card_id: cardIdOf(paper.sourceId),
    source_id: paper.sourceId,
    version: paper.version,
    title: paper.title,
    authors: JSON.stringify(paper.authors),
    abstract: paper.abstract,
    summary: paper.summary,
    tags: JSON.stringify(paper.tags),
    categories: JSON.stringify(paper.categories),
    published: paper.published,
    license_url: paper.licenseUrl,
    pdf_url: paper.pdfUrl,
    origin: paper.origin,
    as_of: paper.asOf,
    added: paper.asOf,
    digested: paper.vector === null ? 0 : 1,
  };
  const columns = Object.keys(card);
  const row = db
    .prepare<object, { id: number }>(`
      INSERT INTO paper (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})
      ON CONFLICT (source_id) DO UPDATE SET
        ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
      RETURNING id`)
    .get(card);
  if (row === undefined) throw new Error(`the upsert returned no row for ${paper.sourceId}`);
  return row.id;
}
