import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const LIBRARY = here('../../node_modules/@huggingface/transformers/src');

/**
 * Bundles the transformer library from its sources, without image decoding and the WebAssembly runtime,
 * which embedding text does not use. The native runtime is loaded by the program itself.
 */
export const bundleTransformers: Plugin = {
  name: 'transformers',
  setup({ onResolve }) {
    onResolve({ filter: /^@huggingface\/transformers$/ }, () => ({
      path: `${LIBRARY}/transformers.js`,
      sideEffects: false,
    }));
    onResolve({ filter: /^(sharp|onnxruntime-web\/webgpu)$/ }, () => ({
      path: here('absent/index.cjs'),
    }));
    onResolve({ filter: /\/onnx-node\.js$/ }, ({ resolveDir }) =>
      resolveDir.startsWith(LIBRARY) ? { path: here('onnx-node.cjs') } : undefined,
    );
  },
};
