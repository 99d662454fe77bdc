import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { parseBibliography } from './bibliography.ts';
import { readHtml } from './full-text/html/html.ts';
import type { BibliographyTask, Task } from './full-text/parser.ts';
import { layOutPdf, type PdfPart, readPdf } from './full-text/pdf/pdf.ts';
import type { ParseResult } from './full-text/sections/sections.ts';
import { addPassages } from './passages.ts';

async function read({ document, parts, isOwn }: Task): Promise<ParseResult> {
  const result =
    typeof document === 'string'
      ? readHtml(document, isOwn)
      : document === null
        ? layOutPdf(receiveAll(parts))
        : await readPdf(document, isOwn, (part) => parts.postMessage(part));
  return result.ok ? { ...result, sections: addPassages(result.sections) } : result;
}

function receiveAll(port: MessagePort): PdfPart[] {
  const parts: PdfPart[] = [];
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    parts.push(next.message);
  }
  return parts;
}

// The parser's worker thread parses one document or bibliography, and posts the result.
const task: Task | BibliographyTask = workerData;
parentPort?.postMessage(
  'bibliography' in task ? await parseBibliography(task.bibliography) : await read(task),
);
