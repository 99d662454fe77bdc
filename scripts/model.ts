import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { downloadModel } from '../src/app/model-download.ts';
import { readConfig } from '../src/config.ts';
import {
  type EmbedderFiles,
  findEmbedder,
  findModel,
  modelDirectory,
  modelsRoot,
} from '../src/embedding/files.ts';

/** What development downloads is kept here; `npm ci` clears it. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/quantshelf', import.meta.url));

/**
 * The model under `modelDir`, where nothing is written, and its runtime, which is downloaded if need
 * be; null where there is no model. Rejects when the runtime cannot be had.
 */
export async function findModelIn(modelDir: string): Promise<EmbedderFiles | null> {
  const options = { home: CACHE, modelDir };
  if ((await findModel(options).catch(() => null)) === null) return null;
  const config = readConfig({
    ...process.env,
    QUANTSHELF_HOME: CACHE,
    QUANTSHELF_MODEL_DIR: modelDir,
  });
  return (await findEmbedder(options)) ?? (await downloadModel(config, {}, () => {}));
}

/** A models directory with both, for programs that have a home of their own; null as above. */
export async function linkModels(modelDir: string): Promise<string | null> {
  const files = await findModelIn(modelDir);
  if (files === null) return null;
  // It may hold the runtime, too.
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

/** A models directory that a developer has: QUANTSHELF_MODEL_DIR, or the one beside the checkout. */
export function givenModels(): string {
  const beside = join(fileURLToPath(new URL('../..', import.meta.url)), 'shared', 'models');
  return process.env.QUANTSHELF_MODEL_DIR || beside;
}
