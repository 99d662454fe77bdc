import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { MAX_TITLE } from './section-keys.ts';
import type { Reading } from './sections.ts';

/** A document as it was fetched. */
export type Document = { kind: 'html'; html: string } | { kind: 'pdf'; bytes: Uint8Array };

/** Turns a document into sections without blocking the calling thread. */
export type Parse = (document: Document, signal: AbortSignal) => Promise<Reading>;

/** A document that takes longer, or needs more memory, is given up. */
const LONGEST_MS = 60_000;
const MAX_HEAP_MB = 512;
/**
 * V8 bounds its own heap alone. What a PDF unpacks lies outside of it, so while a thread runs the
 * whole process is watched: its resident memory may grow by so much.
 */
const MAX_GROWTH_BYTES = 700 * 1024 * 1024;
const WATCH_EVERY_MS = 50;

/** Parts of a paper, and UTF-16 units of one of them. */
const MAX_SECTIONS = 500;
const MAX_SECTION = 4_000_000;

const readingSchema: z.ZodType<Reading> = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    // What is longer is no paper that anybody reads, and would swell every card and reply.
    sections: z
      .array(
        z.object({
          key: z.string().max(100),
          type: z.enum([
            'abstract',
            'introduction',
            'related_work',
            'background',
            'data',
            'methods',
            'results',
            'discussion',
            'conclusion',
            'acknowledgements',
            'appendix',
            'references',
            'note',
            'other',
          ]),
          title: z.string().max(MAX_TITLE),
          content: z.string().max(MAX_SECTION),
        }),
      )
      .max(MAX_SECTIONS),
    license: z.string().nullable(),
  }),
  z.object({
    ok: z.literal(false),
    reason: z.enum(['failed conversion', 'too little text', 'not a paper']),
  }),
]);

/**
 * A parser that runs the program at `workerUrl` in a thread of its own for each document: whatever
 * a hostile page does to it, the process and the calls in flight go on. What breaks the thread, or
 * lets the memory of the process grow by more than `maxGrowthBytes`, counts as a failed conversion;
 * only an abort rejects.
 */
export function createParser(workerUrl: URL, maxGrowthBytes = MAX_GROWTH_BYTES): Parse {
  return (document, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const worker = new Worker(workerUrl, {
        workerData: document,
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
        // What a library prints must not reach stdout, which carries the protocol.
        stdout: true,
        stderr: true,
        env: {},
      });
      const failed: Reading = { ok: false, reason: 'failed conversion' };
      let settled = false;
      // The first event decides; ending the thread brings another one.
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
        const reading = readingSchema.safeParse(message);
        finish(() => resolve(reading.success ? reading.data : failed));
      });
      worker.once('error', () => finish(() => resolve(failed)));
      worker.once('exit', () => finish(() => resolve(failed)));
    });
}
