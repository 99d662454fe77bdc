import { downloadModel } from '../app/model-download.ts';
import type { Config } from '../config.ts';
import { tryEmbedding } from '../embedding/embedder.ts';
import { type EmbedderFiles, findEmbedder } from '../embedding/files.ts';
import { MODEL } from '../embedding/pinned.ts';
import type { Terminal } from './terminal.ts';
import { showDownloads } from './terminal.ts';

/**
 * `quantshelf model`: finds undamaged copies of the model and its runtime or downloads them, and embeds
 * a text with them; returns the exit code.
 */
export async function prepareModel(
  config: Config,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const signal = terminal.stopSignal(new Error('Stopped. Nothing half-written is left behind.'));
  try {
    const files =
      (await findUndamaged(config, terminal)) ?? (await download(config, signal, terminal));
    await tryEmbedding(files);
    const result = { id: MODEL.id, directory: files.directory };
    terminal.print(json ? JSON.stringify(result) : `${result.id} is ready in ${files.directory}`);
    return 0;
  } catch (error) {
    terminal.log(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** Damage is logged; a download then replaces the copy. */
async function findUndamaged(config: Config, terminal: Terminal): Promise<EmbedderFiles | null> {
  try {
    return await findEmbedder(config);
  } catch (error) {
    // An offline process downloads nothing, so nobody else would tell.
    if (config.offline) terminal.log(error instanceof Error ? error.message : String(error));
    return null;
  }
}

async function download(
  config: Config,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<EmbedderFiles> {
  if (config.offline) {
    throw new Error(
      'QUANTSHELF_OFFLINE is set, so nothing is downloaded. Unset it, or point QUANTSHELF_MODEL_DIR at a copy.',
    );
  }
  return downloadModel(
    config,
    {
      signal,
      onProgress: showDownloads(terminal.log),
      onWait: () => terminal.log('Another process is downloading the model; waiting for it.'),
    },
    terminal.log,
  );
}
