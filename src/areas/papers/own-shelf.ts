import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Embed, SyncReport, SyncTools } from '../../core/area.ts';
import { describeError } from '../../core/errors.ts';
import { isStoreFault } from '../../store/connection.ts';
import type { Parse } from './full-text/parser.ts';
import { lettersOf } from './full-text/sections/front.ts';
import { PARSER_VERSION, type ParseResult } from './full-text/sections/sections.ts';
import { type BibEntry, findEntry } from './own-bibliography.ts';
import { describeFileFault, findFiles, isPdf, MAX_FILE } from './own-files.ts';
import { doiOf, identify, type OwnPaper } from './own-identity.ts';
import { type FileRow, listFilesBy, listGoneFiles, putFile, putPaper } from './own-store.ts';
import { getPaperById } from './queries.ts';
import { digestPending, embedText, listUnembedded } from './vector-queue.ts';

/** The outcome for a file. */
type Added =
  | { state: 'added' | 'changed' | 'joined' | 'copy'; paper?: OwnPaper }
  | { state: 'unchanged' | 'moved' | 'ignored' }
  | { state: 'failed'; why: string };

/** The report of `quantshelf add`, as `--json` prints it. */
export interface OwnReport extends SyncReport {
  counts: Partial<Record<Added['state'], number>>;
  /** Papers that were read this time, or would be. */
  papers: {
    path: string;
    paperCardId: string;
    sourcePaperId: string;
    title: string;
    authors: string[];
    published: string | null;
  }[];
  failed: { path: string; why: string }[];
  /** Files of these folders that are on the shelf and no longer there. */
  gone: string[];
  /** Papers that got vectors. */
  embedded: number;
}

interface OwnRun extends Omit<SyncTools, 'attempt'> {
  parse: Parse;
  /** Absolute paths of files and folders. */
  targets: readonly string[];
  isRecursive: boolean;
  entries: readonly BibEntry[];
  /** A dry run: reports what would become of the files, and stores nothing. */
  isDryRun: boolean;
}

/**
 * Reads the user's files into the shelf one by one, then makes their vectors. What is stored stays when it
 * is stopped; it rejects with the signal's reason only where nothing was begun, or when the store fails.
 */
export async function addOwnFiles(run: OwnRun): Promise<OwnReport> {
  const { db, signal, log } = run;
  const report: OwnReport = {
    counts: {},
    papers: [],
    failed: [],
    gone: [],
    embedded: 0,
    finished: false,
    error: null,
  };
  const fail = (path: string, why: string) => {
    report.failed.push({ path, why });
    log(`${path}: ${why}.`);
  };
  const { files, faults } = await findFiles(run.targets, run.isRecursive, signal);
  // A missing file that is on the shelf is reported as gone instead.
  const isStored = ({ path }: { path: string }) => listFilesBy(db, 'path', path).length > 0;
  for (const fault of faults) if (!isStored(fault)) fail(fault.path, fault.why);
  const show = run.startProgress('files');
  for (const [at, path] of files.entries()) {
    const added = await addFile(run, path).catch((error: unknown): Added | null => {
      if (signal.aborted) return null;
      if (isStoreFault(error)) throw error;
      return { state: 'failed', why: describeError(error) };
    });
    if (added === null) break;
    report.counts[added.state] = (report.counts[added.state] ?? 0) + 1;
    if (added.state === 'failed') fail(path, added.why);
    if ('paper' in added && added.paper !== undefined) {
      const { cardId, sourceId, title, authors, published } = added.paper;
      const card = { paperCardId: cardId, sourcePaperId: sourceId, title, authors };
      report.papers.push({ path, ...card, published: published || null });
    }
    show({ share: (at + 1) / files.length, text: `${at + 1} of ${files.length}` });
  }
  report.gone = run.targets.flatMap((target) => listGoneFiles(db, target));
  if (!run.isDryRun && !signal.aborted) await embedOwn(run, report);
  if (signal.aborted && report.error === null) report.error = String(signal.reason?.message);
  report.finished = report.error === null;
  return report;
}

const FAULTS: Readonly<Record<Extract<ParseResult, { ok: false }>['reason'], string>> = {
  encrypted: 'it is encrypted: save a copy without a password',
  'too little text': 'it has too little text: a scan needs OCR first',
  'too many pages': 'it has more than 1,500 pages',
  'not a paper': 'it is damaged, or not a PDF',
  'failed conversion': 'reading it took too long or too much memory',
};

