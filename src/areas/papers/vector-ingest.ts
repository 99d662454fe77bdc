import type { Database } from 'better-sqlite3';
import { readStrings } from '../../core/json-lists.ts';
import { indexVectors } from '../../search/profile.ts';
import { listDamagedVectors, removeVectors } from '../../search/vectors.ts';
import { indexCard, storeSectionEmbedding } from './ingest.ts';
import { paperIndex } from './tables.ts';

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

/** Drops the vectors of cards that cannot be read, so that the next digest makes them again. */
export function dropDamagedVectors(db: Database): void {
  const undigest = db.prepare('UPDATE paper SET digested = 0 WHERE id = @id');
  const drop = db.transaction((id: number) => {
    removeVectors(db, paperIndex.name, id);
    undigest.run({ id });
  });
  for (const id of listDamagedVectors(db, paperIndex.name)) drop.immediate(id);
}

/** Vectors of what we wrote about a paper, by section. */
export interface OwnVectors {
  id: number;
  /** Of the card; null where it is not ours. */
  card: Float32Array | null;
  sections: readonly { key: string; vector: Float32Array }[];
}

/** Stores the vectors of our digests and notes, in one transaction. */
export function storeOwnVectors(db: Database, papers: readonly OwnVectors[]): void {
  const digested = db.prepare('UPDATE paper SET digested = 1 WHERE id = @id');
  db.transaction(() => {
    for (const { id, card, sections } of papers) {
      for (const { key, vector } of sections) storeSectionEmbedding(db, id, key, [vector]);
      if (card === null) continue;
      const passages = sections.map(({ vector }) => vector);
      indexVectors(db, paperIndex, [{ id, vector: card, passages }]);
      digested.run({ id });
    }
  }).immediate();
}

/** Summary, tags and vector of a card, computed from its current title and abstract. */
export interface Digest {
  id: number;
  /** The text that it was computed from. */
  title: string;
  abstract: string;
  summary: string;
  tags: readonly string[];
  vector: Float32Array;
  /** Vectors of the title and of each sentence. */
  passages: readonly Float32Array[];
}

/** Stores the digests whose text is still current. One transaction. */
export function storeDigests(db: Database, digests: readonly Digest[]): void {
  const update = db.prepare<object, { authors: string }>(`
    UPDATE paper SET summary = @summary, tags = @tags, digested = 1
    WHERE id = @id AND withdrawn = 0 AND title = @title AND abstract = @abstract
    RETURNING authors`);
  db.transaction(() => {
    for (const { id, title, abstract, summary, tags, vector, passages } of digests) {
      const card = update.get({ id, title, abstract, summary, tags: JSON.stringify(tags) });
      // The paper was withdrawn or changed while the model ran.
      if (card === undefined) continue;
      indexCard(db, id, { title, abstract, tags, authors: readStrings(card.authors) });
      indexVectors(db, paperIndex, [{ id, vector, passages }]);
    }
  }).immediate();
}
