import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { publish } from '../src/doors/published.ts';
import * as table from '../src/operations.ts';
import { renderNotices } from './build/notices.ts';
import { buildViews } from './build/views.ts';
import { readPackage } from './package.ts';
import { compileStarter } from './starter/compile.ts';

/** `npm run build`: writes the program, its threads, the page, the views and the shelf to dist/. */
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { version } = readPackage();

const published = publish(table);

const shared = {
  metafile: true,
  bundle: true,
  // A lazily imported module becomes its own file, read only on demand.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Node 20 supports these escapes; otherwise esbuild would compile the expression on every evaluation.
  supported: { 'regexp-unicode-property-escapes': true },
  outdir: 'dist',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // CommonJS libraries in the bundle load Node's modules with require.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  logLevel: 'warning',
} as const satisfies BuildOptions;

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
const program = await build({
  ...shared,
  entryPoints: ['src/main.ts'],
  alias: {
    '@modelcontextprotocol/server/_shims': './scripts/build/sdk-shims.ts',
    // The bundler cannot follow the requires in its other build.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  },
  define: {
    QUANTSHELF_VERSION: JSON.stringify(version),
    QUANTSHELF_PUBLISHED: JSON.stringify(published),
  },
});
const parser = await build({
  ...shared,
  // The PDF library becomes its own file, which a thread that reads HTML never loads.
  entryPoints: { 'paper-parser': 'src/areas/papers/parser-thread.ts' },
  outExtension: { '.js': '.mjs' },
  chunkNames: 'thread-[name]-[hash]',
});
const views = await buildViews('dist', version);
writeFileSync('dist/THIRD-PARTY.txt', renderNotices([program.metafile, parser.metafile, ...views]));
compileStarter('data', 'dist/starter.sqlite');
