import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';
import { renderNotices } from './build/notices.ts';
import { compileStarter } from './starter/compile.ts';

/**
 * `npm run build`: the program, its code cache and the starter shelf into dist/.
 * Native modules and the transformer library stay outside the bundle; what is imported lazily is
 * in it, but is evaluated only when asked for.
 */
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
const program = await build({
  metafile: true,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Lazy externals become a lazy require: under a code cache V8 loses the hook of import().
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  external: ['better-sqlite3', 'sqlite-vec', '@huggingface/transformers'],
  alias: { '@modelcontextprotocol/server/_shims': './scripts/build/sdk-shims.ts' },
  define: {
    QUANTSHELF_VERSION: JSON.stringify(version),
    'import.meta.url': '__importMetaUrl',
  },
  banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
  logLevel: 'warning',
});
await build({
  entryPoints: ['src/boot.ts'],
  outfile: 'dist/boot.js',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
const parser = await build({
  metafile: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // The PDF library becomes a file of its own, which a thread that reads HTML never loads.
  entryPoints: { 'paper-parser': 'src/areas/papers/full-text/worker.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  chunkNames: 'paper-[name]-[hash]',
  splitting: true,
});
writeFileSync('dist/THIRD-PARTY.txt', renderNotices([program.metafile, parser.metafile]));
cpSync('src/doors/page', 'dist/page', {
  recursive: true,
  filter: (path) => !path.endsWith('.json'),
});
compileStarter('data', 'dist/starter.sqlite');
writeCodeCache();

/** Runs a handshake and keeps what V8 compiled for it. */
function writeCodeCache(): void {
  const program = `
    import { writeFileSync } from 'node:fs';
    import { cachePath, loadProgram } from './dist/boot.js';
    const { program, script } = loadProgram();
    await program.start();
    writeFileSync(cachePath('dist/main.cjs'), script.createCachedData());`;
  const client = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'build', version },
  };
  const handshake = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: client },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ];
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    input: handshake.map((message) => `${JSON.stringify(message)}\n`).join(''),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}
