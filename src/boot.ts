import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

interface Program {
  start(): Promise<void>;
}

/**
 * Loads the bundle beside this file with V8's code cache, which the build leaves there: compiling
 * is a fifth of the time to the handshake. Another Node rejects the cache and compiles as usual.
 * `script` is for the build, which makes the cache from a run.
 */
export function loadProgram(): { program: Program; script: Script } {
  const path = fileURLToPath(new URL('./main.cjs', import.meta.url));
  const cachedData = readIfThere(cachePath(path));
  const parameters = 'exports, require, module, __filename, __dirname';
  const script = new Script(`(function (${parameters}) {${readFileSync(path, 'utf8')}\n})`, {
    // The cache remembers the name that it was made under: not the builder's directory.
    filename: 'quantshelf/dist/main.cjs',
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module: { exports: Program } = { exports: { start: async () => {} } };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
  return { program: module.exports, script };
}

/** The cache of one Node on one kind of machine; another reads none. */
export function cachePath(path: string): string {
  return `${path}.${process.version}-${process.platform}-${process.arch}.cache`;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
