import type { Database } from 'better-sqlite3';
import { indexText, removeFromIndex } from '../../search/profile.ts';
import { cardIdOf, monthOf, pdfUrlOf, sourceIdOf } from './arxiv/ids.ts';
import type { ArxivRecord, ArxivVersion } from './arxiv/records.ts';
import { isWithdrawn } from './arxiv/withdrawal.ts';
import { authorKeys } from './authors.ts';
import { digestOf } from './digest.ts';
import { plainTex, readableTex } from './latex.ts';
import { abstractSection, replaceOwnSections } from './section-ingest.ts';
import { paperIndex } from './tables.ts';

/** Of YYYY-MM-DD; a paper of which only the month is stored has a shorter date. */
const DAY_LENGTH = 10;

/** What came of a record; after `changed`, its text's vectors are recomputed. */
export type Outcome = 'added' | 'changed' | 'unchanged' | 'withdrawn';

type Metadata = NonNullable<ArxivRecord['metadata']>;

interface Stored {
  id: number;
  title: string;
  abstract: string;
  authors: string;
  categories: string;
  datestamp: string | null;
  origin: string;
  withdrawn: number;
}

/**
 * Stores a record; call it inside a transaction. An unchanged one only updates the paper's facts, so
 * overlaps and repetitions are harmless.
 */
export function upsertRecord(db: Database, record: ArxivRecord, asOf: Date): Outcome {
  const stored = db
    .prepare<{ sourceId: string }, Stored>(`
      SELECT id, title, abstract, authors, categories, datestamp, origin, withdrawn
      FROM paper WHERE source_id = @sourceId`)
    .get({ sourceId: sourceIdOf(record.id) });
  const { metadata } = record;
  if (metadata === null || isWithdrawn(metadata)) {
    if (stored === undefined || stored.withdrawn === 1) return 'unchanged';
    withdrawPaper(db, stored.id);
    return 'withdrawn';
  }
  const card = toCard(metadata);
  const facts = factColumns(record, metadata, asOf);
  if (stored === undefined) {
    writeText(db, insertCard(db, card, facts), card);
    return 'added';
  }
  updateFacts(db, stored, facts);
  if (hasSameText(stored, card)) return 'unchanged';
  updateText(db, stored.id, card);
  return 'changed';
}

interface Card {
  title: string;
  abstract: string;
  authors: readonly string[];
  categories: readonly string[];
  /** Computed without the model until the card is digested. */
  summary: string;
  tags: readonly string[];
}

function toCard({ title, abstract, authors, categories }: Metadata | ArxivVersion): Card {
  const text = { title: readableTex(title), abstract: readableTex(abstract), categories };
  return { ...text, authors: authors.map(readableTex), ...digestOf(text, null) };
}

/** False for a withdrawn paper that came back, and for a starter card. */
function hasSameText(stored: Stored, card: Card): boolean {
  return (
    stored.origin === 'arxiv' &&
    stored.withdrawn === 0 &&
    stored.title === card.title &&
    stored.abstract === card.abstract &&
    stored.authors === JSON.stringify(card.authors) &&
    stored.categories === JSON.stringify(card.categories)
  );
}

function insertCard(db: Database, card: Card, facts: Facts): number {
  const { lastInsertRowid } = db
    .prepare(`
      INSERT INTO paper (
        card_id, source_id, title, authors, abstract, summary, tags, categories, published, updated,
        license_url, doi, journal_ref, comment, datestamp, pdf_url, origin, as_of, added
      ) VALUES (
        @cardId, @sourceId, @title, @authors, @abstract, @summary, @tags, @categories, @published, @updated,
        @licenseUrl, @doi, @journalRef, @comment, @datestamp, @pdfUrl, 'arxiv', @asOf, @asOf
      )`)
    .run({ ...textColumns(card), ...facts });
  return Number(lastInsertRowid);
}

