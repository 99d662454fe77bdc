import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../core/errors.ts';

/** Enough for 116 MB over a slow line. */
const TIMEOUT_MS = 30 * 60_000;

interface NpmOptions {
  /** The npm or npx script that started this process, if any. */
  npmCli?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Downloads `NAME@VERSION` into the empty directory and returns the path of the tarball. Runs the user's own
 * npm, so that the registries, tokens, proxies and certificates of `.npmrc` apply. Rejects with a message
 * for the user, or with the signal's reason.
 */
export async function packWithNpm(
  spec: string,
  directory: string,
  { npmCli, signal }: NpmOptions,
): Promise<string> {
  const words = ['pack', spec, '--ignore-scripts', '--pack-destination', directory];
  await runNpm(words, directory, { npmCli, signal });
  const file = (await readdir(directory)).find((name) => name.endsWith('.tgz'));
  if (file === undefined) throw new Error('npm left no tarball');
  return join(directory, file);
}

/** The registry that npm is configured to use. Rejects as `packWithNpm` does. */
export async function findNpmRegistry(options: NpmOptions): Promise<string> {
  return (await runNpm(['config', 'get', 'registry'], dirname(process.execPath), options)).trim();
}

async function runNpm(
  words: readonly string[],
  cwd: string,
  { npmCli, signal }: NpmOptions,
): Promise<string> {
  const [program, ...before] = findNpm(npmCli);
  const options = { cwd, signal, timeout: TIMEOUT_MS, windowsHide: true, maxBuffer: 1 << 24 };
  try {
    return (await promisify(execFile)(program, [...before, ...words], options)).stdout;
  } catch (error) {
    signal?.throwIfAborted();
    if (codeOf(error) === 'ENOENT')
      throw new Error('npm is not on this machine: install it, or set QUANTSHELF_NPM_URL');
    throw new Error(reasonOf(error), { cause: error });
  }
}

/** The npm that started us, else the one that ships with Node, else `npm` on PATH (which on Windows would need a shell). */
function findNpm(npmCli = ''): [string, ...string[]] {
  const own = npmCli.replace(/npx-cli\.js$/, 'npm-cli.js');
  const folder = dirname(process.execPath);
  const beside = [join(folder, '..', 'lib'), folder].map((place) =>
    join(place, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  );
  const script = [own, ...beside].find((path) => path.endsWith('npm-cli.js') && existsSync(path));
  return script === undefined ? ['npm'] : [process.execPath, script];
}

/** The reason with npm's error code, such as E401. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const [, code] = /^npm (?:error|ERR!) code (\w+)/m.exec(text) ?? [];
  return code === undefined ? 'npm failed' : `npm failed with ${code}`;
}
