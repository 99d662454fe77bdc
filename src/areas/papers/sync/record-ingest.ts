import type { Database } from 'better-sqlite3';
import { cardIdOf, sourceIdOf } from '../cards/ids.ts';
import { digestOf } from '../digest/digest.ts';
import { readableTex } from '../digest/latex.ts';
import { indexCard, replaceOwnSections, withdrawPaper } from '../ingest.ts';
import { type ArxivRecord, type ArxivVersion, isWithdrawn, pdfUrlOf } from '../source.ts';

/** What became of the records of a page. */
export interface Intake {
  added: number;
  /** New words: their vectors are made anew. */
  changed: number;
  unchanged: number;
  withdrawn: number;
}

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
 * Takes a page of records in; call it inside the transaction that writes the checkpoint. Equal
 * records change nothing but the day they were seen, so overlaps and repetitions are harmless.
 * Stops after `limit` records that brought something new; `whole` says whether all were taken.
 */
export function upsertRecords(
  db: Database,
  records: readonly ArxivRecord[],
  asOf: Date,
  limit = Number.POSITIVE_INFINITY,
): { intake: Intake; whole: boolean } {
  const intake: Intake = { added: 0, changed: 0, unchanged: 0, withdrawn: 0 };
  let news = 0;
  for (const record of records) {
    if (news >= limit) return { intake, whole: false };
    const outcome = upsertRecord(db, record, asOf);
    intake[outcome] += 1;
    if (outcome !== 'unchanged') news += 1;
  }
  return { intake, whole: true };
}

function upsertRecord(db: Database, record: ArxivRecord, asOf: Date): keyof Intake {
  const stored = findStored(db, sourceIdOf(record.id));
  const { metadata } = record;
  if (metadata === null || isWithdrawn(metadata)) {
    if (stored === undefined || stored.withdrawn === 1) return 'unchanged';
    withdrawPaper(db, stored.id);
    return 'withdrawn';
  }
  const card = toCard(metadata);
  if (stored === undefined) {
    writeWords(db, insertCard(db, record, metadata, card, asOf), card);
    return 'added';
  }
  updateFacts(db, stored, record, metadata, asOf);
  if (saysTheSame(stored, card)) return 'unchanged';
  updateWords(db, stored.id, card);
  writeWords(db, stored.id, card);
  return 'changed';
}

interface Card {
  title: string;
  abstract: string;
  authors: readonly string[];
  categories: readonly string[];
  /** Made without the model, until it has had its turn. */
  summary: string;
  tags: readonly string[];
}

type Words = Pick<Metadata, 'title' | 'abstract' | 'authors' | 'categories'>;

function toCard({ title, abstract, authors, categories }: Words): Card {
  const words = { title: readableTex(title), abstract: readableTex(abstract), categories };
  return { ...words, authors: authors.map(readableTex), ...digestOf(words, null, null) };
}

/** A withdrawn paper that came back, and a starter card's digest, count as new words. */
function saysTheSame(stored: Stored, card: Card): boolean {
  return (
    stored.origin === 'arxiv' &&
    stored.withdrawn === 0 &&
    stored.title === card.title &&
    stored.abstract === card.abstract &&
    stored.authors === JSON.stringify(card.authors) &&
    stored.categories === JSON.stringify(card.categories)
  );
}

function findStored(db: Database, sourceId: string): Stored | undefined {
  return db
    .prepare<{ sourceId: string }, Stored>(`
      SELECT id, title, abstract, authors, categories, datestamp, origin, withdrawn
      FROM paper WHERE source_id = @sourceId`)
    .get({ sourceId });
}

function insertCard(
  db: Database,
  record: ArxivRecord,
  metadata: Metadata,
  card: Card,
  asOf: Date,
): number {
  const sourceId = sourceIdOf(record.id);
  const { lastInsertRowid } = db
    .prepare(`
      INSERT INTO paper (
        card_id, source_id, title, authors, abstract, summary, tags, categories, updated,
        license_url, doi, journal_ref, comment, datestamp, pdf_url, origin, as_of
      ) VALUES (
        @cardId, @sourceId, @title, @authors, @abstract, @summary, @tags, @categories, @updated,
        @licenseUrl, @doi, @journalRef, @comment, @datestamp, @pdfUrl, 'arxiv', @asOf
      )`)
    .run({
      cardId: cardIdOf(sourceId),
      sourceId,
      ...wordColumns(card),
      ...factColumns(record, metadata, asOf),
    });
  return Number(lastInsertRowid);
}

/** What the record says besides its words; another datestamp means that the version may be another. */
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
      updated = iif(@sameVersion, coalesce(updated, @updated), @updated),
      version_checked = iif(@sameVersion, version_checked, NULL),
      pdf_url = iif(@sameVersion, pdf_url, @pdfUrl)
    WHERE id = @id`).run({ ...columns, sameVersion, id: stored.id });
  if (sameVersion === 1) return;
  // Where there was no text to be had, another version may have one.
  db.prepare('UPDATE paper_text SET retry_at = NULL WHERE paper_id = @id').run({ id: stored.id });
}

/** New words: summary and tags without the model for now, the vector of the old words until then. */
function updateWords(db: Database, id: number, card: Card): void {
  db.prepare(`
    UPDATE paper SET
      title = @title, authors = @authors, abstract = @abstract, summary = @summary, tags = @tags,
      categories = @categories, origin = 'arxiv', withdrawn = 0, digested = 0
    WHERE id = @id`).run({ id, ...wordColumns(card) });
}

function wordColumns(card: Card) {
  return {
    title: card.title,
    authors: JSON.stringify(card.authors),
    abstract: card.abstract,
    summary: card.summary,
    tags: JSON.stringify(card.tags),
    categories: JSON.stringify(card.categories),
  };
}

function factColumns(record: ArxivRecord, metadata: Metadata, asOf: Date) {
  return {
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

/** The words of the index, and the abstract as the only section while no full text is held. */
function writeWords(db: Database, id: number, card: Card): void {
  indexCard(db, id, card);
  const held = db
    .prepare('SELECT 1 FROM paper_text WHERE paper_id = @id AND source IS NOT NULL')
    .get({ id });
  if (held !== undefined) return;
  replaceOwnSections(db, id, [
    { key: 'abstract', type: 'abstract', title: 'Abstract', content: card.abstract, vectors: [] },
  ]);
}

/**
 * Stores what arXiv said about the current version of a paper. A newer version than the one that is
 * known brings its own words. One transaction.
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
      updateWords(db, known.id, card);
      writeWords(db, known.id, card);
    }
    updateVersion(db, known.id, version, asOf);
  }).immediate();
}

function updateVersion(db: Database, id: number, version: ArxivVersion, asOf: Date): void {
  db.prepare(`
    UPDATE paper SET
      version = @version, published = @published, updated = @updated, pdf_url = @pdfUrl,
      doi = coalesce(@doi, doi), journal_ref = coalesce(@journalRef, journal_ref),
      comment = coalesce(@comment, comment), version_checked = @asOf, as_of = @asOf
    WHERE id = @id`).run({
    id,
    version: version.version,
    published: version.published,
    updated: version.updated,
    pdfUrl: pdfUrlOf(version.id, version.version),
    doi: version.doi,
    journalRef: version.journalRef,
    comment: version.comment,
    asOf: asOf.toISOString(),
  });
}
