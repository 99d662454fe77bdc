import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../core/errors.ts';

/** Downloads the tarball of the package `spec` into the empty `directory` and returns its path. */
export type NpmPack = (spec: string, directory: string, signal?: AbortSignal) => Promise<string>;

/** The npm package could not be downloaded or unpacked. */
export class NpmError extends Error {
  override readonly name = 'NpmError';
}

/** Enough for 114 MB over a slow connection. */
const PACK_TIMEOUT_MS = 30 * 60_000;
const PACK_ARGUMENTS = [
  'pack',
  '--pack-destination=.',
  '--ignore-scripts',
  '--loglevel=error',
  '--update-notifier=false',
  '--dry-run=false',
  // npm's own back-off would add minutes where there is no network.
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
];

/**
 * Downloads with the user's own npm, so that its registry, proxy and credentials apply. Discards its
 * output. Rejects with an NpmError, the signal's reason, or a file system error where npm met a full
 * disk.
 */
export const packWithNpm: NpmPack = async (spec, directory, signal) => {
  signal?.throwIfAborted();
  const windows = process.platform === 'win32';
  try {
    await promisify(execFile)(windows ? 'npm.cmd' : 'npm', [...PACK_ARGUMENTS, spec], {
      cwd: directory,
      timeout: PACK_TIMEOUT_MS,
      windowsHide: true,
      // Node cannot start a .cmd file without a shell; all arguments are constants.
      shell: windows,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const full = /\b(ENOSPC|EDQUOT)\b/.exec(stderrOf(cause))?.[1];
    if (full !== undefined) throw Object.assign(new Error(full, { cause }), { code: full });
    const missing = codeOf(cause) === 'ENOENT';
    throw new NpmError(missing ? 'npm is not on the PATH' : 'npm could not fetch the package', {
      cause,
    });
  }
  const tarball = (await readdir(directory)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new NpmError('npm fetched no package');
  return join(directory, tarball);
};

function stderrOf(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
}

/** Which files of an archive to extract. */
export interface Extraction {
  /** Folder in the archive, without a trailing slash; it is left out of the extracted paths. */
  folder: string;
  /** Whether to take the file at `path` below the folder. */
  takes(path: string, bytes: number): boolean;
  onFile(bytes: number): void;
}

/**
 * Extracts files of the tarball into `directory`. Takes only plain files that `takes` names, so links
 * and paths chosen by the archive have no effect; the caller verifies the contents. Rejects with an
 * NpmError when the archive cannot be read, or with a file system error.
 */
export async function extractFiles(
  tarball: string,
  directory: string,
  { folder, takes, onFile }: Extraction,
): Promise<void> {
  const { extract } = await import('tar');
  try {
    await extract({
      file: tarball,
      cwd: directory,
      strip: folder.split('/').length,
      strict: true,
      noMtime: true,
      filter: (path, entry) =>
        'type' in entry &&
        (entry.type === 'File' || entry.type === 'OldFile') &&
        path.startsWith(`${folder}/`) &&
        takes(path.slice(folder.length + 1), entry.size),
      onReadEntry: (entry) => {
        entry.on('end', () => onFile(entry.size));
      },
    });
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause) throw cause;
    throw new NpmError('the npm package cannot be unpacked', { cause });
  }
}
