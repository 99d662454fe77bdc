import { fsync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Writes what the system still holds of a file to the disk, so that it is complete even if the power
 * fails; returns its size in bytes. `r` opens a directory, where the system can.
 */
export async function flush(path: string, flags: 'r' | 'r+' = 'r+'): Promise<number> {
  const file = await open(path, flags);
  try {
    // Not file.sync(): Yarn's Plug'n'Play replaces file handles by some that lack it.
    await promisify(fsync)(file.fd);
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
