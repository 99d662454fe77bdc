import { existsSync } from 'node:fs';
import { findModelIn, suppliedModels } from '../../../scripts/model.ts';
import { type Embedder, loadEmbedder } from '../../../src/embedding/embedder.ts';
import { modelDirectory } from '../../../src/embedding/files.ts';

const root = suppliedModels();

/** A models directory with the real model; if undefined, tests of meaning are skipped. */
export const REAL_MODELS: string | undefined = existsSync(modelDirectory(root)) ? root : undefined;

export async function loadRealModel(threads: number): Promise<Embedder> {
  const files = await findModelIn(root);
  if (files === null) throw new Error('the real model is not here');
  return loadEmbedder(files, { threads });
}