/** Reads a file into the shelf, unless that has been done; all of it or nothing. */
async function addFile(run: OwnRun, path: string): Promise<Added> {
  const { db, signal, isDryRun } = run;
  signal.throwIfAborted();
  const [stored] = listFilesBy(db, 'path', path);
  const isCurrent = (row: FileRow) => row.parser === PARSER_VERSION && !isOutdated(run, row, path);
  let bytes: Buffer;
  let found: Awaited<ReturnType<typeof look>>;
  try {
    found = await look(path);
    const isSeen = stored?.size === found.size && stored.modified === found.modified;
    if (isSeen && isCurrent(stored)) {
      const { fault } = stored;
      return fault === null ? { state: 'unchanged' } : { state: 'failed', why: fault };
    }
    if (found.size > MAX_FILE) return { state: 'failed', why: 'it is larger than 60 MB' };
    bytes = await readFile(path, { signal });
    const { size, modified } = await look(path);
    if (size !== found.size || modified !== found.modified) {
      return { state: 'failed', why: 'it changed while it was read: add it again' };
    }
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'failed', why: describeFileFault(error) };
  }
  // A folder may hold pages of any kind.
  const isMeant = isPdf(path) || run.targets.includes(path) || bytes.includes('ltx_document');
  if (!isMeant) return { state: 'ignored' };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const row = { ...found, path, sha256, parser: PARSER_VERSION, paperId: null, fault: null };
  const same = listFilesBy(db, 'sha256', sha256).find((one) => one.paperId !== null);
  if (same !== undefined && isCurrent(same)) {
    const isMoved = same.path !== path && !existsSync(same.path);
    const moved = isMoved ? same.path : path;
    if (!isDryRun) putFile(db, { ...row, paperId: same.paperId }, moved);
    const isKnown = same.path === path || stored?.sha256 === sha256;
    return { state: isKnown ? 'unchanged' : isMoved ? 'moved' : 'copy' };
  }
  return readInto(run, row, bytes, stored);
}

/** Reads the bytes of a file, and stores its paper, or why it cannot be read. */
async function readInto(
  { db, now, parse, entries, isDryRun, signal }: OwnRun,
  row: FileRow,
  bytes: Buffer,
  stored: FileRow | undefined,
): Promise<Added> {
  const { path, sha256 } = row;
  const isPage = !isPdf(path);
  const result = await parse(isPage ? bytes.toString('utf8') : new Uint8Array(bytes), signal);
  if (!result.ok || result.front === undefined) {
    const reason = result.ok ? 'not a paper' : result.reason;
    const isOther = isPage && reason === 'not a paper';
    const fault = isOther ? 'it is not a paper page from arXiv or ar5iv' : FAULTS[reason];
    // A paper that could be read before stays, as it was.
    if (stored?.paperId != null) {
      return { state: 'failed', why: `${fault}; what was read before stays` };
    }
    if (!isDryRun) putFile(db, { ...row, fault });
    return { state: 'failed', why: fault };
  }
  const { front, sections, cut } = result;
  const paper = identify(path, sha256, { front, sections }, findEntry(entries, path, front));
  const text = { source: isPage ? 'html' : 'pdf', parser: PARSER_VERSION, cut } as const;
  const state = isDryRun ? 'added' : putPaper(db, row, paper, text, now());
  return { state: stored === undefined || state === 'copy' ? state : 'changed', paper };
}

/**
 * Whether the bibliography says more of the paper than the card. A file, which may have another `path` now,
 * is read again for it only where it is the text of the paper.
 */
function isOutdated({ db, entries }: OwnRun, row: FileRow, path: string): boolean {
  const { paperId } = row;
  const card = paperId === null || entries.length === 0 ? undefined : getPaperById(db, paperId);
  if (card?.origin !== 'own') return false;
  const [text] = listFilesBy(db, 'paper_id', card.id);
  if (text?.path !== row.path) return false;
  const { title, authors, doi } = card;
  const entry = findEntry(entries, path, { title, letters: lettersOf(title) });
  if (entry === undefined) return false;
  const isMore = entry.authors.length > 0 && entry.authors.join() !== authors.join();
  return isMore || entry.title !== title || (doi === null && doiOf(entry) !== null);
}

async function look(path: string): Promise<Pick<FileRow, 'size' | 'modified'>> {
  const { size, mtimeMs } = await stat(path);
  return { size, modified: Math.round(mtimeMs) };
}

/** Makes the vectors that are missing; without the model the shelf finds the papers by their words. */
async function embedOwn(run: OwnRun, report: OwnReport): Promise<void> {
  const { db, signal } = run;
  const ids = listUnembedded(db);
  if (ids.length === 0) return;
  let model: { embed: Embed; close(): Promise<void> } | undefined;
  try {
    model = await run.loadModel();
    const show = run.startProgress('vectors');
    await digestPending(db, model.embed, { ids, signal });
    for (const [at, id] of ids.entries()) {
      await embedText(db, id, model.embed, signal);
      report.embedded = at + 1;
      show({ share: (at + 1) / ids.length, text: `${at + 1} of ${ids.length} papers` });
    }
  } catch (error) {
    if (isStoreFault(error)) throw error;
    if (!signal.aborted) report.error = error instanceof Error ? error.message : String(error);
  } finally {
    await model?.close();
  }
}
