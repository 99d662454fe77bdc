import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packExtension } from '@anthropic-ai/mcpb';
import { extract } from 'tar';
import { findNpmRegistry } from '../src/embedding/npm.ts';
import { describeBundle } from './bundle/manifest.ts';
import { addNatives } from './bundle/natives.ts';
import { npmPack } from './bundle/npm-pack.ts';
import { readPackage } from './package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes the bundle (.mcpb) of the build in dist/ to a file: the package as npm would publish it, its native
 * code for every platform, and the launcher. Fetches from npm's registry; throws if it cannot be reached, or
 * sends anything that differs from package-lock.json.
 */
export async function makeBundle(file: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'quantshelf-bundle-'));
  try {
    const [bundle, tarballs] = [join(place, 'bundle'), join(place, 'tarballs')];
    const server = join(bundle, 'server');
    for (const folder of [server, tarballs]) mkdirSync(folder, { recursive: true });
    const tarball = await npmPack(root, tarballs);
    await extract({ file: tarball, cwd: server, strip: 1 });
    await addNatives(join(server, 'node_modules'), tarballs);
    for (const name of ['start.sh', 'start.mjs']) {
      copyFileSync(join(root, 'scripts/bundle', name), join(bundle, name));
    }
    const manifest = JSON.stringify(
      describeBundle(readPackage(), await findNpmRegistry({ env: process.env })),
      null,
      2,
    );
    writeFileSync(join(bundle, 'manifest.json'), `${manifest}\n`);
    // `packExtension` validates the manifest first, and reports faults on stdout.
    const isPacked = await packExtension({ extensionPath: bundle, outputPath: file, silent: true });
    if (!isPacked) throw new Error('the bundle is not valid');
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { name, version } = readPackage();
  const file = resolve(root, `${name}-${version}.mcpb`);
  await makeBundle(file);
  process.stdout.write(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB\n`);
}
