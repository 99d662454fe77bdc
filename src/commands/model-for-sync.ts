import { availableParallelism } from 'node:os';
import type { Database } from 'better-sqlite3';
import { type Embedder, loadEmbedder } from '../embedding/embedder.ts';
import { findModel } from '../embedding/files.ts';
import { bringModel } from '../model-tools.ts';
import { claimModel } from '../store/vectors.ts';
import type { Pass } from './pass.ts';

/** The model on all cores, fetched first where it is missing; the store's vectors are its own from now on. */
export async function loadModel({ config, signal }: Pass, db: Database): Promise<Embedder> {
  const directory = (await findModel(config)) ?? (await bringModel(config, { signal })).directory;
  const embedder = await loadEmbedder(directory, { threads: availableParallelism() });
  claimModel(db, embedder.stamp);
  return embedder;
}
