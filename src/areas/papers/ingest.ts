import type { Database } from 'better-sqlite3';
import { indexText, removeFromIndex } from '../../search/profile.ts';
import { cardIdOf, monthOf, pdfUrlOf, sourceIdOf } from './arxiv/ids.ts';
import type { ArxivMetadata, ArxivRecord } from './arxiv/oai.ts';
import { digestOf } from './digest.ts';
import { plainTex, readableTex } from './latex.ts';
import { nextId, ownIdOf, plainIdIn } from './own-hidden.ts';
import { findPaperByCardId, getPaperById, type PaperRow } from './queries.ts';
import { authorKeys } from './restrictions.ts';
import { abstractSection, indexSections, replaceSections } from './stored-text.ts';
import { paperIndex } from './tables.ts';
import { isGone, isWithdrawn } from './withdrawals.ts';

/** The effect of a record on its paper; `changed` means that vectors must be recomputed. */
export type Change = 'added' | 'changed' | 'unchanged' | 'withdrawn';

/**
 * Stores a record; call it inside a transaction. If the card's text is the same, updates only the
 * metadata, so that storing a record again is harmless.
 */
export function upsertRecord(db: Database, record: ArxivRecord, asOf: Date): Change {
  const existing = findPaperByCardId(db, cardIdOf(sourceIdOf(record.id)));
  const stored = existing?.origin === 'own' ? undefined : existing;
  const { metadata } = record;
  const isWithdrawal = isGone(metadata);
  // The withdrawal may show only in the list of versions, so an unchanged record does not undo it.
  if (stored?.withdrawn === 1 && stored.datestamp === record.datestamp) return 'unchanged';
  if (metadata === null || (isWithdrawal && stored !== undefined)) {
    return stored === undefined ? 'unchanged' : withdraw(db, stored, record);
  }
  const text = {
    title: readableTex(metadata.title),
    abstract: readableTex(metadata.abstract),
    categories: metadata.categories,
  };
  // Use summary and tags computed without the model until the card is digested.
  const card = { ...text, authors: metadata.authors.map(readableTex), ...digestOf(text, null) };
  // A starter card and a restored paper are reindexed even if the text is the same.
  const isSame =
    stored?.origin === 'arxiv' && stored.withdrawn === 0 && textOf(stored) === textOf(card);
  if (existing?.origin === 'own') setAside(db, existing.id);
  const id = writePaper(db, record, metadata, card, isSame, asOf);
  if (isWithdrawal) {
    // Store an unknown paper as withdrawn, so that a read can report the withdrawal.
    const published = publishedOf(sourceIdOf(record.id), metadata.created);
    withdraw(db, { id, published, withdrawn: 0 }, record);
    return 'unchanged';
  }
  if (stored !== undefined && stored.datestamp !== record.datestamp) {
    // A new version may have a full text even if the previous one had none.
    db.prepare('UPDATE paper_text SET retry_at = NULL WHERE paper_id = @id').run({ id });
  }
  if (isSame) return 'unchanged';
  indexCard(db, id, card);
  if (!stored?.textFormat) replaceSections(db, id, [abstractSection(card.abstract)]);
  settleOwn(db, id);
  return stored === undefined ? 'added' : 'changed';
}

type IndexedFields = Record<'title' | 'abstract', string> &
  Record<'tags' | 'authors', readonly string[]>;
type Card = IndexedFields & Pick<PaperRow, 'categories' | 'summary'>;

/** The text of a card, for comparison: if it changes, summary, tags and vectors are recomputed. */
export const textOf = ({ title, abstract, authors, categories }: Omit<Card, 'summary' | 'tags'>) =>
  JSON.stringify([title, abstract, authors, categories]);

/**
 * The creation day, or the month in the id if that day is unknown or after the month: arXiv may
 * state the day of a later version.
 */
function publishedOf(sourceId: string, created: string | null): string {
  const month = monthOf(sourceId);
  return created !== null && created <= `${month}-31` ? created : month;
}

/** Inserts or updates a paper and returns its row id; `isSame` keeps its summary, tags and vectors. */
function writePaper(
  db: Database,
  { id, datestamp }: ArxivRecord,
  metadata: ArxivMetadata,
  card: Card,
  isSame: boolean,
  asOf: Date,
): number {
  const sourceId = sourceIdOf(id);
  const upsert = db.prepare(`
    INSERT INTO paper (
      id, card_id, source_id, title, authors, abstract, summary, tags, categories, published, updated,
      license_url, doi, journal_ref, comment, datestamp, pdf_url, origin, as_of, added
    ) VALUES (
      @id, @cardId, @sourceId, @title, @authors, @abstract, @summary, @tags, @categories, @published, @updated,
      @licenseUrl, @doi, @journalRef, @comment, @datestamp, @pdfUrl, 'arxiv', @asOf, @asOf
    )
    ON CONFLICT (source_id) DO UPDATE SET
      title = @title, authors = @authors, abstract = @abstract, categories = @categories,
      summary = iif(@isSame, summary, @summary), tags = iif(@isSame, tags, @tags),
      digested = iif(@isSame, digested, 0), origin = 'arxiv', withdrawn = 0, withdrawn_on = NULL,
      license_url = @licenseUrl, doi = @doi, journal_ref = @journalRef, comment = @comment,
      as_of = @asOf,
      -- A full day came from the paper's history.
      published = iif(length(published) = 10, published, @published),
      -- A new datestamp may mean a new version.
      updated = iif(datestamp = @datestamp, coalesce(updated, @updated), @updated),
      version_checked = iif(datestamp = @datestamp, version_checked, NULL),
      pdf_url = iif(datestamp = @datestamp, pdf_url, @pdfUrl),
      datestamp = @datestamp`);
  const rowId = findPaperByCardId(db, cardIdOf(sourceId))?.id ?? nextId(db, false);
  upsert.run({
    ...metadata,
    ...card,
    id: rowId,
    sourceId,
    datestamp,
    asOf: asOf.toISOString(),
    isSame: isSame ? 1 : 0,
    authors: JSON.stringify(card.authors),
    tags: JSON.stringify(card.tags),
    categories: JSON.stringify(card.categories),
    cardId: cardIdOf(sourceId),
    published: publishedOf(sourceId, metadata.created),
    updated: metadata.updated ?? metadata.created,
    pdfUrl: pdfUrlOf(id, null),
  });
  return rowId;
}

