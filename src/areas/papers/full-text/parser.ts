import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import type { Reading } from './sections.ts';

/** A document as it was fetched. */
export type Document = { kind: 'html'; html: string } | { kind: 'pdf'; bytes: Uint8Array };

/** Turns a document into sections without blocking the calling thread. */
export type Parse = (document: Document, signal: AbortSignal) => Promise<Reading>;

/** A document that takes longer, or needs more memory, is given up. */
const LONGEST_MS = 60_000;
const MAX_MEMORY_MB = 512;

const readingSchema: z.ZodType<Reading> = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    sections: z.array(
      z.object({
        key: z.string(),
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
        title: z.string(),
        content: z.string(),
      }),
    ),
    license: z.string().nullable(),
  }),
  z.object({
    ok: z.literal(false),
    reason: z.enum(['failed conversion', 'too little text', 'not a paper']),
  }),
]);

/**
 * A parser that runs the program at `workerUrl` in a thread of its own for each document: whatever
 * a hostile page does to it, the process and the calls in flight go on. What breaks the thread
 * counts as a failed conversion; only an abort rejects.
 */
export function createParser(workerUrl: URL): Parse {
  return (document, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const worker = new Worker(workerUrl, {
        workerData: document,
        resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
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
        signal.removeEventListener('abort', abort);
        worker.terminate().then(settle, settle);
      };
      const abort = () => finish(() => reject(signal.reason));
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
