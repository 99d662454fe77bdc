import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { attempt } from '../../../../src/app/attempt.ts';
import { parseBibliography } from '../../../../src/areas/papers/bibliography.ts';
import { readHtml } from '../../../../src/areas/papers/full-text/html/html.ts';
import type { Parse } from '../../../../src/areas/papers/full-text/parser.ts';
import { readPdf } from '../../../../src/areas/papers/full-text/pdf/pdf.ts';
import { readBibliography } from '../../../../src/areas/papers/own-identity.ts';
import { addOwnFiles, type OwnReport } from '../../../../src/areas/papers/own-shelf.ts';
import { addPassages } from '../../../../src/areas/papers/passages.ts';

/** Parses in this thread, as the parser's thread would. */
export const parseHere: Parse = async (document) => {
  const result =
    typeof document === 'string' ? readHtml(document, true) : await readPdf(document, true);
  return result.ok ? { ...result, sections: addPassages(result.sections) } : result;
};

interface Options {
  /** By default, the whole folder. */
  targets?: readonly string[];
  /** A bibliography, stored in the folder. */
  bib?: string;
  isDryRun?: boolean;
  isRecursive?: boolean;
  parse?: Parse;
}

/** Adds a folder as `quantshelf add` does, without a model; `log` has the lines that it would print. */
export async function addOwn(
  db: Database,
  folder: string,
  { bib, ...options }: Options = {},
): Promise<OwnReport & { log: string[] }> {
  const path = join(folder, 'own.bib');
  writeFileSync(path, bib ?? '');
  const entries = await readBibliography(path, parseBibliography, () => {});
  const { signal } = new AbortController();
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const report = await addOwnFiles({
    db,
    entries,
    log,
    signal,
    targets: [folder],
    isDryRun: false,
    isRecursive: false,
    parse: parseHere,
    now: () => new Date('2026-11-21T12:00:00Z'),
    attempt: (report, work) => attempt({ home: folder, signal, log }, report, work),
    startProgress: () => () => {},
    loadModel: () => Promise.reject(new Error('no model here')),
    ...options,
  });
  return { ...report, log: lines };
}
