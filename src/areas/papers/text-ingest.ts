import type { Database } from 'better-sqlite3';
import type { TextSection } from './full-text/sections/sections.ts';
import { replaceOwnSections, storeSectionEmbedding } from './ingest.ts';

/** A full text, fetched and parsed. */
export interface FetchedText {
  source: 'html' | 'ar5iv' | 'pdf';
  /** Of the paper; null when the source does not say. */
  version: number | null;
  parser: number;
  sections: readonly TextSection[];
}

/** Replaces a paper's sections with its full text, in one transaction. Their vectors come later. */
export function replaceText(db: Database, paperId: number, text: FetchedText, at: Date): void {
  db.transaction(() => {
    replaceOwnSections(
      db,
      paperId,
      text.sections.map((section) => ({ ...section, vectors: [] })),
    );
    db.prepare(`
      INSERT INTO paper_text (paper_id, source, version, parser, fetched)
      VALUES (@paperId, @source, @version, @parser, @fetched)
      ON CONFLICT (paper_id) DO UPDATE SET
        source = excluded.source, version = excluded.version, parser = excluded.parser,
        fetched = excluded.fetched, embedded = 0, fault = NULL, retry_at = NULL`).run({
      paperId,
      source: text.source,
      version: text.version,
      parser: text.parser,
      fetched: at.toISOString(),
    });
  }).immediate();
}

/** Records a failed fetch; an existing text stays. `fault` is in our words, not the upstream's. */
export function recordTextFault(db: Database, paperId: number, fault: string, retryAt: Date): void {
  db.prepare(`
    INSERT INTO paper_text (paper_id, fault, retry_at) VALUES (@paperId, @fault, @retryAt)
    ON CONFLICT (paper_id) DO UPDATE SET fault = excluded.fault, retry_at = excluded.retry_at`).run(
    { paperId, fault, retryAt: retryAt.toISOString() },
  );
}

/** The vectors of a section's passages. */
export interface SectionVectors {
  key: string;
  vectors: readonly Float32Array[];
}

/**
 * Stores the vectors of a paper's sections, in one transaction. Returns false and stores nothing
 * when the text fetched at `fetched` has since been replaced.
 */
export function storeSectionVectors(
  db: Database,
  paperId: number,
  computed: {
    fetched: string;
    sections: readonly SectionVectors[];
  },
): boolean {
  const { fetched, sections } = computed;
  return db
    .transaction(() => {
      const { changes } = db
        .prepare(`
          UPDATE paper_text SET embedded = 1 WHERE paper_id = @paperId AND fetched = @fetched`)
        .run({ paperId, fetched });
      if (changes === 0) return false;
      for (const { key, vectors } of sections) storeSectionEmbedding(db, paperId, key, vectors);
      return true;
    })
    .immediate();
}

/** Longest delay before a missing full text is tried again. */
export const LONGEST_RETRY_MS = 7 * 86_400_000;

/**
 * The newest papers without a full text by this parser whose next attempt is due; those with an older
 * text come last.
 */
export function listWithoutText(
  db: Database,
  { parser, at, limit }: { parser: number; at: Date; limit: number },
): string[] {
  // Ignore a retry time further ahead: it came from a clock that was ahead.
  const furthest = new Date(at.getTime() + LONGEST_RETRY_MS).toISOString();
  return db
    .prepare<object, string>(`
      SELECT card_id FROM paper LEFT JOIN paper_text AS text ON text.paper_id = paper.id
      WHERE withdrawn = 0 AND (text.source IS NULL OR text.parser < @parser)
        AND (text.retry_at IS NULL OR text.retry_at <= @at OR text.retry_at > @furthest)
      ORDER BY text.source IS NOT NULL, coalesce(updated, published) DESC, source_id DESC
      LIMIT @limit`)
    .pluck()
    .all({ parser, at: at.toISOString(), furthest, limit });
}
