import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { removeFromIndex } from '../../search/profile.ts';
import { write } from '../../store/connection.ts';
import { digestOf } from './digest.ts';
import type { Parse } from './full-text/parser.ts';
import { lettersOf } from './full-text/sections/front.ts';
import { PARSER_VERSION, type ParseResult } from './full-text/sections/sections.ts';
import { indexCard, movePaper } from './ingest.ts';
import { type BibEntry, findEntry } from './own-bibliography.ts';
import { describeFileFault, type FoundFile, isPdf, MAX_FILE } from './own-files.ts';
import { nextOwnId } from './own-hidden.ts';
import { identify, isSamePaper, type OwnPaper } from './own-identity.ts';
import { findPaperByCardId, findPaperByDoi, findPaperByTitle, getPaperById } from './queries.ts';
import { abstractSection, replaceSections, replaceText } from './stored-text.ts';
import { paperIndex } from './tables.ts';

/** What became of a file. */
export type Added =
  | { state: 'added' | 'changed' | 'joined' | 'duplicate'; paper: OwnPaper }
  | { state: 'unchanged' | 'moved' | 'copy' | 'ignored' }
  | { state: 'failed'; why: string };

export interface OwnTools {
  /** Writable. */
  db: Database;
  now: () => Date;
  parse: Parse;
  entries: readonly BibEntry[];
  /** Says what would become of the files, and stores nothing. */
  isDryRun: boolean;
  signal: AbortSignal;
}

const FAULTS: Readonly<Record<Extract<ParseResult, { ok: false }>['reason'], string>> = {
  encrypted: 'it is encrypted: save a copy without a password',
  'too little text': 'it has too little text: a scan needs OCR first',
  'too many pages': 'it has more than 1,500 pages',
  'not a paper': 'it is damaged, or no PDF',
  'failed conversion': 'reading it took too long or too much memory',
};

interface FileRow {
  path: string;
  size: number;
  modified: number;
  sha256: string;
  parser: number;
  paperId: number | null;
  fault: string | null;
}

const SELECT_FILE =
  'SELECT path, size, modified, sha256, parser, paper_id AS paperId, fault FROM own_file';

/** The user's files that were read, by path; all of them, or one and what lies under it. */
export function listOwnFiles(db: Database, target?: string): FileRow[] {
  const within = target === undefined ? null : target.endsWith(sep) ? target : target + sep;
  return db
    .prepare<object, FileRow>(`
      ${SELECT_FILE}
      WHERE @target IS NULL OR path = @target OR substr(path, 1, length(@within)) = @within
      ORDER BY path`)
    .all({ target: target ?? null, within });
}

/** Those of them that are no longer where they were. */
export function listGoneFiles(db: Database, target?: string): string[] {
  return listOwnFiles(db, target)
    .map(({ path }) => path)
    .filter((path) => !existsSync(path));
}

/** Reads a file into the shelf, unless that has been done; all of it or nothing. */
export async function addFile(tools: OwnTools, { path, isNamed }: FoundFile): Promise<Added> {
  const { db, parse, entries, isDryRun, signal } = tools;
  const [stored] = listFilesBy(db, 'path', path);
  let bytes: Buffer;
  let file: Pick<FileRow, 'path' | 'size' | 'modified'>;
  try {
    file = await look(path);
    const isSeen = stored?.size === file.size && stored.modified === file.modified;
    if (isSeen && stored?.parser === PARSER_VERSION && !isOutdated(tools, stored)) {
      return stored.fault === null
        ? { state: 'unchanged' }
        : { state: 'failed', why: stored.fault };
    }
    if (file.size > MAX_FILE) return { state: 'failed', why: 'it is larger than 60 MB' };
    bytes = await readFile(path, { signal });
    const after = await look(path);
    if (after.size !== file.size || after.modified !== file.modified) {
      return { state: 'failed', why: 'it changed while it was read: add it again' };
    }
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'failed', why: describeFileFault(error) };
  }
  if (!isPdf(path) && !isNamed && !bytes.includes('ltx_document')) return { state: 'ignored' };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const row = { ...file, sha256, parser: PARSER_VERSION, paperId: null, fault: null };
  const same = listFilesBy(db, 'sha256', sha256).find(
    (one) => one.paperId !== null && one.parser === PARSER_VERSION,
  );
  if (same !== undefined && !isOutdated(tools, { ...same, path })) {
    const isThere = same.path === path || (await look(same.path).then(Boolean, () => false));
    if (!isDryRun)
      write(db, () => linkFile(db, { ...row, paperId: same.paperId }, isThere ? null : same));
    const isUnchanged = same.path === path || stored?.sha256 === sha256;
    return { state: isUnchanged ? 'unchanged' : isThere ? 'copy' : 'moved' };
  }
  const result = await parse(isPdf(path) ? new Uint8Array(bytes) : bytes.toString('utf8'), signal);
  if (!result.ok || result.front === undefined) {
    const why = result.ok ? FAULTS['not a paper'] : FAULTS[result.reason];
    const isPage = !isPdf(path) && !result.ok && result.reason === 'not a paper';
    const fault = isPage ? 'it is no page of a paper at arXiv or ar5iv' : why;
    // A paper that could be read before stays, as it was.
    const isLost = stored?.paperId != null;
    if (!isDryRun && !isLost) write(db, () => replaceFile(db, { ...row, fault }));
    return { state: 'failed', why: isLost ? `${fault}; what was read before stays` : fault };
  }
  const { front, sections } = result;
  const paper = identify(path, sha256, { front, sections }, findEntry(entries, path, front));
  const text = { isPdf: isPdf(path), cut: result.cut };
  return isDryRun
    ? { state: stored === undefined ? 'added' : 'changed', paper }
    : write(db, () => storePaper(tools, row, paper, text));
}

