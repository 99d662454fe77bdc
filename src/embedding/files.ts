import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../core/errors.ts';
import {
  MODEL,
  type Model,
  type ModelFile,
  RUNTIME,
  type Runtime,
  type RuntimePackage,
} from './pinned.ts';

/** Chunk size for hashing; a chunk blocks the event loop for about 1 ms. */
const HASH_BYTES = 1 << 20;

/** A copy of the model or of its runtime is missing, damaged or incomplete. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';

  /** `place` names the searched directory or host in words for the user. */
  constructor(problem: string, file: string, place: string, cause?: unknown) {
    super(`${place} contains no intact copy of the model: ${file} ${problem}.`, { cause });
  }
}

/** Rejects with a ModelFileError unless the file has the right size and checksum. */
export async function verifyFile(
  directory: string,
  { path, bytes, sha256 }: ModelFile,
  place: string,
): Promise<void> {
  const file = join(directory, path);
  try {
    if ((await stat(file)).size !== bytes) {
      throw new ModelFileError('has the wrong size', path, place);
    }
    if ((await hashOf(file, 'sha256')) !== sha256) {
      throw new ModelFileError('has the wrong sha256', path, place);
    }
  } catch (error) {
    if (error instanceof ModelFileError) throw error;
    const isMissing = /^(ENOENT|ENOTDIR)$/.test(codeOf(error));
    throw new ModelFileError(isMissing ? 'is missing' : 'cannot be read', path, place, error);
  }
}

/**
 * The checksum of a file; sha256 in hex, sha512 in base64 as npm writes it. Reads through one buffer: a
 * stream would leave tens of megabytes of garbage in the process.
 */
export async function hashOf(path: string, algorithm: 'sha256' | 'sha512'): Promise<string> {
  const hash = createHash(algorithm);
  const buffer = Buffer.allocUnsafe(HASH_BYTES);
  const file = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest(algorithm === 'sha256' ? 'hex' : 'base64');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

export function modelsRoot(home: string): string {
  return join(home, 'models');
}

/** `<root>/<org>/<name>`, the layout of QUANTSHELF_MODEL_DIR and of the home's models directory. */
export function modelDirectory(root: string, model: Pick<Model, 'id'> = MODEL): string {
  return join(root, ...model.id.split('/'));
}

interface FindOptions {
  home: string;
  /** QUANTSHELF_MODEL_DIR; takes precedence over the home. */
  modelDir: string | undefined;
  model?: Model;
  runtime?: Runtime;
}

/**
 * The directory of an intact copy of the model; null if the home has no copy and QUANTSHELF_MODEL_DIR is unset.
 * Otherwise rejects with a ModelFileError.
 */
export async function findModel(options: FindOptions): Promise<string | null> {
  const { home, modelDir, model = MODEL } = options;
  let fault: ModelFileError | undefined;
  for (const { root, place, isExpected } of placesOf(home, modelDir)) {
    const directory = modelDirectory(root, model);
    if (!existsSync(directory)) {
      if (isExpected) fault ??= new ModelFileError('is missing', model.id, place);
      continue;
    }
    try {
      for (const file of model.files) await verifyFile(directory, file, place);
      return directory;
    } catch (error) {
      if (!(error instanceof ModelFileError)) throw error;
      fault ??= error;
    }
  }
  if (fault !== undefined) throw fault;
  return null;
}

/** The directories that may hold the model and its runtime, in the order in which they are searched. */
function placesOf(home: string, modelDir: string | undefined) {
  const own = { root: modelsRoot(home), place: 'The data directory', isExpected: false };
  return modelDir === undefined
    ? [own]
    : [{ root: modelDir, place: 'QUANTSHELF_MODEL_DIR', isExpected: true }, own];
}

export function runtimeDirectory(root: string, runtime: Runtime = RUNTIME): string {
  return join(root, `transformers-${runtime.version}-${runtime.platform}`);
}

/** Where Node finds a package that is required from `directory`. */
export function packageDirectory(
  directory: string,
  { name, alias = name }: RuntimePackage,
): string {
  return join(directory, 'node_modules', alias);
}

/**
 * The directory from which Node resolves an intact copy of the runtime's packages; null if there is none. A
 * damaged copy does not count, since the next download replaces it.
 */
export async function findRuntime(options: FindOptions): Promise<string | null> {
  const { home, modelDir, runtime = RUNTIME } = options;
  for (const { root, place } of placesOf(home, modelDir)) {
    const directory = runtimeDirectory(root, runtime);
    try {
      for (const each of runtime.packages) {
        const folder = packageDirectory(directory, each);
        await Promise.all(each.files.map((file) => verifyFile(folder, file, place)));
      }
      return directory;
    } catch (error) {
      if (!(error instanceof ModelFileError)) throw error;
    }
  }
  return null;
}

/** Where the model and its runtime are on disk. */
export interface EmbedderFiles {
  /** The model's directory. */
  directory: string;
  /** Directory from which Node resolves the runtime. */
  runtime: string;
}

/** Intact copies of the model and of its runtime; null unless both exist. Rejects like `findModel`. */
export async function findEmbedder(
  config: Omit<FindOptions, 'model' | 'runtime'>,
): Promise<EmbedderFiles | null> {
  const options = { home: config.home, modelDir: config.modelDir };
  const directory = await findModel(options);
  if (directory === null) return null;
  const runtime = await findRuntime(options);
  return runtime === null ? null : { directory, runtime };
}
