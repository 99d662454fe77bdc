import type { Database } from 'better-sqlite3';
import { cardIdOf, monthOf, pdfUrlOf, sourceIdOf } from './arxiv/ids.ts';
import { type ArxivRecord, type ArxivVersion, isWithdrawn } from './arxiv/records.ts';
import { digestOf } from './digest.ts';
import { indexCard, replaceOwnSections, toAbstractSection, withdrawPaper } from './ingest.ts';
import { readableTex } from './latex.ts';

/** Of YYYY-MM-DD; a paper of which only the month is known has a shorter date. */
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
  if (stored === undefined) {
    const id = insertCard(db, record, metadata, card, asOf);
    writeText(db, id, card);
    return 'added';
  }
  updateFacts(db, stored, record, metadata, asOf);
  const isSame = hasSameText(stored, card);
  if (!isSame) updateText(db, stored.id, card);
  if (isSame) return 'unchanged';
  writeText(db, stored.id, card);
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

function insertCard(
  db: Database,
  record: ArxivRecord,
  metadata: Metadata,
  card: Card,
  asOf: Date,
): number {
  const sourceId = sourceIdOf(record.id);
  const columns = {
    cardId: cardIdOf(sourceId),
    sourceId,
    ...textColumns(card),
    ...factColumns(record, metadata, asOf),
  };
  const { lastInsertRowid } = db
    .prepare(`
      INSERT INTO paper (
        card_id, source_id, title, authors, abstract, summary, tags, categories, published, updated,
        license_url, doi, journal_ref, comment, datestamp, pdf_url, origin, as_of
      ) VALUES (
        @cardId, @sourceId, @title, @authors, @abstract, @summary, @tags, @categories, @published, @updated,
        @licenseUrl, @doi, @journalRef, @comment, @datestamp, @pdfUrl, 'arxiv', @asOf
      )`)
    .run(columns);
  return Number(lastInsertRowid);
}

/** Updates all but the text; a new datestamp may mean a new version. */
function updateFacts(
  db: Database,
  stored: Stored,
  record: ArxivRecord,
  metadata: Metadata,
  asOf: Date,
): void {
  const columns = factColumns(record, metadata, asOf);
  const sameVersion = stored.datestamp === record.datestamp ? 1 : 0;
  db.prepare(`
    UPDATE paper SET
      license_url = @licenseUrl, doi = @doi, journal_ref = @journalRef, comment = @comment,
      datestamp = @datestamp, as_of = @asOf,
      published = iif(length(published) = ${DAY_LENGTH}, published, @published),
      updated = iif(@sameVersion, coalesce(updated, @updated), @updated),
      version_checked = iif(@sameVersion, version_checked, NULL),
      pdf_url = iif(@sameVersion, pdf_url, @pdfUrl)
    WHERE id = @id`).run({ ...columns, sameVersion, id: stored.id });
  if (sameVersion === 1) return;
  // A new version may have a full text even if the last one had none.
  db.prepare('UPDATE paper_text SET retry_at = NULL WHERE paper_id = @id').run({ id: stored.id });
}

/** Stores changed text, with a provisional summary and tags; the old vector stays until the digest. */
function updateText(db: Database, id: number, card: Card): void {
  db.prepare(`
    UPDATE paper SET
      title = @title, authors = @authors, abstract = @abstract, summary = @summary, tags = @tags,
      categories = @categories, origin = 'arxiv', withdrawn = 0, digested = 0
    WHERE id = @id`).run({ id, ...textColumns(card) });
}

function textColumns(card: Card) {
  return {
    ...card,
    authors: JSON.stringify(card.authors),
    tags: JSON.stringify(card.tags),
    categories: JSON.stringify(card.categories),
  };
}

function factColumns(record: ArxivRecord, metadata: Metadata, asOf: Date) {
  return {
    published: publishedOf(sourceIdOf(record.id), metadata.created),
    updated: metadata.updated ?? metadata.created,
    licenseUrl: metadata.licenseUrl,
    doi: metadata.doi,
    journalRef: metadata.journalRef,
    comment: metadata.comment,
    datestamp: record.datestamp,
    pdfUrl: pdfUrlOf(record.id, null),
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
  replaceOwnSections(db, id, [toAbstractSection(card.abstract)]);
}

/**
 * Stores what arXiv reports of a paper's current version, with its text if the version is newer than
 * ours. One transaction.
 */
export function storeVersion(db: Database, version: ArxivVersion, asOf: Date): void {
  const sourceId = sourceIdOf(version.id);
  db.transaction(() => {
    const known = db
      .prepare<{ sourceId: string }, { id: number; version: number | null }>(
        "SELECT id, version FROM paper WHERE source_id = @sourceId AND origin = 'arxiv'",
      )
      .get({ sourceId });
    if (known === undefined) return;
    if (isWithdrawn(version)) {
      withdrawPaper(db, known.id);
      return;
    }
    if (known.version !== null && version.version > known.version) {
      const card = toCard(version);
      updateText(db, known.id, card);
      writeText(db, known.id, card);
      // ar5iv's copy never says its version: by now it may be an old one. The number of no parser.
      db.prepare(`
        UPDATE paper_text SET parser = -1 WHERE paper_id = @id AND source = 'ar5iv'`).run({
        id: known.id,
      });
    }
    const pdfUrl = pdfUrlOf(version.id, version.version);
    db.prepare(`
      UPDATE paper SET
        version = @version, published = @published, updated = @updated, pdf_url = @pdfUrl,
        doi = coalesce(@doi, doi), journal_ref = coalesce(@journalRef, journal_ref),
        comment = coalesce(@comment, comment), version_checked = @asOf, as_of = @asOf
      WHERE id = @id`).run({ ...version, id: known.id, pdfUrl, asOf: asOf.toISOString() });
  }).immediate();
}
