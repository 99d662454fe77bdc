import { writeSync } from 'node:fs';
import { changeModel } from '../../src/app/change-model.ts';
import { loadEmbedder } from '../../src/embedding/embedder.ts';
import { listModels } from '../../src/embedding/records.ts';
import type { EmbedderFiles } from '../../src/embedding/runtime.ts';
import { openForWriting } from '../../src/store/open.ts';

/**
 * Changes the store at `path` to the model `id` of `modelDir`, whose files are those of `given` (JSON); says
 * what it does, and waits to be killed after the first papers.
 */
async function main([path = '', modelDir = '', given = '', id = '']: readonly string[]) {
  const files: EmbedderFiles = JSON.parse(given);
  const { models } = await listModels({ home: modelDir, modelDir });
  const model = models.find((one) => one.id === id);
  if (model === undefined) throw new Error('no model');
  const embedder = await loadEmbedder(files, { threads: 1, model });
  await changeModel(openForWriting(path), embedder, {
    signal: new AbortController().signal,
    onProgress(what, done) {
      writeSync(1, `${done} ${what}\n`);
      // The kill comes between two slices.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
    },
  });
}

await main(process.argv.slice(2));
