import fs from 'node:fs';
import { expect, it, vi } from 'vitest';
import { MODEL } from '../../src/embedding/pinned.ts';
import { loadRealModel } from '../unit/embedding/real-model.ts';
import { describeWithModel } from './model.ts';

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return Array.from(a ?? []).reduce(
    (sum, component, index) => sum + component * (b?.[index] ?? Number.NaN),
    0,
  );
}

describeWithModel('the real model', (embedder) => {
  it('gives one unit vector per text, in order', async () => {
    const texts = Array.from({ length: 19 }, (_, index) =>
      `text ${index} `.repeat(1 + ((index * 7) % 19)),
    );
    const together = await embedder.embed(texts);
    expect(together).toHaveLength(19);
    for (const [index, text] of texts.entries()) {
      const [alone] = await embedder.embed([text]);
      expect(together[index]).toHaveLength(MODEL.dimensions);
      expect(cosine(together[index], together[index])).toBeCloseTo(1, 5);
      expect(cosine(together[index], alone)).toBeGreaterThan(0.9999);
    }
    expect(await embedder.embed([])).toEqual([]);
  });

  it('embeds only the tokens in its window', async () => {
    // Every word is one token; [CLS] and [SEP] take the other two.
    const words = ['stock', 'price', 'risk', 'bank', 'paper', 'year', 'model'];
    const window = Array.from(
      { length: MODEL.windowTokens - 2 },
      (_, index) => words[(index * index) % 11] ?? 'market',
    ).join(' ');
    const [exact, longer, huge, shorter] = await embedder.embed([
      window,
      `${window} and a completely different ending about gardening`,
      `${window} ${'x'.repeat(3_000_000)}`,
      window.slice(0, window.lastIndexOf(' ')),
    ]);
    // Exactly equal: a truncated window that keeps its closing token is the same input.
    expect(longer).toEqual(exact);
    expect(huge).toEqual(exact);
    expect(shorter).not.toEqual(exact);
  });

  it('gives a unit vector for empty text, control characters and a lone surrogate', async () => {
    const vectors = await embedder.embed(['', ' ', '\u0000\ud800', '🙂'.repeat(500), '中文']);
    for (const vector of vectors) expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  });

  it('never reads the weights into memory, since the runtime maps their file', async () => {
    const read = vi.spyOn(fs, 'createReadStream');
    const own = await loadRealModel(1);
    await own.embed(['one']);
    await own.close();
    const paths = read.mock.calls.map(([path]) => String(path));
    read.mockRestore();
    expect(paths.filter((path) => path.endsWith('tokenizer.json'))).not.toEqual([]);
    expect(paths.filter((path) => path.endsWith('.onnx_data'))).toEqual([]);
  });

  it('finishes its work before it closes, and refuses new work afterwards', async () => {
    const own = await loadRealModel(1);
    const last = own.embed(['one', 'two']);
    const closed = own.close();
    await expect(last).resolves.toHaveLength(2);
    await closed;
    await own.close();
    await expect(own.embed(['three'])).rejects.toThrow('closed');
  });
});
