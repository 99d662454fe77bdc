import type { Database } from 'better-sqlite3';
import { readStrings } from '../../../core/strings.ts';

/** A card without summary, tags and vector computed from its current text. */
export interface UndigestedRow {
  id: number;
  title: string;
  abstract: string;
  categories: string[];
}

/** The next undigested cards from an id on, in insertion order. */
export function listUndigested(db: Database, limit: number, from = 0): UndigestedRow[] {
  return db
    .prepare<object, Omit<UndigestedRow, 'categories'> & { categories: string }>(`
      SELECT id, title, abstract, categories FROM paper
      WHERE digested = 0 AND withdrawn = 0 AND origin = 'arxiv' AND id >= @from
      ORDER BY id LIMIT @limit`)
    .all({ limit, from })
    .map((row) => ({ ...row, categories: readStrings(row.categories) }));
}

export function countUndigested(db: Database): number {
  const sql = 'SELECT count(*) FROM paper WHERE digested = 0 AND withdrawn = 0';
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

/** A paper of which we wrote the card or notes, without their vectors. */
export interface OwnRow {
  id: number;
  /** 1: the card is ours, too. */
  isCardOurs: 0 | 1;
  title: string;
  abstract: string;
  tags: string[];
  sections: SectionToEmbed[];
}

/** The next papers of which we wrote something that has no vector yet. */
export function listOwnUnembedded(db: Database, limit: number): OwnRow[] {
  // Beside a card of ours every section is ours, unless the text was fetched: that has vectors by passage.
  const sections = db.prepare<{ id: number; isCardOurs: 0 | 1 }, SectionToEmbed>(`
    SELECT section_key AS key, title, content FROM paper_section
    WHERE paper_id = @id AND (ours = 1 OR (@isCardOurs = 1 AND NOT EXISTS (
      SELECT 1 FROM paper_text WHERE paper_id = @id AND source IS NOT NULL)))
    ORDER BY section_order`);
  return db
    .prepare<{ limit: number }, Omit<OwnRow, 'tags' | 'sections'> & { tags: string }>(`
      SELECT id, title, abstract, tags, origin = 'starter' AS isCardOurs FROM paper
      WHERE withdrawn = 0 AND (
        (origin = 'starter' AND digested = 0) OR EXISTS (
          SELECT 1 FROM paper_section
          WHERE paper_id = paper.id AND ours = 1 AND embedding IS NULL))
      ORDER BY id LIMIT @limit`)
    .all({ limit })
    .map(({ tags, ...row }) => ({
      ...row,
      tags: readStrings(tags),
      sections: sections.all({ id: row.id, isCardOurs: row.isCardOurs }),
    }));
}

/** Papers whose full text has no vectors yet. */
export function listUnembeddedTexts(db: Database): number[] {
  return db
    .prepare<[], number>(`
      SELECT paper_id FROM paper_text WHERE source IS NOT NULL AND embedded = 0
      ORDER BY fetched, paper_id`)
    .pluck()
    .all();
}

/** The text of a section to embed. */
export interface SectionToEmbed {
  key: string;
  title: string;
  content: string;
}

/** The sections of a paper's full text to embed; undefined when there is nothing to do. */
export function findTextToEmbed(
  db: Database,
  paperId: number,
): { title: string; fetched: string; sections: SectionToEmbed[] } | undefined {
  const text = db
    .prepare<{ paperId: number }, { title: string; fetched: string }>(`
      SELECT title, fetched FROM paper JOIN paper_text ON paper_id = id
      WHERE id = @paperId AND source IS NOT NULL AND embedded = 0`)
    .get({ paperId });
  if (text === undefined) return undefined;
  const sections = db
    .prepare<{ paperId: number }, SectionToEmbed>(`
      SELECT section_key AS key, title, content FROM paper_section
      WHERE paper_id = @paperId AND section_type NOT IN ('references', 'note') ORDER BY section_order`)
    .all({ paperId });
  return { ...text, sections };
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

/** Progress of the harvest of a set; days are YYYY-MM-DD. */
export interface HarvestRow {
  nextFrom: string | null;
  /** The shelf has every change from this day to `nextFrom`; null means every change ever. */
  coveredFrom: string | null;
  runFrom: string | null;
  runToken: string | null;
  runAnswered: string | null;
  runReached: string | null;
  runRecords: number;
}

export function findHarvest(db: Database, set: string): HarvestRow | undefined {
  return db
    .prepare<{ set: string }, HarvestRow>(`
      SELECT next_from AS nextFrom, covered_from AS coveredFrom, run_from AS runFrom, run_token AS runToken,
        run_answered AS runAnswered, run_reached AS runReached, run_records AS runRecords
      FROM harvest WHERE set_name = @set`)
    .get({ set });
}
