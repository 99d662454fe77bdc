import type { Database } from 'better-sqlite3';
import { checksumOf } from '../../core/checksum.ts';
import { codePoints } from '../../core/fields.ts';
import { assertStillModel } from '../../store/embedding-model.ts';
import { indexText, indexVectors, removeFromIndex } from '../../store/search/index.ts';
import { packVectors, unpackVectors } from '../../store/search/vectors/float32.ts';
import { cardChecksum, sectionChecksum } from './cards/checksum.ts';
import { sealCard } from './cards/checksum-ingest.ts';
import { cardIdOf } from './cards/ids.ts';
import { plainTex } from './digest/latex.ts';
import { paperIndex } from './tables.ts';

export interface PaperSection {
  key: string;
  type: string;
  title: string;
  /** Markdown. */
  content: string;
  /** One per passage; empty until they are embedded. */
  vectors: readonly Float32Array[];
  /** Written by us, not by the paper's authors. */
  ours?: boolean;
}

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
  published: string | null;
  licenseUrl: string | null;
  pdfUrl: string;
  origin: 'starter' | 'arxiv';
  /** ISO 8601. */
  asOf: string;
  sections: readonly PaperSection[];
  vector: Float32Array | null;
}

/** The indexed fields of a card. */
export type IndexedFields = Pick<Paper, 'title' | 'abstract' | 'tags' | 'authors'>;

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
    const passages = paper.sections.flatMap(({ vectors }) => vectors);
    indexVectors(db, paperIndex, [{ id, vector: paper.vector, passages }]);
  }
  replaceSections(db, id, paper.sections);
}

function upsertCard(db: Database, paper: Paper): number {
  const columns = {
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
    updated: null,
    licenseUrl: paper.licenseUrl,
    pdfUrl: paper.pdfUrl,
    comment: null,
    journalRef: null,
    doi: null,
  };
  const row = db
    .prepare<object, { id: number }>(`
      INSERT INTO paper (
        card_id, source_id, version, title, authors, abstract, summary, tags, categories,
        published, updated, license_url, pdf_url, comment, journal_ref, doi, checksum, origin, as_of,
        digested
      ) VALUES (
        @cardId, @sourceId, @version, @title, @authors, @abstract, @summary, @tags, @categories,
        @published, @updated, @licenseUrl, @pdfUrl, @comment, @journalRef, @doi, @checksum, @origin, @asOf,
        @digested
      )
      ON CONFLICT (source_id) DO UPDATE SET
        version = excluded.version, title = excluded.title, authors = excluded.authors,
        abstract = excluded.abstract, summary = excluded.summary, tags = excluded.tags,
        categories = excluded.categories, published = excluded.published,
        updated = excluded.updated, license_url = excluded.license_url, pdf_url = excluded.pdf_url,
        comment = excluded.comment, journal_ref = excluded.journal_ref, doi = excluded.doi,
        checksum = excluded.checksum,
        origin = excluded.origin, as_of = excluded.as_of, digested = excluded.digested
      RETURNING id`)
    .get({
      ...columns,
      checksum: cardChecksum(columns),
      origin: paper.origin,
      asOf: paper.asOf,
      digested: paper.vector === null ? 0 : 1,
    });
  if (row === undefined) throw new Error(`the upsert returned no row for ${paper.sourceId}`);
  return row.id;
}

/** Adds a card's text to the index, or replaces it; TeX is stripped. */
export function indexCard(db: Database, id: number, fields: IndexedFields): void {
  indexText(db, paperIndex, id, {
    title: plainTex(fields.title),
    abstract: plainTex(fields.abstract),
    tags: fields.tags.join(' '),
    authors: fields.authors.join(' '),
  });
}

/** Removes a paper from search; its card stays, so that a read can say that it was withdrawn. */
export function withdrawPaper(db: Database, id: number): void {
  db.prepare('UPDATE paper SET withdrawn = 1 WHERE id = @id').run({ id });
  removeFromIndex(db, paperIndex, id);
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

/**
 * Stores the digests whose text is still current. One transaction. `model` is the store's model as recorded
 * before they were computed; throws when it has changed since.
 */
export function storeDigests(
  db: Database,
  digests: readonly Digest[],
  model: string | undefined,
): void {
  const update = db.prepare<object, { authors: string }>(`
    UPDATE paper SET summary = @summary, tags = @tags, digested = 1
    WHERE id = @id AND withdrawn = 0 AND title = @title AND abstract = @abstract
    RETURNING authors`);
  db.transaction(() => {
    assertStillModel(db, model);
    for (const { id, title, abstract, summary, tags, vector, passages } of digests) {
      const card = update.get({ id, title, abstract, summary, tags: JSON.stringify(tags) });
      // The paper was withdrawn or changed while the model ran.
      if (card === undefined) continue;
      sealCard(db, id);
      indexCard(db, id, { title, abstract, tags, authors: [card.authors] });
      indexVectors(db, paperIndex, [{ id, vector, passages }]);
    }
  }).immediate();
}

/**
 * Replaces the sections by the paper's authors. Our reading notes follow them, under their old keys
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
function replaceSections(db: Database, paperId: number, sections: readonly PaperSection[]): void {
  db.prepare('DELETE FROM paper_section WHERE paper_id = @paperId').run({ paperId });
  const insert = db.prepare(`
    INSERT INTO paper_section (
      paper_id, section_order, section_key, section_type, title, content, char_count, embedding, ours,
      checksum, embedding_checksum
    ) VALUES (
      @paperId, @order, @key, @type, @title, @content, @charCount, @embedding, @ours,
      @checksum, @embeddingChecksum
    )`);
  for (const [order, section] of sections.entries()) {
    const embedding = packVectors(section.vectors);
    insert.run({
      paperId,
      order,
      key: section.key,
      type: section.type,
      title: section.title,
      content: section.content,
      charCount: codePoints(section.content),
      embedding,
      ours: section.ours === true ? 1 : 0,
      checksum: sectionChecksum(section),
      embeddingChecksum: embedding && checksumOf(embedding),
    });
  }
  indexSections(db, paperId);
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
    SELECT paper_id * 4096 + section_order, content FROM paper_section WHERE paper_id = @paperId`).run(
    {
      paperId,
    },
  );
}
