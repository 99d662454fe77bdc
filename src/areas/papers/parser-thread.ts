import { parentPort, workerData } from 'node:worker_threads';
import { readHtml } from './full-text/html/html.ts';
import type { Task } from './full-text/parser.ts';
import { readPdf } from './full-text/pdf/pdf.ts';
import type { ParseResult } from './full-text/sections/sections.ts';
import { addPassages } from './passages.ts';

/** Entry point of the parser's worker thread: parses one document and posts the result. */
async function read({ document, lastPage, isOwn }: Task): Promise<ParseResult> {
  const result =
    typeof document === 'string'
      ? readHtml(document, isOwn)
      : await readPdf(document, lastPage, (page) => parentPort?.postMessage(page), isOwn);
  return result.ok ? { ...result, sections: addPassages(result.sections) } : result;
}

parentPort?.postMessage(await read(workerData));