/** Updates all but the text; a new datestamp may mean a new version. */
function updateFacts(db: Database, { id, datestamp }: Stored, facts: Facts): void {
  const sameVersion = datestamp === facts.datestamp ? 1 : 0;
  db.prepare(`
    UPDATE paper SET
      license_url = @licenseUrl, doi = @doi, journal_ref = @journalRef, comment = @comment,
      datestamp = @datestamp, as_of = @asOf,
      published = iif(length(published) = ${DAY_LENGTH}, published, @published),
      updated = iif(@sameVersion, coalesce(updated, @updated), @updated),
      version_checked = iif(@sameVersion, version_checked, NULL),
      pdf_url = iif(@sameVersion, pdf_url, @pdfUrl)
    WHERE id = @id`).run({ ...facts, sameVersion, id });
  if (sameVersion === 1) return;
  // A new version may have a full text even if the last one had none.
  db.prepare('UPDATE paper_text SET retry_at = NULL WHERE paper_id = @id').run({ id });
}

/** Replaces the text, with a provisional summary and tags; the old vector stays until the digest. */
function updateText(db: Database, id: number, card: Card): void {
  db.prepare(`
    UPDATE paper SET
      title = @title, authors = @authors, abstract = @abstract, summary = @summary, tags = @tags,
      categories = @categories, origin = 'arxiv', withdrawn = 0, digested = 0
    WHERE id = @id`).run({ id, ...textColumns(card) });
  writeText(db, id, card);
}

function textColumns(card: Card) {
  return {
    ...card,
    authors: JSON.stringify(card.authors),
    tags: JSON.stringify(card.tags),
    categories: JSON.stringify(card.categories),
  };
}

type Facts = ReturnType<typeof factColumns>;

function factColumns({ id, datestamp }: ArxivRecord, metadata: Metadata, asOf: Date) {
  const { created, updated, licenseUrl, doi, journalRef, comment } = metadata;
  const sourceId = sourceIdOf(id);
  return {
    ...{ sourceId, datestamp, licenseUrl, doi, journalRef, comment },
    cardId: cardIdOf(sourceId),
    published: publishedOf(sourceId, created),
    updated: updated ?? created,
    pdfUrl: pdfUrlOf(id, null),
    asOf: asOf.toISOString(),
  };
}

/**
 * When a paper first appeared, as far as a record tells: its day of creation, or the month in the id
 * where that day is later, and so of a later version.
 */
function publishedOf(sourceId: string, created: string | null): string {
  const month = monthOf(sourceId);
  return created !== null && created <= `${month}-31` ? created : month;
}

/** Indexes the card's text; without a full text, the abstract becomes the only section. */
function writeText(db: Database, id: number, card: Card): void {
  indexCard(db, id, card);
  const fullText = db
    .prepare('SELECT 1 FROM paper_text WHERE paper_id = @id AND source IS NOT NULL')
    .get({ id });
  if (fullText !== undefined) return;
  replaceOwnSections(db, id, [abstractSection(card.abstract)]);
}

/**
 * Stores what arXiv reports of a paper's current version, with its text if the version is newer than
 * ours. One transaction.
 */
export function storeVersion(db: Database, version: ArxivVersion, asOf: Date): void {
  const sourceId = sourceIdOf(version.id);
  db.transaction(() => {
    const stored = db
      .prepare<{ sourceId: string }, { id: number; version: number | null }>(
        "SELECT id, version FROM paper WHERE source_id = @sourceId AND origin = 'arxiv'",
      )
      .get({ sourceId });
    if (stored === undefined) return;
    if (isWithdrawn(version)) {
      withdrawPaper(db, stored.id);
      return;
    }
    if (stored.version !== null && version.version > stored.version) {
      updateText(db, stored.id, toCard(version));
      // ar5iv's copy never says its version: by now it may be an old one. The number of no parser.
      db.prepare(`
        UPDATE paper_text SET parser = -1 WHERE paper_id = @id AND source = 'ar5iv'`).run({
        id: stored.id,
      });
    }
    const pdfUrl = pdfUrlOf(version.id, version.version);
    db.prepare(`
      UPDATE paper SET
        version = @version, published = @published, updated = @updated, pdf_url = @pdfUrl,
        doi = coalesce(@doi, doi), journal_ref = coalesce(@journalRef, journal_ref),
        comment = coalesce(@comment, comment), version_checked = @asOf, as_of = @asOf
      WHERE id = @id`).run({ ...version, id: stored.id, pdfUrl, asOf: asOf.toISOString() });
  }).immediate();
}

interface IndexedFields {
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
