import { type ExecFileOptions, execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { npmPack } from '../scripts/bundle/npm-pack.ts';
import { installPrograms, type Programs } from './package/programs.ts';

/** The Node and npm that a user has, by E2E_NODE. */
const PROGRAMS: Readonly<Record<string, Programs>> = {
  22: { node: 22, npm: 10 },
  24: { node: 24, npm: 11 },
};

/**
 * Runs before the end-to-end tests. If E2E_NODE is 22 or 24, packs the build and installs it with the newest
 * such Node and its npm; the tests then start that program. The tests themselves stay on this Node.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const nodeVersion = process.env.E2E_NODE;
  if (nodeVersion === undefined || nodeVersion === '') return undefined;
  const programs = PROGRAMS[nodeVersion];
  if (programs === undefined) throw new Error(`E2E_NODE is 22 or 24, not ${nodeVersion}`);
  const folder = mkdtempSync(join(tmpdir(), 'quantshelf-installed-'));
  // Removing six thousand files synchronously would delay Vitest's end.
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // Some tests run the program as another user.
    chmodSync(folder, 0o755);
    process.stdout.write(`e2e: the package runs on Node ${await install(programs, folder)}\n`);
  } catch (error) {
    await remove();
    throw error;
  }
  process.env.E2E_INSTALLED = folder;
  return remove;
}

/** Installs both below `folder`; returns that Node's version. */
async function install(programs: Programs, folder: string): Promise<string> {
  const place = join(folder, 'programs');
  mkdirSync(place);
  const path = await installPrograms(programs, place, async (name, words, { cwd }) => {
    const { stderr } = await run(name, words, { cwd });
    return { code: 0, stderr };
  });
  if (path === null) throw new Error('The programs of E2E_NODE are there for Linux on x64 only');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const tarball = await npmPack(root, folder);
  const env = { ...process.env, PATH: [path, process.env.PATH].join(delimiter) };
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, tarball];
  await run('npm', words, { cwd: folder, env });
  const { stdout } = await run(join(path, 'node'), ['-p', 'process.versions.node'], {});
  return stdout.trim();
}

function run(command: string, words: readonly string[], options: ExecFileOptions) {
  return promisify(execFile)(command, words, { ...options, encoding: 'utf8' });
}
