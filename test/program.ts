import { mkdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';

/** Bundles are kept inside node_modules, where they can resolve external packages. */
const DIRECTORY = resolve('node_modules/.cache/quantshelf-tests');

/**
 * Compiles a TypeScript program, so that a test can start it repeatedly with plain Node: compiling in each
 * child would take longer than most of them run. Returns the program's path.
 */
export async function compile(program: string, directory = DIRECTORY): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const outfile = resolve(directory, basename(program).replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return outfile;
}