/** Whether the bibliography says more of a file's paper than its card. */
function isOutdated(
  { db, entries }: OwnTools,
  { path, paperId }: Pick<FileRow, 'path' | 'paperId'>,
) {
  const card = paperId === null || entries.length === 0 ? undefined : getPaperById(db, paperId);
  if (card?.origin !== 'own') return false;
  const letters = lettersOf(card.title);
  const entry = findEntry(entries, path, { title: card.title, letters });
  if (entry === undefined) return false;
  const isMore = entry.authors.length > 0 && entry.authors.join() !== card.authors.join();
  return isMore || entry.title !== card.title || (entry.doi !== null && entry.doi !== card.doi);
}

async function look(path: string) {
  const { size, mtimeMs } = await stat(path);
  return { path, size, modified: Math.round(mtimeMs) };
}

function listFilesBy(db: Database, column: 'path' | 'sha256' | 'paper_id', value: string | number) {
  return db.prepare<object, FileRow>(`${SELECT_FILE} WHERE ${column} = @value`).all({ value });
}

/** Stores a paper with its file, inside a transaction. */
function storePaper(
  { db, now }: OwnTools,
  row: FileRow,
  paper: OwnPaper,
  {
    isPdf: fromPdf,
    cut,
  }: { isPdf: boolean; cut?: { lastPage: number; pages: number } | undefined },
): Added {
  const isKnown = listFilesBy(db, 'path', row.path).length > 0;
  const card = findCard(db, paper);
  const others = card === undefined ? [] : listFilesBy(db, 'paper_id', card.id);
  // Of two files of a paper the first one stays its text.
  const isDuplicate = others.some(({ path, fault }) => path !== row.path && fault === null);
  const isShared = card !== undefined && card.origin !== 'own';
  const id =
    card !== undefined && (isDuplicate || isShared) ? card.id : writeOwn(db, row, paper, now());
  replaceFile(db, { ...row, paperId: id });
  if (!isDuplicate) {
    const [, ...others] = paper.sections;
    const sections = isShared ? [abstractSection(card.abstract), ...others] : paper.sections;
    const source = fromPdf ? 'pdf' : 'html';
    replaceText(db, id, { source, version: null, parser: PARSER_VERSION, sections, cut }, now());
  }
  const state = isDuplicate ? 'duplicate' : isKnown ? 'changed' : isShared ? 'joined' : 'added';
  return { state, paper };
}

/** The card of the same paper; a withdrawn one becomes the user's own. */
function findCard(db: Database, paper: OwnPaper) {
  const titled = findPaperByTitle(db, paper.title);
  const isShared = titled !== undefined && titled.origin !== 'own' && isSamePaper(titled, paper);
  const card =
    findPaperByCardId(db, paper.cardId) ??
    (paper.doi === null ? undefined : findPaperByDoi(db, paper.doi)) ??
    (isShared ? titled : undefined);
  if (card?.withdrawn !== 1) return card;
  const id = nextOwnId(db);
  movePaper(db, card.id, id);
  db.prepare("UPDATE paper SET origin = 'own', withdrawn = 0 WHERE id = @id").run({ id });
  return getPaperById(db, id);
}

