import { type FindModelOptions, findModel } from './files.ts';
import { findRuntime } from './runtime.ts';

/** What is on disk and needed to embed texts. */
export interface EmbedderFiles {
  /** Directory of the model. */
  directory: string;
  /** Path from which Node resolves the runtime. */
  runtime: string;
}

/** Intact copies of the model and of its runtime; null unless both are here. Rejects like `findModel`. */
export async function findEmbedder(options: FindModelOptions): Promise<EmbedderFiles | null> {
  const directory = await findModel(options);
  const { home, modelDir } = options;
  const runtime = directory === null ? null : await findRuntime({ home, modelDir });
  return directory === null || runtime === null ? null : { directory, runtime };
}
