import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents, each with `mode`; an existing one is fine. Rejects
 * with the file system's own error. Node's recursive `mkdir` never ends where creating a directory
 * fails with ENOENT although its parent exists, as under /proc.
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (!isMissing(error) || above === path) throw error;
    await makeDirectory(above, mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // The root of a drive may fail with another code than EEXIST.
    if (isMissing(error) || !(await isDirectory(path))) throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