/** Inserts or replaces a card of the user's own, and indexes it; its vectors come later. */
function writeOwn(db: Database, { path }: FileRow, paper: OwnPaper, at: Date): number {
  const id = findPaperByCardId(db, paper.cardId)?.id ?? nextOwnId(db);
  const { summary, tags } = digestOf(paper, null);
  db.prepare(`
    INSERT INTO paper (
      id, card_id, source_id, title, authors, abstract, summary, tags, categories, published, doi,
      journal_ref, pdf_url, origin, as_of, added
    ) VALUES (
      @id, @cardId, @sourceId, @title, @authors, @abstract, @summary, @tags, @categories, @published, @doi,
      @journalRef, @pdfUrl, 'own', @at, @at
    )
    ON CONFLICT (id) DO UPDATE SET
      title = @title, authors = @authors, abstract = @abstract, summary = @summary, tags = @tags,
      categories = @categories, published = @published, doi = @doi, journal_ref = @journalRef,
      pdf_url = @pdfUrl, as_of = @at, digested = 0`).run({
    ...{ id, summary, at: at.toISOString(), pdfUrl: pathToFileURL(path).href },
    ...{ cardId: paper.cardId, sourceId: paper.sourceId, title: paper.title, doi: paper.doi },
    ...{ abstract: paper.abstract, published: paper.published, journalRef: paper.journalRef },
    authors: JSON.stringify(paper.authors),
    categories: JSON.stringify(paper.categories),
    tags: JSON.stringify(tags),
  });
  indexCard(db, id, { ...paper, tags });
  return id;
}

/** Notes a file, inside a transaction; a paper that loses its last file by that goes. */
function replaceFile(db: Database, row: FileRow): void {
  const before = listFilesBy(db, 'path', row.path);
  db.prepare(`
    INSERT OR REPLACE INTO own_file (path, size, modified, sha256, parser, paper_id, fault)
    VALUES (@path, @size, @modified, @sha256, @parser, @paperId, @fault)`).run(row);
  for (const { paperId } of before) dropOrphan(db, paperId);
}

/** Links another file to the paper of one with the same content, in whose place it may stand. */
function linkFile(db: Database, row: FileRow, moved: FileRow | null): void {
  replaceFile(db, row);
  if (moved === null) return;
  db.prepare('DELETE FROM own_file WHERE path = @path').run({ path: moved.path });
  db.prepare("UPDATE paper SET pdf_url = @pdfUrl WHERE id = @id AND origin = 'own'").run({
    ...{ id: row.paperId, pdfUrl: pathToFileURL(row.path).href },
  });
}

/** Takes files out of the shelf, with the papers that have no other. Returns how many papers went. */
export function removeFiles(db: Database, paths: readonly string[]): number {
  return write(db, () => {
    let papers = 0;
    for (const path of paths) {
      const [row] = listFilesBy(db, 'path', path);
      db.prepare('DELETE FROM own_file WHERE path = @path').run({ path });
      if (dropOrphan(db, row?.paperId ?? null)) papers += 1;
    }
    return papers;
  });
}

/** The paths of the files of a paper, by its id. */
export function listFilesOf(db: Database, cardId: string): string[] {
  const paper = findPaperByCardId(db, cardId);
  return paper === undefined ? [] : listFilesBy(db, 'paper_id', paper.id).map(({ path }) => path);
}

/** Removes an own paper that has no file any more; a card of arXiv loses its text alone. */
function dropOrphan(db: Database, id: number | null): boolean {
  const paper = id === null ? undefined : getPaperById(db, id);
  if (paper === undefined) return false;
  const [other] = listFilesBy(db, 'paper_id', paper.id);
  if (other !== undefined) {
    db.prepare("UPDATE paper SET pdf_url = @url WHERE id = @id AND origin = 'own'").run({
      ...{ id: paper.id, url: pathToFileURL(other.path).href },
    });
    return false;
  }
  replaceSections(db, paper.id, paper.origin === 'own' ? [] : [abstractSection(paper.abstract)]);
  db.prepare('DELETE FROM paper_text WHERE paper_id = @id').run({ id: paper.id });
  if (paper.origin !== 'own') return true;
  removeFromIndex(db, paperIndex, paper.id);
  db.prepare('DELETE FROM paper WHERE id = @id').run({ id: paper.id });
  return true;
}
