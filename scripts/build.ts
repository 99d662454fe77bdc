import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';
import { compileStarter } from './starter/compile.ts';

/**
 * `npm run build`: the program and the starter shelf into dist/. Native modules and the
 * transformer library stay outside; what is imported lazily becomes a file of its own, so that
 * a start reads only what the handshake needs.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
await build({
  entryPoints: { main: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minify: true,
  keepNames: false,
  metafile: true,
  legalComments: 'none',
  external: ['better-sqlite3', 'sqlite-vec', '@huggingface/transformers'],
  alias: { '@modelcontextprotocol/server/_shims': './scripts/build/sdk-shims.ts' },
  define: { QUANTSHELF_VERSION: JSON.stringify(version) },
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
compileStarter('data', 'dist/starter.sqlite');
