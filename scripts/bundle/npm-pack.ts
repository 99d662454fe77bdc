import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

const packed = z.tuple([z.object({ filename: z.string() })]);

/** Packs a folder, or NAME@VERSION from the registry, into `target`; returns the tarball's path. */
export async function npmPack(spec: string, target: string): Promise<string> {
  // The scripts of a folder would build it again.
  const words = ['pack', spec, '--json', '--ignore-scripts', '--pack-destination', target];
  const isWindows = process.platform === 'win32';
  const { stdout } = await promisify(execFile)(isWindows ? 'npm.cmd' : 'npm', words, {
    shell: isWindows,
    maxBuffer: 64 * 1024 * 1024,
  });
  return join(target, packed.parse(JSON.parse(stdout))[0].filename);
}
