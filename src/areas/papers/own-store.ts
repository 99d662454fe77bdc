import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../search/profile.ts';
import { write } from '../../store/connection.ts';
import { digestOf } from './digest.ts';
import { indexCard, makeOwn } from './ingest.ts';
import { nextId } from './own-hidden.ts';
import type { OwnPaper } from './own-identity.ts';
import { findPaperByCardId, findPaperByDoi, findPaperByTitle, getPaperById } from './queries.ts';
import { authorKeys } from './restrictions.ts';
import { abstractSection, type FetchedText, replaceSections, replaceText } from './stored-text.ts';
import { paperIndex } from './tables.ts';

/** One of the user's own files, already read. */
export interface FileRow {
  /** Absolute. */
  path: string;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  sha256: string;
  parser: number;
  paperId: number;
}

const FILES = 'SELECT path, size, modified, sha256, parser, paper_id AS paperId FROM own_file';

/** The files that were read. */
export function listOwnFiles(db: Database): FileRow[] {
  return db.prepare<[], FileRow>(`${FILES} ORDER BY path`).all();
}

/** The last file read comes first: it supplies its paper's text. */
export function listFilesBy(
  db: Database,
  column: 'path' | 'sha256' | 'paper_id',
  value: string | number,
): FileRow[] {
  const sql = `${FILES} WHERE ${column} = @value ORDER BY rowid DESC`;
  return db.prepare<object, FileRow>(sql).all({ value });
}

/** Whether a path is `target` or lies under it. */
export function isUnder(path: string, target: string): boolean {
  return path === target || path.startsWith(target.endsWith(sep) ? target : target + sep);
}

/** Stores a file as the last one read, replacing the one `moved` to its path. */
export function putFile(db: Database, row: FileRow, moved?: string): void {
  write(db, () => {
    const [before] = listFilesBy(db, 'path', row.path);
    if (before !== undefined && before.paperId !== row.paperId) takeOff(db, before);
    db.prepare('DELETE FROM own_file WHERE path = @moved').run({ moved });
    db.prepare(`
      INSERT OR REPLACE INTO own_file (path, size, modified, sha256, parser, paper_id)
      VALUES (@path, @size, @modified, @sha256, @parser, @paperId)`).run(row);
    settle(db, row.paperId);
  });
}

/** Stores a file with its paper: as an own card, or as the text of an existing card. */
export function putPaper(
  db: Database,
  row: Omit<FileRow, 'paperId'>,
  paper: OwnPaper,
  text: Omit<FetchedText, 'version' | 'sections'>,
  now: Date,
): 'added' | 'matched' | 'copied' {
  return write(db, () => {
    const card = findCard(db, paper);
    const isPublic = card !== undefined && card.origin !== 'own';
    const id = isPublic ? card.id : writeCard(db, card?.id, paper, now);
    const [, ...body] = paper.sections;
    const sections = isPublic ? [abstractSection(card.abstract), ...body] : paper.sections;
    replaceText(db, id, { ...text, version: paper.version, sections }, now);
    putFile(db, { ...row, paperId: id });
    return isPublic ? 'matched' : card === undefined ? 'added' : 'copied';
  });
}

/**
 * The card of the same paper, by its ids, or by title and an author; turns a withdrawn one into the
 * user's own.
 */
function findCard(db: Database, paper: OwnPaper) {
  const titled = findPaperByTitle(db, paper.title);
  const keys = new Set(titled?.origin === 'own' ? [] : titled?.authors.flatMap(authorKeys));
  const isSame = paper.authors.flatMap(authorKeys).some((key) => keys.has(key));
  const card =
    findPaperByCardId(db, paper.cardId) ??
    (paper.doi === null ? undefined : findPaperByDoi(db, paper.doi)) ??
    (isSame ? titled : undefined);
  return card?.withdrawn === 1 ? getPaperById(db, makeOwn(db, card.id)) : card;
}

/** Inserts or replaces an own card, and indexes it; its vectors come later. */
function writeCard(db: Database, existing: number | undefined, paper: OwnPaper, now: Date): number {
  const id = existing ?? nextId(db, true);
  const { summary, tags } = digestOf(paper, null);
  db.prepare(`
    INSERT INTO paper (
      id, card_id, source_id, title, authors, abstract, summary, tags, categories, published, doi,
      journal_ref, pdf_url, origin, as_of, added
    ) VALUES (
      @id, @cardId, @sourceId, @title, @authors, @abstract, @summary, @tags, @categories, @published, @doi,
      @journalRef, '', 'own', @at, @at
    )
    ON CONFLICT (id) DO UPDATE SET
      title = @title, authors = @authors, abstract = @abstract, summary = @summary, tags = @tags,
      categories = @categories, doi = coalesce(@doi, doi),
      journal_ref = coalesce(@journalRef, journal_ref),
      -- A bibliography may have known the month of what the paper dates by its year.
      published = iif(published LIKE @published || '%', published, @published),
      as_of = @at, digested = 0`).run({
    ...paper,
    id,
    summary,
    at: now.toISOString(),
    authors: JSON.stringify(paper.authors),
    categories: JSON.stringify(paper.categories),
    tags: JSON.stringify(tags),
  });
  indexCard(db, id, { ...paper, tags });
  return id;
}

/** Takes files off the shelf, with the own papers that have no other. Returns how many papers went. */
export function removeFiles(db: Database, files: readonly FileRow[]): number {
  return write(db, () => files.filter((file) => takeOff(db, file)).length);
}

/** Takes a file off the shelf, with the text that it gave its paper. Returns whether the paper went, too. */
function takeOff(db: Database, { path, sha256, paperId: id }: FileRow): boolean {
  const [last] = listFilesBy(db, 'paper_id', id);
  db.prepare('DELETE FROM own_file WHERE path = @path').run({ path });
  const [next] = listFilesBy(db, 'paper_id', id);
  if (last?.path === path && next !== undefined && next.sha256 !== sha256) {
    dropText(db, id);
    // The next `add` reads the others again.
    db.prepare('UPDATE own_file SET parser = 0 WHERE paper_id = @id').run({ id });
  }
  return settle(db, id);
}

/** Leaves a paper its abstract alone. */
function dropText(db: Database, id: number): void {
  const abstract = getPaperById(db, id)?.abstract ?? '';
  replaceSections(db, id, [abstractSection(abstract)]);
  db.prepare('DELETE FROM paper_text WHERE paper_id = @id').run({ id });
}

/**
 * Makes a paper fit its files: an own card points to the last one read, and goes with the last one left; a card
 * of arXiv then loses its text alone. Returns whether the paper went.
 */
function settle(db: Database, id: number): boolean {
  const paper = getPaperById(db, id);
  if (paper === undefined) return false;
  const isOwn = paper.origin === 'own';
  const [file] = listFilesBy(db, 'paper_id', id);
  if (file !== undefined) {
    const url = isOwn ? pathToFileURL(file.path).href : paper.pdfUrl;
    db.prepare('UPDATE paper SET pdf_url = @url WHERE id = @id').run({ id, url });
    return false;
  }
  dropText(db, id);
  if (!isOwn) return false;
  replaceSections(db, id, []);
  removeFromIndex(db, paperIndex, id);
  db.prepare('DELETE FROM paper WHERE id = @id').run({ id });
  return true;
}
