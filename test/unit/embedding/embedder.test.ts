import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tryEmbedding } from '../../../src/embedding/embedder.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { putFiles } from './tiny-model.ts';

/** A transformer library whose model returns an empty output. */
const LIBRARY = `
  module.exports = {
    env: {},
    LogLevel: {},
    Tensor: class {},
    AutoTokenizer: { from_pretrained: async () => ({ encode: () => [101, 102] }) },
    AutoModel: { from_pretrained: async () => ({ _call: async () => ({}) }) },
  };`;

it('a model that returns no hidden states is reported as one that cannot be loaded', async () => {
  const runtime = temporaryDirectory();
  const folder = join(runtime, 'node_modules', '@huggingface', 'transformers');
  await putFiles(folder, { 'index.js': LIBRARY });
  await expect(tryEmbedding({ directory: runtime, runtime })).rejects.toThrow(
    'it cannot be loaded (the model returned no hidden states)',
  );
});
