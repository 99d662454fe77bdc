import { opendir, realpath, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { codeOf } from '../../core/errors.ts';

/** Larger files are refused, in bytes. */
export const MAX_FILE = 60_000_000;
const KINDS = new Set(['.pdf', '.html', '.htm']);

export function isPdf(path: string): boolean {
  return extname(path).toLowerCase() === '.pdf';
}

/**
 * The PDFs and pages in these files and folders, by path, each once; hidden ones are left out. A link to a
 * folder is followed once, so that circles end.
 */
export async function findFiles(
  targets: readonly string[],
  isRecursive: boolean,
  signal: AbortSignal,
): Promise<{ files: string[]; faults: { path: string; why: string }[] }> {
  const files = new Set<string>();
  const faults: { path: string; why: string }[] = [];
  const folders = new Set<string>();
  const visit = async (path: string, isNamed: boolean): Promise<void> => {
    signal.throwIfAborted();
    const isKind = KINDS.has(extname(path).toLowerCase());
    try {
      const found = await stat(path);
      if (!found.isDirectory()) {
        // A pipe to which nobody writes would be waited for, and no signal ends that.
        if (!found.isFile() && isNamed) faults.push({ path, why: 'it is not a file' });
        if (found.isFile() && (isNamed || isKind)) files.add(path);
        return;
      }
      if (!isNamed && !isRecursive) return;
      const real = await realpath(path);
      if (folders.has(real)) return;
      folders.add(real);
      const names: string[] = [];
      for await (const { name } of await opendir(path)) if (!name.startsWith('.')) names.push(name);
      for (const name of names.sort()) {
        // Checking each of 20,000 other files would take a second.
        if (isRecursive || KINDS.has(extname(name).toLowerCase()))
          await visit(join(path, name), false);
      }
    } catch (error) {
      signal.throwIfAborted();
      // Ignore broken links to other kinds of files.
      const isOther = !isNamed && !isKind && codeOf(error) === 'ENOENT';
      if (!isOther) faults.push({ path, why: describeFileFault(error) });
    }
  };
  for (const target of targets) await visit(resolve(target), true);
  return { files: [...files], faults };
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'reading it is not permitted',
  EPERM: 'reading it is not permitted',
  ELOOP: 'its links form a loop',
  EISDIR: 'it is a folder',
};

/** Why the system could not read a file. */
export function describeFileFault(error: unknown): string {
  const code = codeOf(error);
  return FILE_FAULTS[code] ?? `it could not be read (${code === '' ? String(error) : code})`;
}
