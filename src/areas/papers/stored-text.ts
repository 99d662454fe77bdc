import type { Database } from 'better-sqlite3';
import { codePoints } from '../../core/fields.ts';
import { escapeMarkup } from '../../core/text.ts';
import { packVectors } from '../../search/vectors.ts';
import { write } from '../../store/connection.ts';
import type { TextSection } from './full-text/sections/sections.ts';
import type { TextFormat } from './source.ts';

export interface PaperSection extends Omit<TextSection, 'type'> {
  type: string;
  /** One per passage; none until they are embedded. */
  vectors?: readonly Float32Array[];
}

/** The abstract as a section, the only one of a harvested paper without a full text. */
export function abstractSection(abstract: string): PaperSection {
  const content = escapeMarkup(abstract);
  return { key: 'abstract', type: 'abstract', title: 'Abstract', content };
}

/** Replaces a paper's sections; call it inside the transaction that writes the paper. */
export function replaceSections(
  db: Database,
  paperId: number,
  sections: readonly PaperSection[],
): void {
  db.prepare('DELETE FROM paper_section WHERE paper_id = @paperId').run({ paperId });
  const insert = db.prepare(`
    INSERT INTO paper_section (paper_id, section_order, section_key, section_type, title, content,
      char_count, embedding, passages)
    VALUES (@paperId, @order, @key, @type, @title, @content, @charCount, @embedding, @passages)`);
  for (const [order, section] of sections.entries()) {
    insert.run({
      ...section,
      paperId,
      order,
      charCount: codePoints(section.content),
      embedding: packVectors(section.vectors ?? []),
      passages: section.passages?.length ? JSON.stringify(section.passages) : null,
    });
  }
  indexSections(db, paperId);
}

/**
 * Maximum number of characters per paper indexed for quotations; almost no paper is longer.
 * Indexing two million distinct words blocks all calls for 18 seconds.
 */
const MAX_INDEXED = 1_000_000;

/**
 * Indexes the words of a paper's sections. Triggers could do so, but would make FTS5 write each row
 * to disk immediately.
 */
export function indexSections(db: Database, paperId: number): void {
  db.prepare(`
    DELETE FROM paper_section_terms
    WHERE rowid BETWEEN @paperId * 4096 AND @paperId * 4096 + 4095`).run({ paperId });
  db.prepare(`
    INSERT INTO paper_section_terms (rowid, content)
    SELECT paper_id * 4096 + section_order, content FROM (
      SELECT *, sum(char_count) OVER (ORDER BY section_order) AS through FROM paper_section
      WHERE paper_id = @paperId
    ) WHERE through <= @most`).run({ paperId, most: MAX_INDEXED });
}

export interface FetchedText {
  format: TextFormat;
  /** Version of the paper; null if unknown. */
  version: number | null;
  parser: number;
  sections: readonly PaperSection[];
  /** For a partially read PDF. */
  cut?: { lastPage: number; pages: number } | undefined;
}

/** Replaces a paper's sections with its full text; the vectors are computed later. */
export function replaceText(db: Database, paperId: number, text: FetchedText, at: Date): void {
  write(db, () => {
    replaceSections(db, paperId, text.sections);
    db.prepare(`
      INSERT INTO paper_text (paper_id, source, version, parser, fetched, last_page, pages)
      VALUES (@paperId, @format, @version, @parser, @fetched, @lastPage, @pages)
      ON CONFLICT (paper_id) DO UPDATE SET
        source = excluded.source, version = excluded.version, parser = excluded.parser,
        fetched = excluded.fetched, last_page = excluded.last_page, pages = excluded.pages,
        embedded = 0, fault = NULL, retry_at = NULL`).run({
      ...text,
      ...(text.cut ?? { lastPage: null, pages: null }),
      paperId,
      fetched: at.toISOString(),
    });
  });
}

/** Records a failed fetch; keeps an existing text. `fault` is in our words, not the upstream's. */
export function recordTextFault(db: Database, paperId: number, fault: string, retryAt: Date): void {
  const record = db.prepare(`
    INSERT INTO paper_text (paper_id, fault, retry_at) VALUES (@paperId, @fault, @retryAt)
    ON CONFLICT (paper_id) DO UPDATE SET fault = excluded.fault, retry_at = excluded.retry_at`);
  write(db, () => record.run({ paperId, fault, retryAt: retryAt.toISOString() }));
}

/**
 * Card ids of papers whose text is missing or was read by an older parser, and whose next attempt
 * is due: missing texts first, then newest papers first.
 */
export function listWithoutText(
  db: Database,
  { parser, at, limit }: { parser: number; at: Date; limit: number },
): string[] {
  return db
    .prepare<object, string>(`
      SELECT card_id FROM paper LEFT JOIN paper_text AS text ON text.paper_id = paper.id
      WHERE withdrawn = 0 AND (text.source IS NULL OR text.parser < @parser)
        AND (text.retry_at IS NULL OR text.retry_at <= @at)
        AND paper.id > 0
      ORDER BY text.source IS NOT NULL, coalesce(updated, published) DESC, source_id DESC
      LIMIT @limit`)
    .pluck()
    .all({ parser, at: at.toISOString(), limit });
}
