import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchOptions } from './fetch-once.ts';
import { hashOf } from './files.ts';
import type { Tarball } from './model.ts';

/** Which files of a tarball to unpack. */
export interface Selection {
  /** Whether to take the file at `path` below the folder; `/` separates. */
  takes(path: string): boolean;
  /** Most bytes that the files may have together; a file beyond them is left out. */
  maxBytes: number;
}

/**
 * Downloads a package into `temporary`, verifies it and unpacks the selection into `directory`. Rejects
 * as a `Download` does, or with an error whose message can be shown to the user.
 */
export async function fetchTarball(
  tarball: Tarball,
  directory: string,
  selection: Selection,
  options: Pick<FetchOptions, 'download' | 'signal'> & {
    npmUrl: string;
    temporary: string;
    report(received: number): void;
  },
): Promise<void> {
  const { name, version, bytes } = tarball;
  const { npmUrl, download, signal, temporary, report } = options;
  const packed = join(temporary, `${name}.tgz`);
  await download(`${npmUrl}/${name}/-/${name}-${version}.tgz`, packed, {
    maxBytes: bytes,
    // A registry sends its packages itself.
    redirectDomains: [],
    signal,
    onProgress: report,
  });
  await verify(packed, tarball);
  await unpack(packed, directory, tarball, selection);
}

/** Rejects unless the file is the tarball as it was published. */
async function verify(path: string, { name, bytes, sha512 }: Tarball): Promise<void> {
  if ((await stat(path)).size !== bytes) throw new Error(`${name} has the wrong size`);
  if ((await hashOf(path, 'sha512')) !== sha512) throw new Error(`${name} has the wrong sha512`);
}

/**
 * Unpacks files of the tarball at `path` into `directory`. Takes plain files only, so links and paths
 * that lead elsewhere have no effect. Rejects with a file system error, or when the archive cannot be read.
 */
async function unpack(
  path: string,
  directory: string,
  { folder }: Tarball,
  { takes, maxBytes }: Selection,
): Promise<void> {
  const { extract } = await import('tar');
  await mkdir(directory, { recursive: true });
  let bytesLeft = maxBytes;
  try {
    await extract({
      file: path,
      cwd: directory,
      strip: folder.split('/').length,
      strict: true,
      noMtime: true,
      filter(name, entry) {
        const isFile = 'type' in entry && (entry.type === 'File' || entry.type === 'OldFile');
        if (!isFile || !name.startsWith(`${folder}/`) || entry.size > bytesLeft) return false;
        if (!takes(name.slice(folder.length + 1))) return false;
        bytesLeft -= entry.size;
        return true;
      },
    });
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause) throw cause;
    throw new Error('the npm package cannot be unpacked', { cause });
  }
}
