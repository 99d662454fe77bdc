import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as z from 'zod';
import { installPrograms, NODE_PACKAGE, type Programs } from '../../test/package/programs.ts';
import { startRegistry } from '../../test/stand-ins/registry.ts';

/** The package of this checkout, in a registry of this process. */
export interface Served {
  /** Folder for what is tried; removed afterwards. */
  place: string;
  registry: string;
  /** Of the package itself, in MB. */
  packed: number;
  unpacked: number;
}

/** A version of Node with its npm, below a folder of their own. */
export interface Installed {
  programs: string;
  folder: string;
  /** Settings for commands that these programs run, with an empty cache of npm. */
  env: Record<string, string>;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

const tarball = z.tuple([
  z.object({ filename: z.string(), size: z.number(), unpackedSize: z.number() }),
]);

/** Packs the build as it is and serves it; npm gets everything else from the registry that it is set to. */
export async function servePackage<T>(work: (served: Served) => Promise<T>): Promise<T> {
  const place = mkdtempSync(join(tmpdir(), 'quantshelf-packed-'));
  try {
    const upstream = (await run('npm', ['config', 'get', 'registry'])).stdout.trim();
    const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', place];
    const { code, stdout, stderr } = await run('npm', words);
    if (code !== 0) throw new Error(stderr);
    const [{ filename, size, unpackedSize }] = tarball.parse(JSON.parse(stdout));
    const registry = await startRegistry(join(place, filename), upstream);
    try {
      const [packed, unpacked] = [size / 1e6, unpackedSize / 1e6];
      return await work({ place, registry: registry.url, packed, unpacked });
    } finally {
      await registry.close();
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Installs the programs; null where they are not to be had for this platform. */
export async function addPrograms(
  { place, registry }: Served,
  { node, npm }: Programs,
): Promise<Installed | null> {
  const programs = `Node ${node}, npm ${npm}`;
  const folder = join(place, programs.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  const path = await installPrograms({ node, npm }, folder, (name, args, { cwd }) =>
    run(name, args, { cwd }),
  );
  if (path === null) return null;
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(npm_|QUANTSHELF_|FRED_|XDG_|NODE_OPTIONS$)/i.test(name)
      ? []
      : [[name, value] as const],
  );
  const env = {
    ...Object.fromEntries(inherited),
    PATH: [path, process.env.PATH].join(delimiter),
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: registry,
    // The headers for compilers, which npm would otherwise download.
    npm_config_nodedir: join(folder, NODE_PACKAGE),
  };
  return { programs, folder, env };
}

/** Runs a process to its end. */
export function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output.stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}
