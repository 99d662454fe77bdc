import type { Embed, SyncReport, SyncTools } from '../../core/area.ts';
import { describeError } from '../../core/errors.ts';
import { isStoreFault } from '../../store/connection.ts';
import type { Parse } from './full-text/parser.ts';
import type { BibEntry } from './own-bibliography.ts';
import { findFiles } from './own-files.ts';
import { type Added, addFile, listGoneFiles, listOwnFiles } from './own-store.ts';
import { digestPending, embedText, listUnembedded } from './vector-queue.ts';

/** What `quantshelf add` did, as `--json` prints it. */
export interface OwnReport extends SyncReport {
  counts: Partial<Record<Added['state'], number>>;
  /** Those that were read this time, or would be. */
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
  isDryRun: boolean;
}

/**
 * Reads the user's files into the shelf one by one, then makes their vectors. What is stored stays when it
 * is stopped; it rejects with the signal's reason only where nothing was begun, or when the store fails.
 */
export async function addOwnFiles(run: OwnRun): Promise<OwnReport> {
  const { db, signal, log } = run;
  const report: OwnReport = {
    ...{ counts: {}, papers: [], failed: [], gone: [], embedded: 0, finished: false, error: null },
  };
  const fail = (path: string, why: string) => {
    report.failed.push({ path, why });
    log(`${path}: ${why}.`);
  };
  const { files, faults } = await findFiles(run.targets, run.isRecursive, signal);
  const isStored = (path: string) => listOwnFiles(db, path).length > 0;
  for (const { path, why } of faults) if (!isStored(path)) fail(path, why);
  const show = run.startProgress('files');
  for (const [at, file] of files.entries()) {
    if (signal.aborted) break;
    const added = await addFile(run, file).catch((error: unknown): Added | null => {
      if (signal.aborted) return null;
      if (isStoreFault(error)) throw error;
      return { state: 'failed', why: describeError(error) };
    });
    if (added === null) break;
    report.counts[added.state] = (report.counts[added.state] ?? 0) + 1;
    if (added.state === 'failed') fail(file.path, added.why);
    if ('paper' in added) {
      const { cardId, sourceId, title, authors, published } = added.paper;
      const card = { paperCardId: cardId, sourcePaperId: sourceId, title, authors };
      report.papers.push({ path: file.path, ...card, published: published || null });
    }
    show({ share: (at + 1) / files.length, text: `${at + 1} of ${files.length}` });
  }
  report.gone = run.targets.flatMap((target) => listGoneFiles(db, target));
  if (!run.isDryRun && !signal.aborted) await embedOwn(run, report);
  if (signal.aborted && report.error === null) report.error = String(signal.reason?.message);
  report.finished = report.error === null;
  return report;
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
    for (const [at, id] of ids.entries()) {
      await digestPending(db, model.embed, { id, signal });
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
