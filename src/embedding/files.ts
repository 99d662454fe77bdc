import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { makeDirectory } from '../core/directory.ts';
import type { What } from './fetch-errors.ts';
import { MODEL, type Model } from './model.ts';
import { ModelFileError, type VerifiedFile, verifiedFile, verifyDirectory } from './verify.ts';

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
