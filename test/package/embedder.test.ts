import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findModelIn } from '../../scripts/model.ts';
import { type Embedder, loadEmbedder } from '../../src/embedding/embedder.ts';
import type { EmbedderFiles } from '../../src/embedding/files.ts';
import { MODEL } from '../../src/embedding/pinned.ts';
import { compile } from '../program.ts';
import { REAL_MODELS } from '../unit/embedding/real-model.ts';
import { putFiles } from '../unit/embedding/tiny-model.ts';

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return Array.from(a ?? []).reduce(
    (sum, component, index) => sum + component * (b?.[index] ?? Number.NaN),
    0,
  );
}

describe.skipIf(REAL_MODELS === undefined)('the real model', () => {
  let real: EmbedderFiles;
  let embedder: Embedder;
  let scratch: string;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'quantshelf-embedder-'));
    // Only the listed files: what else lies in the directory must not be needed.
    const files = await findModelIn(REAL_MODELS ?? '');
    if (files === null) throw new Error('the real model is not here');
    real = files;
    for (const { path } of MODEL.files) {
      const link = join(scratch, 'model', path);
      await putFiles(dirname(link), { '.keep': Buffer.alloc(0) });
      await symlink(join(real.directory, path), link);
    }
    embedder = await loadEmbedder({ ...real, directory: join(scratch, 'model') }, { threads: 2 });
  });

  afterAll(async () => {
    await embedder.close();
    await rm(scratch, { recursive: true, force: true });
  });

  it('gives one vector of length 1 per text, in order', async () => {
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

  it('reads the window and ignores the rest', async () => {
    // Every word is one token; [CLS] and [SEP] are the other two.
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
    // Not only near: a cut window that kept its closing token is the very same input.
    expect(longer).toEqual(exact);
    expect(huge).toEqual(exact);
    expect(shorter).not.toEqual(exact);
  });

  it('accepts empty and odd texts', async () => {
    const vectors = await embedder.embed(['', ' ', '\u0000\ud800', '🙂'.repeat(500), '中文']);
    for (const vector of vectors) expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  });

  it('finishes its work before it closes, and refuses new work after', async () => {
    const own = await loadEmbedder(real, { threads: 1 });
    const last = own.embed(['one', 'two']);
    const closed = own.close();
    await expect(last).resolves.toHaveLength(2);
    await closed;
    await own.close();
    await expect(own.embed(['three'])).rejects.toThrow('closed');
  });

  it('prints nothing on stdout and lets its process end by itself', async () => {
    const script = `
      import { loadEmbedder } from ${JSON.stringify(await compile('src/embedding/embedder.ts'))};
      const files = ${JSON.stringify(real)};
      const embedder = await loadEmbedder(files, { threads: 2 });
      await embedder.embed(['one', 'two '.repeat(900)]);
      await embedder.close();
      await loadEmbedder({ ...files, directory: 'no-such-directory' }, { threads: 2 }).catch(() => {});`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script],
      { timeout: 120_000 },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });
});
