import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { MODEL, type Model } from './model.ts';

/** Chunk size for hashing; each blocks the event loop for about 1 ms. */
const HASH_BYTES = 1 << 20;

/** The copy of the model is damaged or incomplete. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
  readonly problem: 'missing' | 'size' | 'hash' | 'unreadable';

  /** `file` is relative to the model's directory. */
  constructor(problem: ModelFileError['problem'], file: string, place: string, cause?: unknown) {
    super(
      `${place} holds no intact copy of the model: ${file} ${PROBLEMS[problem]}.`,
      cause === undefined ? {} : { cause },
    );
    this.problem = problem;
  }
}

const PROBLEMS = {
  missing: 'is missing',
  size: 'has the wrong size',
  hash: 'has the wrong sha256',
  unreadable: 'cannot be read',
} as const;

/**
 * Whether a directory holds the model's files; false when none of them exists. Rejects with a
 * ModelFileError, whose message calls the directory `place`, when one is missing or damaged.
 */
export async function verifyDirectory(
  directory: string,
  { files }: Pick<Model, 'files'>,
  place: string,
): Promise<boolean> {
  const sizes: (number | null)[] = [];
  for (const { path } of files) sizes.push(await sizeOf(directory, path, place));
  if (sizes.every((size) => size === null)) return false;
  // All sizes before any hash: most wrong copies are detected without reading 54 MB.
  for (const [index, { path, bytes }] of files.entries()) {
    if (sizes[index] === null) throw new ModelFileError('missing', path, place);
    if (sizes[index] !== bytes) throw new ModelFileError('size', path, place);
  }
  for (const { path, sha256 } of files) {
    const actual = await sha256Of(join(directory, path)).catch((error: unknown) => {
      throw new ModelFileError('unreadable', path, place, error);
    });
    if (actual !== sha256) throw new ModelFileError('hash', path, place);
  }
  return true;
}

/** In bytes; null for a file that does not exist. */
async function sizeOf(directory: string, path: string, place: string): Promise<number | null> {
  try {
    return (await stat(join(directory, path))).size;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new ModelFileError('unreadable', path, place, error);
  }
}

/** Hex. Reads through one buffer: a stream would leave tens of megabytes of garbage in the process. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(HASH_BYTES);
  const file = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** What is downloaded: the model, or the library that runs it. */
export type What = 'model' | 'runtime';

/** The models directory of a home. */
export function modelsRoot(home: string): string {
  return join(home, 'models');
}

/** `<root>/<org>/<name>`, the layout of both QUANTSHELF_MODEL_DIR and the home. */
export function modelDirectory(root: string, model: Pick<Model, 'id'> = MODEL): string {
  return join(root, ...model.id.split('/'));
}

export interface FindModelOptions {
  home: string;
  /** QUANTSHELF_MODEL_DIR; takes precedence over the home. */
  modelDir: string | undefined;
  model?: Model;
}

/**
 * The directory of a complete copy of the model with the right sha256 sums; null when there is none.
 * Rejects with a ModelFileError when the only copy is damaged or incomplete, or not in the directory
 * that QUANTSHELF_MODEL_DIR names.
 */
export async function findModel(options: FindModelOptions): Promise<string | null> {
  const { home, modelDir, model = MODEL } = options;
  let wrong: ModelFileError | undefined;
  for (const { root, place, expected } of placesOf(home, modelDir)) {
    const directory = modelDirectory(root, model);
    try {
      if (await verifyDirectory(directory, model, place)) return directory;
      const first = model.files[0]?.path ?? model.id;
      if (expected) wrong ??= new ModelFileError('missing', first, place);
    } catch (error) {
      if (!(error instanceof ModelFileError)) throw error;
      wrong ??= error;
    }
  }
  if (wrong !== undefined) throw wrong;
  return null;
}

/** A directory that may hold the model and its runtime. */
export interface Place {
  root: string;
  /** How messages call it. */
  place: string;
  /** Whether the user said that it is there. */
  expected: boolean;
}

/** In the order in which they are looked into. */
export function placesOf(home: string, modelDir: string | undefined): Place[] {
  const own = { root: modelsRoot(home), place: 'The home of QuantShelf', expected: false };
  return modelDir === undefined
    ? [own]
    : [{ root: modelDir, place: 'QUANTSHELF_MODEL_DIR', expected: true }, own];
}
