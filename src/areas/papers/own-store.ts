import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../search/profile.ts';
import { write } from '../../store/connection.ts';
import { digestOf } from './digest.ts';
import { indexCard, movePaper } from './ingest.ts';
import { nextId } from './own-hidden.ts';
import { isSamePaper, type OwnPaper } from './own-identity.ts';
import { findPaperByCardId, findPaperByDoi, findPaperByTitle, getPaperById } from './queries.ts';
import { abstractSection, type FetchedText, replaceSections, replaceText } from './stored-text.ts';
import { paperIndex } from './tables.ts';

/** A file of the user's own that was read. */
export interface FileRow {
  /** Absolute. */
  path: string;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  sha256: string;
  parser: number;
  paperId: number | null;
  /** Why it has no paper, for the user. */
  fault: string | null;
}

const SELECT_FILE =
  'SELECT path, size, modified, sha256, parser, paper_id AS paperId, fault FROM own_file';

/** The files that were read, by path: all of them, or one and what lies under it. */
export function listOwnFiles(db: Database, target = ''): FileRow[] {
  const folder = target === '' || target.endsWith(sep) ? target : target + sep;
  return db
    .prepare<object, FileRow>(`
      ${SELECT_FILE}
      WHERE path = @target OR (path >= @folder AND path < @folder || char(0x10ffff))
      ORDER BY path`)
    .all({ target, folder });
}

/** The files among them that have moved or vanished. */
export function listGoneFiles(db: Database, target?: string): string[] {
  return listOwnFiles(db, target)
    .map(({ path }) => path)
    .filter((path) => !existsSync(path));
}

/** The first is the text of the paper, if they have one. */
export function listFilesBy(
  db: Database,
  column: 'path' | 'sha256' | 'paper_id',
  value: string | number,
): FileRow[] {
  return db
    .prepare<object, FileRow>(`${SELECT_FILE} WHERE ${column} = @value ORDER BY rowid`)
    .all({ value });
}

/** The paths of the files of a paper, by its card's id. */
export function listFilesOf(db: Database, cardId: string): string[] {
  const paper = findPaperByCardId(db, cardId);
  return paper === undefined ? [] : listFilesBy(db, 'paper_id', paper.id).map(({ path }) => path);
}

/** Stores a file, replacing the rows of its path and of the path that it was `moved` from. */
export function putFile(db: Database, row: FileRow, moved = row.path): void {
  write(db, () => {
    const before = listFilesBy(db, 'path', row.path);
    if (moved !== row.path) db.prepare('DELETE FROM own_file WHERE path = @moved').run({ moved });
    db.prepare(`
      INSERT INTO own_file (path, size, modified, sha256, parser, paper_id, fault)
      VALUES (@path, @size, @modified, @sha256, @parser, @paperId, @fault)
      ON CONFLICT (path) DO UPDATE SET size = @size, modified = @modified, sha256 = @sha256,
        parser = @parser, paper_id = @paperId, fault = @fault`).run(row);
    for (const { paperId } of [...before, row]) settle(db, paperId);
  });
}

/**
 * Stores a file with its paper: as an own card, or as the text of the card that the shelf has. If a paper has
 * several files, the first one supplies the text.
 */
export function putPaper(
  db: Database,
  row: FileRow,
  paper: OwnPaper,
  text: Omit<FetchedText, 'version' | 'sections'>,
  now: Date,
): 'added' | 'joined' | 'copy' {
  return write(db, () => {
    const card = findCard(db, paper);
    const [first] = card === undefined ? [] : listFilesBy(db, 'paper_id', card.id);
    const isCopy = first !== undefined && first.path !== row.path;
    const isPublic = card !== undefined && card.origin !== 'own';
    const id =
      card !== undefined && (isCopy || isPublic) ? card.id : writeCard(db, card?.id, paper, now);
    if (!isCopy) {
      const [, ...body] = paper.sections;
      const sections = isPublic ? [abstractSection(card.abstract), ...body] : paper.sections;
      replaceText(db, id, { ...text, version: null, sections }, now);
    }
    putFile(db, { ...row, paperId: id });
    return isCopy ? 'copy' : isPublic ? 'joined' : 'added';
  });
}

/** The card of the same paper; a withdrawn one becomes the user's own. */
function findCard(db: Database, paper: OwnPaper) {
  const titled = findPaperByTitle(db, paper.title);
  const isSame = titled !== undefined && titled.origin !== 'own' && isSamePaper(titled, paper);
  const card =
    findPaperByCardId(db, paper.cardId) ??
    (paper.doi === null ? undefined : findPaperByDoi(db, paper.doi)) ??
    (isSame ? titled : undefined);
  if (card?.withdrawn !== 1) return card;
  const id = nextId(db, true);
  movePaper(db, card.id, id);
  db.prepare("UPDATE paper SET origin = 'own', withdrawn = 0 WHERE id = @id").run({ id });
  return getPaperById(db, id);
}

/** Inserts or replaces an own card, and indexes it; its vectors come later. */
function writeCard(db: Database, existing: number | undefined, paper: OwnPaper, now: Date): number {
  const id = existing ?? nextId(db, true);
  const { summary, tags } = digestOf(paper, null);
  const { sections: _, ...facts } = paper;
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
      categories = @categories, published = @published, doi = @doi, journal_ref = @journalRef,
      as_of = @at, digested = 0`).run({
    ...facts,
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

/** Takes files off the shelf, with the papers that have no other. Returns how many papers went. */
export function removeFiles(db: Database, paths: readonly string[]): number {
  return write(db, () => {
    const papers = paths.filter((path) => {
      const [row] = listFilesBy(db, 'path', path);
      db.prepare('DELETE FROM own_file WHERE path = @path').run({ path });
      return settle(db, row?.paperId ?? null);
    });
    return papers.length;
  });
}

/**
 * Makes a paper fit its files: an own card points to the first one, and goes with the last; a card of
 * arXiv then loses its text alone. Returns whether it was the last.
 */
function settle(db: Database, id: number | null): boolean {
  const paper = id === null ? undefined : getPaperById(db, id);
  if (paper === undefined) return false;
  const isOwn = paper.origin === 'own';
  const [file] = listFilesBy(db, 'paper_id', paper.id);
  if (file !== undefined) {
    const url = isOwn ? pathToFileURL(file.path).href : paper.pdfUrl;
    db.prepare('UPDATE paper SET pdf_url = @url WHERE id = @id').run({ id: paper.id, url });
    return false;
  }
  replaceSections(db, paper.id, isOwn ? [] : [abstractSection(paper.abstract)]);
  db.prepare('DELETE FROM paper_text WHERE paper_id = @id').run({ id: paper.id });
  if (!isOwn) return true;
  removeFromIndex(db, paperIndex, paper.id);
  db.prepare('DELETE FROM paper WHERE id = @id').run({ id: paper.id });
  return true;
}
