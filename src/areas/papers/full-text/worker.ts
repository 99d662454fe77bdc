import { parentPort, workerData } from 'node:worker_threads';
import { readHtml } from './html/html.ts';
import type { Document } from './parser.ts';
import { readPdf } from './pdf/pdf.ts';
import type { ParseResult } from './sections/sections.ts';

/** Entry point of the parser's worker thread: parses one document and posts the result. */
async function read(document: Document): Promise<ParseResult> {
  return typeof document === 'string' ? readHtml(document) : readPdf(document);
}

parentPort?.postMessage(await read(workerData));
