import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, invalidRequest } from '../../core/errors.ts';

export const isDocument = (path: string) => /\.(?:pdf|html?)$/i.test(path);
export const isPdf = (path: string) => /\.pdf$/i.test(path);

/**
 * The named files, and the PDFs and web pages in the named folders, without hidden ones and without
 * duplicates. Visits each folder once, since links may form cycles. `fail` receives unreadable paths.
 */
export async function findFiles(
  targets: readonly string[],
  isRecursive: boolean,
  signal: AbortSignal,
  fail: (path: string, error: unknown) => void,
): Promise<string[]> {
  const files = new Set<string>();
  const folders = new Set<string>();
  const visit = async (path: string, isNamed: boolean): Promise<void> => {
    signal.throwIfAborted();
    const isMeant = isNamed || isDocument(path);
    try {
      const stats = await stat(path);
      if (stats.isFile()) {
        if (isMeant) files.add(path);
      } else if (!stats.isDirectory()) {
        // Reading a pipe without a writer would block, and no signal could end it.
        if (isNamed) throw invalidRequest('it is neither a file nor a folder');
      } else if (isNamed || isRecursive) {
        const real = await realpath(path);
        if (folders.has(real)) return;
        folders.add(real);
        const entries = await readdir(path, { withFileTypes: true });
        // Skip other files without `stat`: checking 20,000 of them would take a second.
        const wanted = entries.filter((entry) => !entry.isFile() || isDocument(entry.name));
        const names = wanted.map(({ name }) => name).filter((name) => !name.startsWith('.'));
        for (const name of names.sort()) await visit(join(path, name), false);
      }
    } catch (error) {
      signal.throwIfAborted();
      // Ignore broken links that do not look like documents.
      if (isMeant || codeOf(error) !== 'ENOENT') fail(path, error);
    }
  };
  for (const target of targets) await visit(target, true);
  return [...files];
}
