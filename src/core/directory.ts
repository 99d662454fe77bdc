import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory with all that are missing above it; one that is there already is fine.
 * Rejects with the file system's own error. Node's recursive `mkdir` is not used, because it never
 * ends where a directory can hold nothing new and says so with ENOENT, as those under /proc do.
 * `mode` is that of every directory made.
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
    // The root of a drive answers with other codes than EEXIST.
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
