import { opendir, realpath, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { codeOf } from '../../core/errors.ts';

/** Larger files are refused, in bytes. */
export const MAX_FILE = 60_000_000;
const KINDS = new Set(['.pdf', '.html', '.htm']);

/** A file that may be read, and whether the user named it. */
export interface FoundFile {
  path: string;
  isNamed: boolean;
}

/** What was found, and what could not be looked at. */
export interface Found {
  files: FoundFile[];
  faults: { path: string; why: string }[];
}

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
): Promise<Found> {
  const files = new Map<string, FoundFile>();
  const faults: Found['faults'] = [];
  const folders = new Set<string>();
  const visit = async (path: string, depth: number): Promise<void> => {
    signal.throwIfAborted();
    try {
      const found = await stat(path);
      if (!found.isDirectory()) {
        if (depth === 0 || (found.isFile() && KINDS.has(extname(path).toLowerCase()))) {
          files.set(path, { path, isNamed: depth === 0 });
        }
        return;
      }
      if (depth > 1 && !isRecursive) return;
      const real = await realpath(path);
      if (folders.has(real)) return;
      folders.add(real);
      const names: string[] = [];
      for await (const { name } of await opendir(path)) if (!name.startsWith('.')) names.push(name);
      for (const name of names.sort()) {
        // A look at each of 20,000 other files would take a second.
        if (isRecursive || KINDS.has(extname(name).toLowerCase()))
          await visit(join(path, name), depth + 1);
      }
    } catch (error) {
      signal.throwIfAborted();
      faults.push({ path, why: describeFileFault(error) });
    }
  };
  for (const target of targets) await visit(resolve(target), 0);
  return { files: [...files.values()], faults };
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ELOOP: 'its links lead in a circle',
  EISDIR: 'it is a folder',
};

/** Why the system could not read a file. */
export function describeFileFault(error: unknown): string {
  const code = codeOf(error);
  return FILE_FAULTS[code] ?? `it could not be read (${code === '' ? String(error) : code})`;
}
