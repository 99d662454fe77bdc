import { mkdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';

/** Bundles are kept inside node_modules, from where they find the packages that they leave out. */
const DIRECTORY = resolve('node_modules/.cache/quantshelf-tests');

/**
 * Compiles a TypeScript program, so that a test can start it several times with Node alone: the
 * compiler in each child takes longer than most of them. Returns the path of the program.
 */
export async function compile(program: string): Promise<string> {
  mkdirSync(DIRECTORY, { recursive: true });
  const outfile = resolve(DIRECTORY, basename(program).replace(/\.ts$/, '.mjs'));
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