/**
 * Stores the facts in a paper's history, and withdraws or restores the paper accordingly. Call it
 * inside a transaction.
 */
export function storeHistory(db: Database, record: ArxivRecord, asOf: Date): Change {
  const stored = findPaperByCardId(db, cardIdOf(sourceIdOf(record.id)));
  const { metadata } = record;
  if (stored === undefined || stored.origin === 'own') return 'unchanged';
  if (metadata === null || isWithdrawn(metadata)) return withdraw(db, stored, record);
  const [first, last] = [metadata.versions[0], metadata.versions.at(-1)];
  if (first === undefined || last === undefined) return 'unchanged';
  db.prepare(`
    UPDATE paper SET
      version = @version, published = @published, updated = @updated, pdf_url = @pdfUrl,
      doi = @doi, journal_ref = @journalRef, comment = @comment, license_url = @licenseUrl,
      version_checked = @asOf, as_of = @asOf,
      digested = iif(withdrawn = 1, 0, digested), withdrawn = 0, withdrawn_on = NULL
    WHERE id = @id`).run({
    ...metadata,
    id: stored.id,
    version: last.version,
    published: first.day,
    updated: last.day,
    pdfUrl: pdfUrlOf(record.id, last.version),
    // Only `arXivRaw` leaves accents in TeX.
    comment: metadata.comment && readableTex(metadata.comment),
    journalRef: metadata.journalRef && readableTex(metadata.journalRef),
    asOf: asOf.toISOString(),
  });
  if (stored.withdrawn === 0) return 'unchanged';
  indexCard(db, stored.id, stored);
  settleOwn(db, stored.id);
  return 'changed';
}

/** Adds or replaces a card's text in the search index, without TeX. */
export function indexCard(db: Database, id: number, fields: IndexedFields): void {
  indexText(db, paperIndex, id, {
    title: plainTex(fields.title),
    abstract: plainTex(fields.abstract),
    tags: fields.tags.join(' '),
    authors: fields.authors.join(' '),
    names: fields.authors.flatMap(authorKeys).join(' '),
  });
}

/**
 * Withdraws a paper as of the day of its last version or, if that is unknown or not after the
 * publication, as of the record's last change.
 */
function withdraw(
  db: Database,
  { id, published, withdrawn }: Pick<PaperRow, 'id' | 'published' | 'withdrawn'>,
  { datestamp, metadata }: ArxivRecord,
): Change {
  if (withdrawn === 1) return 'unchanged';
  const last = metadata?.versions.at(-1);
  const day = last?.day ?? metadata?.updated ?? metadata?.created;
  const isLater = day != null && day > published && !day.startsWith(published);
  withdrawPaper(db, id, isLater ? day : datestamp, metadata?.comment ?? null);
  return 'withdrawn';
}

/**
 * Turns one of the user's own cards into the own row (see own-hidden.ts) of the public card that is
 * stored next. Call it inside the transaction that stores that card and then calls `settleOwn`.
 */
export function setAside(db: Database, from: number): void {
  moveOwn(db, { from, to: ownIdOf(nextId(db, false)), prefix: 'own:' });
}

function moveOwn(db: Database, move: { from: number; to: number; prefix: string }): void {
  db.prepare(`
    UPDATE paper SET id = @to, card_id = @prefix || ${plainIdIn('card_id')},
      source_id = @prefix || ${plainIdIn('source_id')}
    WHERE id = @from`).run(move);
  removeFromIndex(db, paperIndex, move.from);
  indexSections(db, move.from);
  indexSections(db, move.to);
}

/**
 * Updates the own row (see own-hidden.ts) of a public card that has changed: hides it while the card
 * is served, shows it if the card is withdrawn, and makes it a card of its own if the card is gone.
 */
export function settleOwn(db: Database, id: number): void {
  const own = getPaperById(db, ownIdOf(id));
  if (own === undefined) return;
  const card = getPaperById(db, id);
  const to = card === undefined ? nextId(db, true) : own.id;
  if (card === undefined) moveOwn(db, { from: own.id, to, prefix: '' });
  const isLent = card?.withdrawn === 0 ? 1 : 0;
  db.prepare('UPDATE paper SET withdrawn = @isLent, digested = @isLent WHERE id = @to').run({
    to,
    isLent,
  });
  if (isLent === 1) removeFromIndex(db, paperIndex, to);
  else indexCard(db, to, own);
}

/**
 * Removes a paper from search, but keeps its card so that a read can report the withdrawal. `day`
 * is YYYY-MM-DD.
 */
export function withdrawPaper(
  db: Database,
  id: number,
  day: string,
  comment: string | null = null,
): void {
  db.prepare(`
    UPDATE paper SET withdrawn = 1, withdrawn_on = @day, comment = coalesce(@comment, comment)
    WHERE id = @id`).run({ id, day, comment });
  removeFromIndex(db, paperIndex, id);
  settleOwn(db, id);
}
