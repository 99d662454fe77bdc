import { mkdir, rm, stat } from 'node:fs/promises';
import { hashOf } from './files.ts';
import type { Tarball } from './pinned.ts';

/**
 * Streams `url` to a file. Rejects with an error whose message can be shown to the user, with the
 * signal's reason, or with a file system error.
 */
export type Download = (
  url: string,
  path: string,
  options: {
    maxBytes: number;
    /** Domains to which the host of `url` may redirect besides itself. */
    redirectDomains?: readonly string[];
    signal?: AbortSignal | undefined;
    onProgress?: ((received: number) => void) | undefined;
  },
) => Promise<unknown>;

/**
 * Downloads a package, verifies it, and unpacks into `directory` the files whose paths `takes` accepts (`/`
 * separates). What it holds is pinned by its checksum.
 */
export async function fetchTarball(
  { name, version, bytes, sha512, folder }: Tarball,
  directory: string,
  takes: (path: string) => boolean,
  { npmUrl, download, signal }: { npmUrl: string; download: Download; signal?: AbortSignal },
  onProgress: (received: number) => void,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const packed = `${directory}.tgz`;
  const url = `${npmUrl}/${name}/-/${name}-${version}.tgz`;
  await download(url, packed, { maxBytes: bytes, signal, onProgress });
  if ((await stat(packed)).size !== bytes) throw new Error(`${name} has the wrong size`);
  if ((await hashOf(packed, 'sha512')) !== sha512) throw new Error(`${name} has the wrong sha512`);
  const { extract } = await import('tar');
  await extract({
    file: packed,
    cwd: directory,
    strip: folder.split('/').length,
    strict: true,
    noMtime: true,
    filter: (path, entry) =>
      'type' in entry &&
      entry.type === 'File' &&
      path.startsWith(`${folder}/`) &&
      takes(path.slice(folder.length + 1)),
  });
  await rm(packed);
}
