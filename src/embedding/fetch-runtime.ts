import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeDirectory } from '../core/disk.ts';
import { type FetchOptions, fetchOnce, type Source } from './fetch-once.ts';
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
 * Downloads ONNX Runtime into the home, from the npm registry or else with the user's npm, and returns
 * the path from which Node resolves it; see `fetchOnce`. Only this platform's files are kept.
 */
export async function fetchRuntime(
  options: FetchRuntimeOptions,
): Promise<{ from: string; source: Source | 'present' }> {
  const { home, runtime = RUNTIME } = options;
  const root = modelsRoot(home);
  const { found, source } = await fetchOnce(
    {
      what: 'runtime',
      target: runtimeDirectory(root, runtime),
      find: () => findFetchedRuntime(home, root, runtime),
      sources: ['registry', 'npm'],
      obtain: (from, temporary, directory) =>
        unpackAll(from, temporary, directory, runtime, options),
    },
    options,
  );
  return { from: found, source };
}

async function unpackAll(
  source: Source,
  temporary: string,
  directory: string,
  { packages }: Runtime,
  options: FetchRuntimeOptions,
): Promise<string[]> {
  const packed = join(temporary, 'packed');
  await mkdir(packed);
  const total = packages.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const one of packages) {
    const report = (received: number) =>
      options.onProgress?.({ what: 'runtime', source, received: before + received, total });
    report(0);
    const tarball =
      source === 'npm'
        ? await packInto(join(packed, one.name), one, options)
        : await downloadInto(packed, one, options, report);
    await verifyTarball(tarball, one);
    before += one.bytes;
    report(0);
    await unpack(tarball, join(directory, 'node_modules', one.name), one);
  }
  return listContents(directory);
}

async function packInto(
  directory: string,
  { name, version }: Tarball,
  { npmPack, signal }: FetchRuntimeOptions,
): Promise<string> {
  await mkdir(directory);
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
