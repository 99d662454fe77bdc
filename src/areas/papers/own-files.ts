import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { codeOf, invalidRequest } from '../../core/errors.ts';

const KINDS = new Set(['.pdf', '.html', '.htm']);
const kindOf = (path: string) => extname(path).toLowerCase();

export const isPdf = (path: string) => kindOf(path) === '.pdf';

/**
 * The PDFs and web pages among these files and in these folders, by path, each once; skips hidden
 * ones. Follows a link to a folder once, so that cycles end. `fail` receives unreadable paths.
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
    const isKind = KINDS.has(kindOf(path));
    try {
      const stats = await stat(path);
      if (stats.isFile()) {
        if (isNamed || isKind) files.add(path);
      } else if (!stats.isDirectory()) {
        // Reading a pipe without a writer would block, and no signal could end it.
        if (isNamed) throw invalidRequest('it is not a file');
      } else if (isNamed || isRecursive) {
        const real = await realpath(path);
        if (folders.has(real)) return;
        folders.add(real);
        const names = (await readdir(path)).filter((name) => !name.startsWith('.'));
        for (const name of names.sort()) await visit(join(path, name), false);
      }
    } catch (error) {
      signal.throwIfAborted();
      // Ignore broken links to other kinds of files.
      if (isNamed || isKind || codeOf(error) !== 'ENOENT') fail(path, error);
    }
  };
  for (const target of targets) await visit(target, true);
  return [...files];
}
