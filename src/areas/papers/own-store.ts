import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../search/profile.ts';
import { write } from '../../store/connection.ts';
import { digestOf } from './digest.ts';
import { indexCard, settleOwn } from './ingest.ts';
import { nextId, ownIdOf } from './own-hidden.ts';
import type { OwnPaper } from './own-identity.ts';
import {
  findPaperByCardId,
  findPaperByDoi,
  findPaperByTitle,
  getPaperById,
  type PaperRow,
} from './queries.ts';
import { authorKeys } from './restrictions.ts';
import { type FetchedText, replaceSections, replaceText } from './stored-text.ts';
import { paperIndex } from './tables.ts';

/** One of the user's own files, already read. */
export interface FileRow {
  /** Absolute path. */
  path: string;
  size: number;
  /** Time of the last change, in milliseconds since 1970. */
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

/** Whether a path is `target` or inside it. */
export function isUnder(path: string, target: string): boolean {
  return path === target || path.startsWith(target.endsWith(sep) ? target : target + sep);
}

/**
 * Records a file as the last one read and points its card to it; `moved` is the file's earlier
 * path.
 */
export function putFile(db: Database, row: FileRow, moved?: string): void {
  write(db, () => {
    const [before] = listFilesBy(db, 'path', row.path);
    if (before !== undefined && before.paperId !== row.paperId) takeOff(db, before);
    db.prepare('DELETE FROM own_file WHERE path = @moved').run({ moved });
    db.prepare(`
      INSERT OR REPLACE INTO own_file (path, size, modified, sha256, parser, paper_id)
      VALUES (@path, @size, @modified, @sha256, @parser, @paperId)`).run(row);
    const url = pathToFileURL(row.path).href;
    db.prepare('UPDATE paper SET pdf_url = @url WHERE id = @paperId').run({ ...row, url });
  });
}

/** Stores a file with its paper: as an own card, or as the text of an arXiv card. */
export function putPaper(
  db: Database,
  row: Omit<FileRow, 'paperId'>,
  paper: OwnPaper,
  text: Omit<FetchedText, 'version' | 'sections'>,
  now: Date,
): 'added' | 'matched' | 'copied' {
  return write(db, () => {
    const card = findCard(db, paper);
    const id = writeCard(db, card, paper, now);
    replaceText(db, id, { ...text, version: paper.version, sections: paper.sections }, now);
    putFile(db, { ...row, paperId: id });
    if (card === undefined) return 'added';
    if (card.id < 0) return 'copied';
    settleOwn(db, card.id);
    return 'matched';
  });
}

/** The card of the same paper, by its ids, or by title and an author. */
function findCard(db: Database, paper: OwnPaper): PaperRow | undefined {
  const titled = findPaperByTitle(db, paper.title);
  const keys = new Set(titled?.origin === 'own' ? [] : titled?.authors.flatMap(authorKeys));
  const isSame = paper.authors.flatMap(authorKeys).some((key) => keys.has(key));
  return (
    findPaperByCardId(db, paper.cardId) ??
    (paper.doi === null ? undefined : findPaperByDoi(db, paper.doi)) ??
    (isSame ? titled : undefined)
  );
}

/**
 * Inserts or updates the own row of a paper and indexes it; its vectors come later. `card` is its
 * card on the shelf, if there is one.
 */
function writeCard(db: Database, card: PaperRow | undefined, paper: OwnPaper, now: Date): number {
  const isPublic = card !== undefined && card.id > 0;
  const id = isPublic ? ownIdOf(card.id) : (card?.id ?? nextId(db, true));
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
      -- Keep the month from a bibliography if the paper states only the year.
      published = iif(published LIKE @published || '%', published, @published),
      as_of = @at, digested = 0`).run({
    ...paper,
    id,
    cardId: isPublic ? `own:${card.cardId}` : paper.cardId,
    sourceId: isPublic ? `own:${card.sourceId}` : paper.sourceId,
    summary,
    at: now.toISOString(),
    authors: JSON.stringify(paper.authors),
    categories: JSON.stringify(paper.categories),
    tags: JSON.stringify(tags),
  });
  indexCard(db, id, { ...paper, tags });
  return id;
}

/**
 * Takes files off the shelf, with the papers whose text they supplied. Returns the number of cards
 * removed.
 */
export function removeFiles(db: Database, files: readonly FileRow[]): number {
  return write(db, () => files.filter((file) => takeOff(db, file)).length);
}

/**
 * Takes a file off the shelf. If it supplied the text and no other file has the same content, the
 * paper goes as well, and the next `add` reads the other files again. Returns whether a card left
 * the shelf; arXiv's stays.
 */
function takeOff(db: Database, { path, sha256, paperId: id }: FileRow): boolean {
  const [last, ...others] = listFilesBy(db, 'paper_id', id);
  const same = others.find((file) => file.sha256 === sha256);
  db.prepare('DELETE FROM own_file WHERE path = @path').run({ path });
  if (last?.path !== path) return false;
  if (same !== undefined) {
    putFile(db, same);
    return false;
  }
  const isCard = getPaperById(db, id)?.withdrawn === 0;
  replaceSections(db, id, []);
  removeFromIndex(db, paperIndex, id);
  db.prepare('DELETE FROM paper WHERE id = @id').run({ id });
  return isCard;
}
