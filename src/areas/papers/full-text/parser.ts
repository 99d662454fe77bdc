import { Worker } from 'node:worker_threads';
import { type ParseResult, parseResult } from './sections/sections.ts';

/** A document as fetched: HTML, or the bytes of a PDF. */
export type Document = string | Uint8Array;

/** Parses a document into sections without blocking the calling thread. */
export type Parse = (document: Document, signal: AbortSignal) => Promise<ParseResult>;

/** Limits per document: time, and the heap of its thread. */
const LONGEST_MS = 60_000;
const MAX_HEAP_MB = 512;
/**
 * How far the resident memory of the process may grow while a thread runs: V8 limits only its own
 * heap, and a PDF's decompressed data lies outside it.
 */
const MAX_GROWTH_BYTES = 700 * 1024 * 1024;
const WATCH_EVERY_MS = 50;

/**
 * A parser that runs the script at `workerUrl` in a new worker thread per document, so that a
 * hostile one cannot take down the process. A crash, a timeout, or memory growth beyond
 * `maxGrowthBytes` counts as a failed conversion; only an abort rejects.
 */
export function createParser(workerUrl: URL, maxGrowthBytes = MAX_GROWTH_BYTES): Parse {
  return (document, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const worker = new Worker(workerUrl, {
        workerData: document,
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
        // Keep what a library prints off stdout, which carries the protocol.
        stdout: true,
        stderr: true,
        env: {},
      });
      const failed: ParseResult = { ok: false, reason: 'failed conversion' };
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
      const most = process.memoryUsage.rss() + maxGrowthBytes;
      const watch = setInterval(() => {
        if (process.memoryUsage.rss() > most) finish(() => resolve(failed));
      }, WATCH_EVERY_MS);
      const timer = setTimeout(() => finish(() => resolve(failed)), LONGEST_MS);
      signal.addEventListener('abort', abort, { once: true });
      worker.once('message', (message: unknown) => {
        const result = parseResult.safeParse(message);
        finish(() => resolve(result.success ? result.data : failed));
      });
      worker.once('error', () => finish(() => resolve(failed)));
      worker.once('exit', () => finish(() => resolve(failed)));
    });
}
