import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { type Hit, searchHybrid } from '../../store/search.ts';
import { vectorBlob } from '../../store/vectors.ts';
import { paperIndex } from './tables.ts';

export interface PaperRow {
  id: number;
  cardId: string;
  sourceId: string;
  title: string;
  authors: string[];
  abstract: string;
  summary: string;
  tags: string[];
  pdfUrl: string;
  origin: 'starter' | 'arxiv';
  asOf: string;
}

export interface ManifestRow {
  key: string;
  type: string;
  title: string;
  charCount: number;
  order: number;
}

export interface SectionRow extends ManifestRow {
  content: string;
}

const stringList = z.array(z.string());

type RawPaper = Omit<PaperRow, 'authors' | 'tags'> & { authors: string; tags: string };

const PAPER_COLUMNS = `
  id, card_id AS cardId, source_id AS sourceId, title, authors, abstract, summary, tags,
  pdf_url AS pdfUrl, origin, as_of AS asOf`;

function toPaper(raw: RawPaper): PaperRow {
  return {
    ...raw,
    authors: stringList.parse(JSON.parse(raw.authors)),
    tags: stringList.parse(JSON.parse(raw.tags)),
  };
}

/** Hybrid search over the cards; `vector` null means words alone. */
export function searchPapers(
  db: Database,
  text: string,
  vector: Float32Array | null,
  limit: number,
): Hit[] {
  return searchHybrid(db, paperIndex, { text, vector, limit });
}

export function getPaperById(db: Database, id: number): PaperRow | undefined {
  const raw = db
    .prepare<{ id: number }, RawPaper>(`SELECT ${PAPER_COLUMNS} FROM paper WHERE id = @id`)
    .get({ id });
  return raw && toPaper(raw);
}

export function findPaperByCardId(db: Database, cardId: string): PaperRow | undefined {
  const raw = db
    .prepare<{ cardId: string }, RawPaper>(
      `SELECT ${PAPER_COLUMNS} FROM paper WHERE card_id = @cardId`,
    )
    .get({ cardId });
  return raw && toPaper(raw);
}

/** The sections of a paper without their text, in order. */
export function listManifest(db: Database, paperId: number): ManifestRow[] {
  return db
    .prepare<{ paperId: number }, ManifestRow>(`
      SELECT section_key AS key, section_type AS type, title,
        char_count AS charCount, section_order AS "order"
      FROM paper_section WHERE paper_id = @paperId ORDER BY section_order`)
    .all({ paperId });
}

/** The sections of a paper with their text, in order. */
export function listSections(db: Database, paperId: number): SectionRow[] {
  return db
    .prepare<{ paperId: number }, SectionRow>(`
      SELECT section_key AS key, section_type AS type, title, content,
        char_count AS charCount, section_order AS "order"
      FROM paper_section WHERE paper_id = @paperId ORDER BY section_order`)
    .all({ paperId });
}

/** The sections of a paper nearest to a query, best first; empty where none has a vector. */
export function rankSections(
  db: Database,
  paperId: number,
  vector: Float32Array,
  limit: number,
): { key: string; score: number }[] {
  return db
    .prepare<object, { key: string; score: number }>(`
      SELECT section_key AS key, 1 - vec_distance_cosine(embedding, @vector) AS score
      FROM paper_section
      WHERE paper_id = @paperId AND embedding IS NOT NULL
      ORDER BY score DESC, section_order
      LIMIT @limit`)
    .all({ paperId, vector: vectorBlob(vector), limit });
}

/** Counts for `status`. */
export function summarisePapers(db: Database): {
  count: number;
  withFullText: number;
  newest: string | null;
  /** When the newest of them was taken, ISO 8601; null on an empty shelf. */
  asOf: string | null;
} {
  const row = db
    .prepare<
      [],
      { count: number; withFullText: number; newest: string | null; asOf: string | null }
    >(`
      SELECT count(*) AS count, max(published) AS newest, max(as_of) AS asOf,
        (SELECT count(DISTINCT paper_id) FROM paper_section
         WHERE section_type NOT IN ('abstract', 'note')) AS withFullText
      FROM paper`)
    .get();
  return row ?? { count: 0, withFullText: 0, newest: null, asOf: null };
}
