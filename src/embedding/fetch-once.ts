import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFile, makeDirectory } from '../core/directory.ts';
import { codeOf } from '../core/errors.ts';
import { diskError, isDiskFault, type Source, sourcesError, type What } from './fetch-errors.ts';
import { modelsRoot } from './files.ts';

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

/** Something with a place below the models directory of a home. */
export interface Wanted {
  what: What;
  /** Final directory. */
  target: string;
  /** What to report of an intact copy in the home; null if there is none. */
  find(): Promise<string | null>;
  /** In the order in which they are tried. */
  sources: readonly Source[];
  /**
   * Fills `<temporary>/new` from a source with checked files and returns their paths below it.
   * `temporary` holds nothing else and is removed afterwards.
   */
  obtain(source: Source, temporary: string, directory: string): Promise<readonly string[]>;
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
): Promise<{ found: string; source: Source | 'present' }> {
  const { home, withLock, signal, onWait } = options;
  const root = modelsRoot(home);
  try {
    const present = await wanted.find();
    if (present !== null) return { found: present, source: 'present' };
    await makeDirectory(root).catch((error: unknown) => {
      throw diskError(wanted.what, error, root);
    });
    return await withLock(
      join(root, 'fetch.lock'),
      async () => {
        const fetched = await wanted.find();
        if (fetched !== null) return { found: fetched, source: 'present' as const };
        await removeLeftovers(root);
        return await fetchInto(root, wanted, signal);
      },
      { signal, onWait },
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw isDiskFault(error) ? diskError(wanted.what, error, root) : error;
  }
}

async function fetchInto(root: string, wanted: Wanted, signal: AbortSignal | undefined) {
  const temporary = join(root, `${TEMPORARY}${randomUUID()}`);
  try {
    const source = await obtainFromAny(wanted, temporary, signal);
    await place(join(temporary, 'new'), wanted.target, join(temporary, 'replaced'));
    const found = await wanted.find();
    if (found === null) throw new Error('what was downloaded is damaged already');
    return { found, source };
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

async function obtainFromAny(
  { what, sources, obtain }: Wanted,
  temporary: string,
  signal: AbortSignal | undefined,
): Promise<Source> {
  const directory = join(temporary, 'new');
  const faults: { source: Source; error: unknown }[] = [];
  for (const source of sources) {
    try {
      await rm(temporary, { recursive: true, force: true });
      await makeDirectory(directory);
      const files = await obtain(source, temporary, directory);
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
