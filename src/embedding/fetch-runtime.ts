import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeDirectory } from '../core/disk.ts';
import { type FetchOptions, fetchOnce } from './fetch-once.ts';
import { modelsRoot, sha256Of } from './files.ts';
import { extractFiles, type NpmPack } from './npm.ts';
import {
  CONTENTS,
  findFetchedRuntime,
  RUNTIME,
  type Runtime,
  runtimeDirectory,
  type Tarball,
} from './runtime.ts';

export interface FetchRuntimeOptions extends FetchOptions {
  /** Base URL of an npm registry, without a trailing slash. */
  npmUrl: string;
  npmPack: NpmPack;
  runtime?: Runtime;
}

/**
 * Downloads ONNX Runtime into the home, from the npm registry or else with the user's npm; `path` is
 * that from which Node resolves it; see `fetchOnce`. Only this platform's files are kept.
 */
export function fetchRuntime(options: FetchRuntimeOptions): ReturnType<typeof fetchOnce> {
  const { home, runtime = RUNTIME } = options;
  const root = modelsRoot(home);
  return fetchOnce(
    {
      what: 'runtime',
      target: runtimeDirectory(root, runtime),
      total: runtime.packages.reduce((sum, { bytes }) => sum + bytes, 0),
      find: () => findFetchedRuntime(root, runtime),
      sources: (['registry', 'npm'] as const).map((source) => [
        source,
        (directory, temporary, report) =>
          unpackAll(directory, join(temporary, 'packed'), runtime, report, (one, folder, part) =>
            source === 'npm'
              ? packInto(folder, one, options)
              : downloadInto(folder, one, options, part),
          ),
      ]),
    },
    options,
  );
}

async function unpackAll(
  directory: string,
  packed: string,
  { packages }: Runtime,
  report: (received: number) => void,
  get: (one: Tarball, folder: string, report: (received: number) => void) => Promise<string>,
): Promise<string[]> {
  let before = 0;
  for (const one of packages) {
    report(before);
    const folder = join(packed, one.name);
    await mkdir(folder, { recursive: true });
    const tarball = await get(one, folder, (received) => report(before + received));
    await verifyTarball(tarball, one);
    before += one.bytes;
    report(before);
    await unpack(tarball, join(directory, 'node_modules', one.name), one);
  }
  return listContents(directory);
}

function packInto(
  directory: string,
  { name, version }: Tarball,
  { npmPack, signal }: FetchRuntimeOptions,
): Promise<string> {
  return npmPack(`${name}@${version}`, directory, signal);
}

async function downloadInto(
  directory: string,
  { name, version, bytes }: Tarball,
  { npmUrl, download, signal }: FetchRuntimeOptions,
  report: (received: number) => void,
): Promise<string> {
  const path = join(directory, `${name}.tgz`);
  await download(`${npmUrl}/${name}/-/${name}-${version}.tgz`, path, {
    maxBytes: bytes,
    // A registry sends its packages itself; where another one does not, npm is asked.
    redirectDomains: [],
    signal,
    onProgress: report,
  });
  return path;
}

async function verifyTarball(path: string, { name, bytes, sha512 }: Tarball): Promise<void> {
  if ((await stat(path)).size !== bytes) throw new Error(`${name} has the wrong size`);
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  if (hash.digest('base64') !== sha512) throw new Error(`${name} has the wrong sha512`);
}

async function unpack(tarball: string, directory: string, wanted: Tarball): Promise<void> {
  await makeDirectory(directory);
  let left = wanted.maxUnpackedBytes;
  await extractFiles(tarball, directory, {
    folder: 'package',
    takes(path, bytes) {
      if (!wanted.keep.test(path) || bytes > left) return false;
      left -= bytes;
      return true;
    },
    onFile: () => {},
  });
}

/** Records what was unpacked, so that later starts can tell an intact copy; returns the paths. */
async function listContents(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const absolute = join(entry.parentPath, entry.name);
    const path = absolute.slice(directory.length + 1).replaceAll('\\', '/');
    files.push({ path, bytes: (await stat(absolute)).size, sha256: await sha256Of(absolute) });
  }
  await writeFile(join(directory, CONTENTS), JSON.stringify(files));
  return [...files.map(({ path }) => path), CONTENTS];
}
