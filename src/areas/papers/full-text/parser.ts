import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ParseResult } from './sections/sections.ts';

/** An unparsed document: HTML, or the bytes of a PDF. */
export type Document = string | Uint8Array;

/** Input of a thread that parses a document. */
export interface Task {
  /** Null to lay out the parts of a PDF that another thread has read. */
  document: Document | null;
  /** Queues each part of a PDF once read, for a second thread if the first one fails. */
  parts: MessagePort;
  /** Whether the document is one of the user's own files, whose title and authors are also read. */
  isOwn: boolean;
}

/** Input of a thread that parses a bibliography. */
export interface BibliographyTask {
  /** In BibTeX. */
  bibliography: string;
}

/** Parses a document into sections without blocking the calling thread. */
export type Parse = (document: Document, signal: AbortSignal) => Promise<ParseResult>;

/** Time limits for parsing a document, and for laying out the pages that a failed thread had read. */
const LONGEST_MS = 35_000;
const LAYOUT_MS = 5_000;
/**
 * A thread's heap limit. The growth limit is far below it and must end a thread first: on Node 20,
 * a thread that exceeds its heap limit takes the process down.
 */
const MAX_HEAP_MB = 2_048;
/**
 * Limit on the growth of the process's resident memory while a thread runs: V8 limits only its own
 * heap, and a PDF's decompressed data is outside it.
 */
const MAX_GROWTH_BYTES = 700 * 1024 * 1024;
const WATCH_EVERY_MS = 50;
const FAILED: ParseResult = { ok: false, reason: 'failed conversion' };

/**
 * A parser that runs the script at `workerUrl` in a new worker thread per document, so that a
 * hostile document cannot take down the process. After a crash, a timeout, or memory growth beyond
 * `maxGrowthBytes`, another thread lays out the PDF pages already read. Rejects only on abort.
 */
export function createParser(
  workerUrl: URL,
  { maxGrowthBytes = MAX_GROWTH_BYTES, longestMs = LONGEST_MS, isOwn = false } = {},
): Parse {
  const run = (task: Task, ms: number, signal: AbortSignal) =>
    runInThread<ParseResult>(workerUrl, task, { longestMs: ms, maxGrowthBytes }, signal);
  return async (document, signal) => {
    // The parts queue in `port2`, which this thread does not read.
    const { port1, port2 } = new MessageChannel();
    const whole = await run({ document, parts: port1, isOwn }, longestMs, signal);
    if (whole !== null || typeof document === 'string') {
      port2.close();
      return whole ?? FAILED;
    }
    return (await run({ document: null, parts: port2, isOwn }, LAYOUT_MS, signal)) ?? FAILED;
  };
}

/**
 * Runs the script at `workerUrl` on `task` in a thread of its own, within limits. Resolves to null
 * if the thread ends without a result; rejects only on abort.
 */
export function runInThread<Result>(
  workerUrl: URL,
  task: Task | BibliographyTask,
  { longestMs, maxGrowthBytes = MAX_GROWTH_BYTES }: { longestMs: number; maxGrowthBytes?: number },
  signal: AbortSignal,
): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(workerUrl, {
      workerData: task,
      transferList: 'parts' in task ? [task.parts] : [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      // Keep library output off stdout, which carries the protocol.
      stdout: true,
      stderr: true,
      env: {},
    });
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
    const fail = () => finish(() => resolve(null));
    const most = process.memoryUsage.rss() + maxGrowthBytes;
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() > most) fail();
    }, WATCH_EVERY_MS);
    const timer = setTimeout(fail, longestMs);
    signal.addEventListener('abort', abort, { once: true });
    worker.once('message', (result: Result) => finish(() => resolve(result)));
    worker.once('error', fail);
    worker.once('exit', fail);
  });
}
