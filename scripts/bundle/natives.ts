import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import * as z from 'zod';
import { npmPack } from './npm-pack.ts';

const lockFile = new URL('../../package-lock.json', import.meta.url);
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

/** Files that only compiling better-sqlite3 needs: more than half of the package. */
const SOURCES = /^[^/]+\/(?:deps|src)\//;

/**
 * Puts the dependencies into a node_modules folder: better-sqlite3, which includes binaries for all
 * platforms, and sqlite-vec with the binary of each platform. Versions and checksums come from
 * package-lock.json.
 */
export async function addNatives(modules: string, tarballs: string): Promise<void> {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(lockFile, 'utf8')));
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const name = path.replace('node_modules/', '');
    if (!/^(?:better-sqlite3|sqlite-vec(?:-(?:darwin|linux|windows)-\w+)?)$/.test(name)) continue;
    const tarball = await npmPack(`${name}@${version}`, tarballs);
    const sha512 = createHash('sha512').update(readFileSync(tarball)).digest('base64');
    if (integrity !== `sha512-${sha512}`) throw new Error(`${name} differs from package-lock.json`);
    const cwd = join(modules, name);
    mkdirSync(cwd, { recursive: true });
    await extract({ file: tarball, cwd, strip: 1, filter: (entry) => !SOURCES.test(entry) });
  }
}
