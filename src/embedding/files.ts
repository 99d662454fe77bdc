import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { makeDirectory } from '../core/disk.ts';
import { codeOf } from '../core/errors.ts';
import { MODEL, type Model, type ModelFile } from './model.ts';

/** Chunk size for hashing; each blocks the event loop for about 1 ms. */
const HASH_BYTES = 1 << 20;

/** A file whose sha256 was right; it is hashed again when any of these fields changes. */
const verifiedFile = z.object({
  /** Relative to the model's directory. */
  path: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  mtimeMs: z.number(),
  inode: z.number(),
});
export type VerifiedFile = z.infer<typeof verifiedFile>;

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
 * Verifies a directory against the model's file list, hashing only files that are not in `known`.
 * Returns what can be recorded, or null when none of the files exists. Rejects with a ModelFileError
 * whose message calls the directory `place`.
 */
export async function verifyDirectory(
  directory: string,
  model: Pick<Model, 'files'>,
  place: string,
  known: readonly VerifiedFile[] = [],
): Promise<VerifiedFile[] | null> {
  const found: (VerifiedFile | undefined)[] = [];
  for (const file of model.files) found.push(await look(directory, file, place));
  if (found.every((file) => file === undefined)) return null;
  // All sizes before any hash: most wrong copies are detected without reading 54 MB.
  const verified: VerifiedFile[] = [];
  for (const [index, file] of model.files.entries()) {
    const seen = found[index];
    if (seen === undefined) throw new ModelFileError('missing', file.path, place);
    if (seen.bytes !== file.bytes) throw new ModelFileError('size', file.path, place);
    verified.push(seen);
  }
  for (const file of verified) {
    if (known.some((candidate) => isSame(candidate, file))) continue;
    await verifyHash(directory, file, place);
  }
  return verified;
}

async function verifyHash(directory: string, file: VerifiedFile, place: string): Promise<void> {
  const actual = await sha256Of(join(directory, file.path)).catch((error: unknown) => {
    throw new ModelFileError('unreadable', file.path, place, error);
  });
  const after = await look(directory, file, place);
  // A file that changed while it was read has an unknown hash.
  const steady = after !== undefined && isSame(after, file);
  if (actual !== file.sha256 || !steady) throw new ModelFileError('hash', file.path, place);
}

async function look(
  directory: string,
  { path, sha256 }: Pick<ModelFile, 'path' | 'sha256'>,
  place: string,
): Promise<VerifiedFile | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(join(directory, path));
    return { path, sha256, bytes: size, mtimeMs, inode: ino };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ModelFileError('unreadable', path, place, error);
  }
}

function isSame(a: VerifiedFile, b: VerifiedFile): boolean {
  return (
    a.path === b.path &&
    a.sha256 === b.sha256 &&
    a.bytes === b.bytes &&
    a.mtimeMs === b.mtimeMs &&
    a.inode === b.inode
  );
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
 *
 * Hashing takes about 0.1 s, so the result is recorded in the home, and repeated only when size, time
 * or inode of a file changes. If the home is not writable, every start hashes.
 */
export async function findModel(options: FindModelOptions): Promise<string | null> {
  const { home, modelDir, model = MODEL } = options;
  let wrong: ModelFileError | undefined;
  for (const { root, place, expected } of placesOf(home, modelDir)) {
    const directory = modelDirectory(root, model);
    try {
      if (await isVerified(home, directory, model, place, 'model')) return directory;
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

/**
 * Whether `directory` holds the files; rejects with a ModelFileError when one is damaged. Hashes only
 * what is not on record under `what`.
 */
export async function isVerified(
  home: string,
  directory: string,
  expected: Pick<Model, 'files'>,
  place: string,
  what: What,
): Promise<boolean> {
  const memory = await recall(home, what);
  const known = memory?.directory === directory ? memory.files : [];
  const verified = await verifyDirectory(directory, expected, place, known);
  if (verified === null) return false;
  if (JSON.stringify(verified) !== JSON.stringify(known)) {
    await rememberVerified(home, directory, verified, what).catch(() => {});
  }
  return true;
}

const memorySchema = z.object({ directory: z.string(), files: z.array(verifiedFile) });

function memoryPath(home: string, what: What): string {
  return join(modelsRoot(home), what === 'model' ? 'verified.json' : 'verified-runtime.json');
}

/** The last verification on record; undefined when there is none or it cannot be read. */
async function recall(
  home: string,
  what: What,
): Promise<z.output<typeof memorySchema> | undefined> {
  try {
    return memorySchema.parse(JSON.parse(await readFile(memoryPath(home, what), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Records that `directory` holds the right files; rejects when the home is not writable. */
export async function rememberVerified(
  home: string,
  directory: string,
  files: readonly VerifiedFile[],
  what: What,
): Promise<void> {
  await makeDirectory(modelsRoot(home));
  const path = memoryPath(home, what);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify({ directory, files }));
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
