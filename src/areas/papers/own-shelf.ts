import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { getSystemErrorMap, isDeepStrictEqual } from 'node:util';
import type { SyncReport, VectorTools } from '../../core/area.ts';
import { describeError, invalidRequest } from '../../core/errors.ts';
import { countOf, listPaths } from '../../core/text.ts';
import { isStoreFault } from '../../store/connection.ts';
import type { Parse } from './full-text/parser.ts';
import { lettersOf } from './full-text/sections/front.ts';
import { FAULTS, PARSER_VERSION } from './full-text/sections/sections.ts';
import { findFiles, isPdf } from './own-files.ts';
import { type BibEntry, findEntry, identify, journalDoi, type OwnPaper } from './own-identity.ts';
import { type FileRow, isUnder, listOwnFiles, putFile, putPaper } from './own-store.ts';
import { findPaperByCardId, getPaperById } from './queries.ts';
import { embedPapers, listUnembedded } from './vector-queue.ts';

/** Maximum size of a file, in bytes. */
const MAX_FILE = 60_000_000;
const CHANGED = 'it changed while it was being read: add it again';

/**
 * The result for a file, with its paper if it was read. `matched` means that the shelf already had
 * the paper.
 */
interface Added {
  state: 'added' | 'matched' | 'changed' | 'moved' | 'unchanged' | 'ignored';
  paper?: OwnPaper;
}

/** The report of `quantshelf add`, as `--json` prints it. */
export interface OwnReport extends SyncReport {
  counts: Partial<Record<Added['state'], number>>;
  /** Papers that were read, even in a dry run. */
  papers: ({ path: string } & Omit<OwnPaper, 'abstract' | 'sections'>)[];
  failed: { path: string; why: string }[];
  /** Stored files that no longer exist in the targets; always empty in a dry run. */
  gone: string[];
  /** Number of papers that got vectors. */
  embedded: number;
}

interface OwnRun extends VectorTools {
  parse: Parse;
  /** Absolute paths of files and folders. */
  targets: readonly string[];
  isRecursive: boolean;
  entries: readonly BibEntry[];
  /** Reports what would happen to the files, but stores nothing. */
  isDryRun: boolean;
}

/** Reads the user's files, then computes vectors. If aborted, keeps the files stored so far. */
export async function addOwnFiles(run: OwnRun): Promise<OwnReport> {
  const empty = { counts: {}, papers: [], failed: [], gone: [], embedded: 0 };
  const report: OwnReport = { ...empty, finished: false, error: null };
  await run.attempt(report, () => addFiles(run, report));
  if (!run.isDryRun) {
    await run.attempt(report, () => embedFiles(run, report));
    report.gone = listOwnFiles(run.db)
      .map(({ path }) => path)
      .filter((path) => run.targets.some((target) => isUnder(path, target)) && !existsSync(path))
      .sort();
  }
  report.finished = report.error === null;
  return report;
}

async function addFiles(run: OwnRun, report: OwnReport): Promise<void> {
  const fail = (path: string, error: unknown) => {
    const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
    const why = getSystemErrorMap().get(errno)?.[1] ?? describeError(error);
    report.failed.push({ path, why });
    run.log(`${path}: ${why}.`);
  };
  const files = await findFiles(run.targets, run.isRecursive, run.signal, fail);
  const show = run.startProgress('files');
  let done = 0;
  const ignored: string[] = [];
  for (const [path, pending] of readAhead(run, files)) {
    try {
      const store = await pending;
      const { state, paper } = store();
      report.counts[state] = (report.counts[state] ?? 0) + 1;
      if (state === 'ignored') ignored.push(path);
      if (paper !== undefined) {
        const { abstract: _, sections: __, ...facts } = paper;
        report.papers.push({ path, ...facts });
      }
    } catch (error) {
      run.signal.throwIfAborted();
      if (isStoreFault(error)) throw error;
      fail(path, error);
    }
    done += 1;
    show({ share: done / files.length, text: `${done} of ${files.length}` });
  }
  if (ignored.length === 0) return;
  // A folder of a reference manager may have thousands.
  run.log(`Ignored, since they are not HTML papers from arXiv or ar5iv: ${listPaths(ignored)}.`);
}

/** Reads one file ahead, but yields the files in order: a paper's last file supplies its text. */
function* readAhead(run: OwnRun, files: readonly string[]) {
  let previous: [path: string, Promise<() => Added>] | undefined;
  for (const path of files) {
    const pending = readOwnFile(run, path);
    // Prevent an unhandled rejection before the promise is awaited.
    pending.catch(() => {});
    if (previous !== undefined) yield previous;
    previous = [path, pending];
  }
  if (previous !== undefined) yield previous;
}

/**
 * Reads a file unless the shelf already has it. Returns a function that stores it in one
 * transaction. Rejects with the reason why it cannot be read.
 */
