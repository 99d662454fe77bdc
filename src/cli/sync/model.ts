import { availableParallelism } from 'node:os';
import type { Database } from 'better-sqlite3';
import { downloadModel } from '../../app/model.ts';
import { type Embedder, loadEmbedder } from '../../embedding/embedder.ts';
import { MODEL_STAMP } from '../../embedding/model.ts';
import { findEmbedder } from '../../embedding/runtime.ts';
import { claimModel } from '../../store/embedding-model.ts';
import { showDownloads } from '../progress.ts';
import type { SyncRun } from './sync-run.ts';

const OFFLINE =
  'The embedding model or ONNX Runtime is not here, and there is no network to download it.';

/** Loads the model on all cores, downloading it first if need be, and marks the store's vectors as its own. */
export async function loadModel(run: SyncRun, db: Database): Promise<Embedder> {
  const { config, isOnline, signal, log } = run;
  const stored = await findEmbedder(config);
  if (stored === null && !isOnline) throw new Error(OFFLINE);
  const files =
    stored ?? (await downloadModel(config, { signal, onProgress: showDownloads(log) }, log));
  claimModel(db, MODEL_STAMP);
  return loadEmbedder(files, { threads: availableParallelism() });
}
