import { downloadModel } from '../app/model-download.ts';
import type { Config } from '../config.ts';
import { firstLineOf } from '../core/errors.ts';
import { remedyForLoad, tryEmbedding } from '../embedding/embedder.ts';
import { findEmbedder } from '../embedding/files.ts';
import { MODEL } from '../embedding/pinned.ts';
import { showDownloads, type Terminal } from './terminal.ts';

/** `quantshelf model`: finds or downloads the model and its runtime, and tests them; returns the exit code. */
export async function prepareModel(
  config: Config,
  json: boolean,
  { log, print, stopSignal }: Terminal,
): Promise<number> {
  const signal = stopSignal(new Error('Stopped. No partial download was kept.'));
  const onProgress = showDownloads(log);
  const onWait = () => log('Another process is downloading the model; waiting for it.');
  try {
    const files = config.offline
      ? await findEmbedder(config)
      : await downloadModel(config, { signal, onProgress, onWait }, log);
    if (files === null) {
      throw new Error(
        'QUANTSHELF_OFFLINE is set, so nothing is downloaded. Unset it, or point QUANTSHELF_MODEL_DIR at a directory that holds the model and its runtime.',
      );
    }
    await tryEmbedding(files);
    const result = { id: MODEL.id, directory: files.directory };
    print(json ? JSON.stringify(result) : `${result.id} is ready in ${files.directory}`);
    return 0;
  } catch (error) {
    const message = firstLineOf(error);
    log(`${message} ${remedyForLoad(message) ?? ''}`.trim());
    return 1;
  }
}
