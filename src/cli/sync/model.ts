import { availableParallelism } from 'node:os';
import type { Database } from 'better-sqlite3';
import { downloadModel } from '../../app/model.ts';
import { type Embedder, loadEmbedder } from '../../embedding/embedder.ts';
import { findEmbedder } from '../../embedding/find.ts';
import { claimModel } from '../../store/embedding-model.ts';
import type { SyncRun } from './sync-run.ts';

/** Loads the model on all cores, downloading it first if need be, and marks the store's vectors as its own. */
export async function loadModel({ config, signal, log }: SyncRun, db: Database): Promise<Embedder> {
  const files = (await findEmbedder(config)) ?? (await downloadModel(config, { signal }, log));
  const embedder = await loadEmbedder(files, { threads: availableParallelism() });
  claimModel(db, embedder.stamp);
  return embedder;
}
