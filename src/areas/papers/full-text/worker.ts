import { parentPort, workerData } from 'node:worker_threads';
import { readHtml } from './html/html.ts';
import type { Document } from './parser.ts';
import { readPdf } from './pdf/pdf.ts';
import type { Reading } from './sections.ts';

/** The program of the parser's thread: one document in, one reading out. */
async function read(document: Document): Promise<Reading> {
  return document.kind === 'html' ? readHtml(document.html) : readPdf(document.bytes);
}

parentPort?.postMessage(await read(workerData));
