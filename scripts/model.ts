import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EmbedderFiles,
  findEmbedder,
  findModel,
  modelDirectory,
  modelsRoot,
  packageDirectory,
  runtimeDirectory,
} from '../src/embedding/files.ts';
import { RUNTIME } from '../src/embedding/pinned.ts';

const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));
/** Holds links to the development copies; `npm ci` clears it. */
const CACHE = join(MODULES, '.cache', 'quantshelf');

/**
 * The model under `modelDir`, which is only read, with its runtime from there or from node_modules; null if
 * there is no model. Rejects if npm has not installed the runtime.
 */
export async function findModelIn(modelDir: string): Promise<EmbedderFiles | null> {
  const options = { home: CACHE, modelDir };
  if ((await findModel(options).catch(() => null)) === null) return null;
  const stored = await findEmbedder(options);
  if (stored !== null) return stored;
  linkRuntime();
  const files = await findEmbedder(options);
  if (files === null) throw new Error('node_modules is out of date: run `npm ci`.');
  return files;
}

/** Links the runtime's packages, as npm has installed them, into the program's own layout. */
function linkRuntime(): void {
  const directory = runtimeDirectory(modelsRoot(CACHE));
  rmSync(directory, { recursive: true, force: true });
  for (const each of RUNTIME.packages) {
    const { name, alias = name } = each;
    const nested = join(MODULES, '@huggingface', 'transformers', 'node_modules', alias);
    const link = packageDirectory(directory, each);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(existsSync(nested) ? nested : join(MODULES, alias), link, 'junction');
  }
}

/** A models directory with the model and its runtime; null if there is no model. */
export async function linkModels(modelDir: string): Promise<string | null> {
  const files = await findModelIn(modelDir);
  if (files === null) return null;
  // The directory may contain the runtime as well.
  const own = resolve(modelDir) + sep;
  if (resolve(files.runtime).startsWith(own)) return modelDir;
  const root = modelsRoot(CACHE);
  const link = dirname(modelDirectory(root));
  if (link === dirname(files.directory)) return root;
  mkdirSync(root, { recursive: true });
  rmSync(link, { recursive: true, force: true });
  symlinkSync(dirname(files.directory), link, 'junction');
  return root;
}

/** The developer's models directory: QUANTSHELF_MODEL_DIR, or the one beside the checkout. */
export function suppliedModels(): string {
  const beside = join(fileURLToPath(new URL('../..', import.meta.url)), 'shared', 'models');
  return process.env.QUANTSHELF_MODEL_DIR || beside;
}
