import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { bundleTransformers } from '../../scripts/build/transformers.ts';
import { findModelIn } from '../../scripts/model.ts';
import type * as embedder from '../../src/embedding/embedder.ts';
import { loadRealModel, REAL_MODELS } from '../unit/embedding/real-model.ts';

const TEXTS = [
  'momentum',
  'Does the Fed cut?',
  '',
  'rough volatility and option pricing '.repeat(60),
];

it.skipIf(REAL_MODELS === undefined)(
  'the bundled transformer library gives the very vectors of the installed one',
  async () => {
    const files = await findModelIn(REAL_MODELS ?? '');
    if (files === null) throw new Error('the real model is not here');
    const directory = await mkdtemp(join(tmpdir(), 'quantshelf-bundle-'));
    const outfile = join(directory, 'embedder.mjs');
    const { metafile } = await build({
      entryPoints: [resolve('src/embedding/embedder.ts')],
      outfile,
      bundle: true,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      plugins: [bundleTransformers],
      logLevel: 'silent',
    });
    const bundled: typeof embedder = await import(pathToFileURL(outfile).href);
    const theirs = await bundled.loadEmbedder(files, { threads: 1 });
    const ours = await loadRealModel(1);
    expect(await theirs.embed(TEXTS)).toEqual(await ours.embed(TEXTS));
    await theirs.close();
    await ours.close();
    await rm(directory, { recursive: true });
    expect(
      Object.keys(metafile.inputs).filter((path) => /sharp|onnxruntime-web/.test(path)),
    ).toEqual([]);
    const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
    expect(
      outside.map(({ path }) => path).filter((path) => !/^(node:)?[a-z_/]+$/.test(path)),
    ).toEqual([]);
  },
);
