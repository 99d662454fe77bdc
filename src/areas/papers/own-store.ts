import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../search/profile.ts';
import { write } from '../../store/connection.ts';
import { digestOf } from './digest.ts';
import { indexCard, settleOwn } from './ingest.ts';
import { nextId, ownIdOf } from './own-hidden.ts';
import type { OwnPaper } from './own-identity.ts';
import { findPaperBy, findPaperByCardId, getPaperById, type PaperRow } from './queries.ts';
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

/** Stored files that match `some`, last read first: a paper's last file supplies its text. */
export function listOwnFiles(
  db: Database,
  some: { path?: string; sha256?: string; paper_id?: number } = {},
): FileRow[] {
  const conditions = Object.keys(some).map((column) => `${column} = @${column}`);
  return db
    .prepare<object, FileRow>(`
      SELECT path, size, modified, sha256, parser, paper_id AS paperId FROM own_file
      WHERE ${conditions.join(' AND ') || 'true'} ORDER BY rowid DESC`)
    .all(some);
}

/** Whether a path is `target` or inside it. */
export function isUnder(path: string, target: string): boolean {
  return path === target || path.startsWith(target.endsWith(sep) ? target : target + sep);
}

/** Records a file as the last one read, and links its card to it. `moved` is its earlier path. */
export function putFile(db: Database, row: FileRow, moved?: string): void {
  write(db, () => {
    const [before] = listOwnFiles(db, { path: row.path });
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
): 'added' | 'matched' {
  return write(db, () => {
    const [card, ...others] = listCards(db, paper);
    const id = writeCard(db, card, paper, now);
    for (const { id: other } of others.filter((one) => one.id < 0 && one.id !== id)) {
      db.prepare('UPDATE own_file SET paper_id = @id WHERE paper_id = @other').run({ id, other });
      removePaper(db, other);
    }
    replaceText(db, id, { ...text, version: paper.version, sections: paper.sections }, now);
    putFile(db, { ...row, paperId: id });
    if (card !== undefined) settleOwn(db, card.id);
    return card === undefined ? 'added' : 'matched';
  });
}

/**
 * The stored cards of a paper, arXiv's first. They match by id or DOI, and arXiv's also by title
 * and an author.
 */
function listCards(db: Database, paper: OwnPaper): PaperRow[] {
  const titled = findPaperBy(db, 'title', paper.title);
  const keys = new Set(titled?.origin === 'own' ? [] : titled?.authors.flatMap(authorKeys));
  const isSame = paper.authors.flatMap(authorKeys).some((key) => keys.has(key));
  return [
    findPaperByCardId(db, paper.paperCardId),
    findPaperBy(db, 'doi', paper.doi ?? ''),
    isSame ? titled : undefined,
  ]
    .filter((card) => card !== undefined)
    .sort((a, b) => Number(a.id < 0) - Number(b.id < 0));
}

/** Writes and indexes the user's own row for a paper, without vectors. `card` is its stored card. */
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
    cardId: isPublic ? `own:${card.cardId}` : paper.paperCardId,
    sourceId: isPublic ? `own:${card.sourceId}` : paper.sourcePaperId,
    summary,
    at: now.toISOString(),
    authors: JSON.stringify(paper.authors),
    categories: JSON.stringify(paper.categories),
    tags: JSON.stringify(tags),
  });
  indexCard(db, id, { ...paper, tags });
  return id;
}

/** Takes files off the shelf. Returns the number of cards that left it. */
export function removeFiles(db: Database, files: readonly FileRow[]): number {
  return write(db, () => files.filter((file) => takeOff(db, file)).length);
}

/**
 * Takes a file off the shelf, and with it the user's own paper if the file supplied the text and no
 * other file has the same content; the next `add` then reads the paper's other files again. Returns
 * true if a card left the shelf; a card from arXiv stays.
 */
function takeOff(db: Database, { path, sha256, paperId: id }: FileRow): boolean {
  const [last, ...others] = listOwnFiles(db, { paper_id: id });
  const same = others.find((file) => file.sha256 === sha256);
  db.prepare('DELETE FROM own_file WHERE path = @path').run({ path });
  if (last?.path !== path) return false;
  if (same !== undefined) {
    putFile(db, same);
    return false;
  }
  const isCard = getPaperById(db, id)?.withdrawn === 0;
  removePaper(db, id);
  return isCard;
}

function removePaper(db: Database, id: number): void {
  replaceSections(db, id, []);
  removeFromIndex(db, paperIndex, id);
  db.prepare('DELETE FROM paper WHERE id = @id').run({ id });
}