async function readOwnFile(run: OwnRun, path: string): Promise<() => Added> {
  const { db, signal, isDryRun } = run;
  signal.throwIfAborted();
  const [stored] = listOwnFiles(db, { path });
  const before = await look(path);
  const isSeen = stored?.size === before.size && stored.modified === before.modified;
  if (isSeen && isCurrent(run, stored, path)) return () => ({ state: 'unchanged' });
  if (before.size > MAX_FILE) throw invalidRequest('it is larger than 60 MB: split it');
  const bytes = await readFile(path, { signal });
  if (!isDeepStrictEqual(await look(path), before)) throw invalidRequest(CHANGED);
  // Ignore a folder's web pages that are not papers.
  const isMeant = isPdf(path) || run.targets.includes(path) || bytes.includes('ltx_document');
  if (!isMeant) return () => ({ state: 'ignored' });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const row = { ...before, path, sha256, parser: PARSER_VERSION };
  const isText = ({ paperId }: FileRow) =>
    listOwnFiles(db, { paper_id: paperId })[0]?.sha256 === sha256;
  const findSame = () =>
    listOwnFiles(db, { sha256 }).find((one) => one.path === path || isText(one));
  const same = findSame();
  if (same === undefined || !isCurrent(run, same, path)) return readPaper(run, row, bytes, stored);
  if (same.path === path) return () => ({ state: 'unchanged' });
  return () => {
    const current = findSame();
    // An earlier file of this run may have taken the paper off the shelf.
    if (current === undefined) throw invalidRequest(CHANGED);
    const moved = existsSync(current.path) ? undefined : current.path;
    if (!isDryRun) putFile(db, { ...row, paperId: current.paperId }, moved);
    return { state: moved === undefined ? 'matched' : 'moved' };
  };
}

/** Reads the paper in a file's bytes; returns and rejects like `readOwnFile`. */
async function readPaper(
  run: OwnRun,
  row: Omit<FileRow, 'paperId'>,
  bytes: Buffer,
  stored: FileRow | undefined,
): Promise<() => Added> {
  const format = isPdf(row.path) ? 'pdf' : 'html';
  const document = format === 'pdf' ? new Uint8Array(bytes) : bytes.toString('utf8');
  const result = await run.parse(document, run.signal);
  if (!result.ok || result.front === undefined) {
    const reason = result.ok ? 'not a paper' : result.reason;
    // The general message is about scans.
    const isShort = format === 'html' && reason === 'too little text';
    throw invalidRequest(isShort ? 'it has too little text to be a paper' : FAULTS[reason]);
  }
  const { front, sections, cut } = result;
  const entry = findEntry(run.entries, row.path, front);
  const earlier = stored && getPaperById(run.db, stored.paperId);
  const paper = identify(row, { front, sections }, entry, earlier);
  const text = { format, parser: PARSER_VERSION, cut } as const;
  return () => {
    const card = findPaperByCardId(run.db, paper.paperCardId);
    const letters = front.letters + lettersOf([paper.title, ...paper.authors].join(''));
    const isStated = (words: string) => letters.includes(lettersOf(words));
    if (card && card.origin !== 'own' && ![card.title, ...card.authors].some(isStated)) {
      run.log(
        `${row.path}: its arXiv id is that of "${card.title}", but neither title nor authors match: check the id.`,
      );
    }
    const state = run.isDryRun ? 'added' : putPaper(run.db, row, paper, text, run.now());
    return { state: stored === undefined ? state : 'changed', paper };
  };
}

/** Whether the current parser has read a file, and the bibliography adds nothing to its card. */
function isCurrent({ db, entries }: OwnRun, row: FileRow, path: string): boolean {
  if (row.parser !== PARSER_VERSION) return false;
  const card = entries.length === 0 ? undefined : getPaperById(db, row.paperId);
  // Ignore the entry of a file that does not supply the text: rereading it would replace the text.
  if (card?.origin !== 'own' || card.pdfUrl !== pathToFileURL(row.path).href) return true;
  const { title, authors, doi } = card;
  const entry = findEntry(entries, path, { title, letters: lettersOf(title) });
  if (entry === undefined) return true;
  const isMore = entry.authors.length > 0 && entry.authors.join() !== authors.join();
  return !isMore && entry.title === title && (doi !== null || journalDoi(entry.doi) === null);
}

async function look(path: string): Promise<Pick<FileRow, 'size' | 'modified'>> {
  const { size, mtimeMs } = await stat(path);
  return { size, modified: Math.round(mtimeMs) };
}

/** Computes missing vectors; until then, papers are found only by their words. */
async function embedFiles({ db, signal, ...run }: OwnRun, report: OwnReport): Promise<void> {
  const ids = listUnembedded(db);
  if (ids.length === 0) return;
  const { embed, close } = await run.loadModel();
  const show = run.startProgress('vectors');
  const onPaper = (done: number) => {
    report.embedded = done;
    show({ share: done / ids.length, text: `${done} of ${countOf(ids.length, 'paper')}` });
  };
  await embedPapers(db, ids, embed, signal, onPaper).finally(close);
}
