import { fsync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './errors.ts';

/**
 * Creates a directory and its missing parents for the user alone; an existing one is fine. Rejects
 * with the file system's own error. Node's recursive `mkdir` never ends where creating a directory
 * fails with ENOENT although its parent exists, as under /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const above = dirname(path);
    if (!isMissing(error) || above === path) throw error;
    await makeDirectory(above);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
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
  return codeOf(error) === 'ENOENT';
}

/** Flushes a file to disk, so that it is complete even if the power fails after a rename. */
export async function flushFile(path: string, flags: 'r' | 'r+' = 'r+'): Promise<void> {
  const file = await open(path, flags);
  try {
    // Not file.sync(): Yarn's Plug'n'Play replaces file handles by some that lack it.
    await promisify(fsync)(file.fd);
  } finally {
    await file.close();
  }
}
