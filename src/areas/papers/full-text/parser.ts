import { Worker } from 'node:worker_threads';
import { type ParseResult, parseResult } from './sections/sections.ts';

/** A document as fetched: HTML, or the bytes of a PDF. */
export type Document = string | Uint8Array;

/** Input of a thread; `lastPage` limits a PDF to its first pages. */
export interface Task {
  document: Document;
  lastPage?: number | undefined;
  /** A file of the user's own, of which one also wants to know what it says of itself. */
  isOwn?: boolean;
}

/** Parses a document into sections without blocking the calling thread. */
export type Parse = (document: Document, signal: AbortSignal) => Promise<ParseResult>;

/** Limits per document: time in all its threads, and the heap of each. */
const LONGEST_MS = 40_000;
const MAX_HEAP_MB = 512;
/**
 * How far the resident memory of the process may grow while a thread runs: V8 limits only its own
 * heap, and a PDF's decompressed data lies outside it.
 */
const MAX_GROWTH_BYTES = 700 * 1024 * 1024;
const WATCH_EVERY_MS = 50;
const FAILED: ParseResult = { ok: false, reason: 'failed conversion' };

/**
 * A parser that runs the script at `workerUrl` in a new worker thread per document, so that a
 * hostile one cannot take down the process. A crash, a timeout, or memory growth beyond
 * `maxGrowthBytes` ends the thread. If it had read pages of a PDF, another thread reads those in the
 * other half of the time; otherwise the conversion has failed. Only an abort rejects.
 */
export function createParser(
  workerUrl: URL,
  { maxGrowthBytes = MAX_GROWTH_BYTES, longestMs = LONGEST_MS, isOwn = false } = {},
): Parse {
  const run = (task: Task, signal: AbortSignal): Promise<ParseResult> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const worker = new Worker(workerUrl, {
        workerData: task,
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
        // Keep what a library prints off stdout, which carries the protocol.
        stdout: true,
        stderr: true,
        env: {},
      });
      let pagesRead = 0;
      let settled = false;
      // The first event wins; terminating the thread emits another.
      const finish = (settle: () => void) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        clearInterval(watch);
        signal.removeEventListener('abort', abort);
        worker.terminate().then(settle, settle);
      };
      const abort = () => finish(() => reject(signal.reason));
      const fail = () =>
        finish(() => {
          const isFirst = task.lastPage === undefined && pagesRead > 0;
          resolve(isFirst ? run({ ...task, lastPage: pagesRead }, signal) : FAILED);
        });
      const most = process.memoryUsage.rss() + maxGrowthBytes;
      const watch = setInterval(() => {
        if (process.memoryUsage.rss() > most) fail();
      }, WATCH_EVERY_MS);
      const isPdf = typeof task.document !== 'string';
      const timer = setTimeout(fail, isPdf ? longestMs / 2 : longestMs);
      signal.addEventListener('abort', abort, { once: true });
      worker.on('message', (message: unknown) => {
        if (typeof message === 'number') {
          pagesRead = message;
          return;
        }
        const result = parseResult.safeParse(message);
        finish(() => resolve(result.success ? result.data : FAILED));
      });
      worker.once('error', fail);
      worker.once('exit', fail);
    });
  return (document, signal) => run({ document, isOwn }, signal);
}
