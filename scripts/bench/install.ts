import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { installPrograms, NODE_PACKAGE } from '../../test/package/programs.ts';
import { startRegistry } from '../../test/stand-ins/registry.ts';

const PROGRAMS = [
  { node: 20, npm: 10 },
  { node: 22, npm: 10 },
  { node: 22, npm: 12 },
  { node: 24, npm: 11 },
] as const;
/** A compiler on a busy machine needs minutes. */
const PATIENCE_MS = 15 * 60_000;
const tarball = z.tuple([
  z.object({ filename: z.string(), size: z.number(), unpackedSize: z.number() }),
]);

interface Install {
  /** To the answer of tools/list, from an empty cache of npm and once more. */
  seconds: number;
  again: number;
  megabytes: number;
  packages: number;
}

/**
 * A table of what a first `npx -y quantshelf` costs, from an empty cache of npm to the answer of tools/list. The
 * package comes from a registry of this process, all else from the one that npm is set to.
 */
export async function measureInstalls(log: (line: string) => void): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'quantshelf-packed-'));
  const upstream = (await run('npm', ['config', 'get', 'registry'])).trim();
  const packed = await run('npm', [
    ...['pack', '--json', '--ignore-scripts', '--pack-destination', place],
  ]);
  const [{ filename, size, unpackedSize }] = tarball.parse(JSON.parse(packed));
  const registry = await startRegistry(join(place, filename), upstream);
  try {
    const rows: string[] = [];
    for (const { node, npm } of PROGRAMS) {
      const folder = join(place, `node-${node}-npm-${npm}`);
      mkdirSync(folder);
      const path = await installPrograms({ node, npm }, folder, (name, args, { cwd }) =>
        runToEnd(name, args, { cwd }),
      );
      if (path === null) continue;
      const install = await measure(folder, path, registry.url);
      const { seconds, again, megabytes, packages } = install;
      rows.push(
        `| Node ${node}, npm ${npm} | ${seconds.toFixed(1)} s | ${again.toFixed(1)} s | ${megabytes.toFixed(0)} MB | ${packages} |`,
      );
      log(rows.at(-1) ?? '');
    }
    return [
      `The package is ${(size / 1e6).toFixed(1)} MB packed and ${(unpackedSize / 1e6).toFixed(1)} MB unpacked.`,
      '',
      '|  | first start | second start | installed | packages |',
      '|---|---|---|---|---|',
      ...rows,
    ].join('\n');
  } finally {
    await registry.close();
    rmSync(place, { recursive: true, force: true });
  }
}

async function measure(folder: string, path: string, registry: string): Promise<Install> {
  const cache = join(folder, 'cache');
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(npm_|QUANTSHELF_|FRED_|XDG_|NODE_OPTIONS$)/i.test(name)
      ? []
      : [[name, value] as const],
  );
  const env = {
    ...Object.fromEntries(inherited),
    PATH: [path, process.env.PATH].join(delimiter),
    npm_config_cache: cache,
    npm_config_registry: registry,
    // The headers for compilers, which npm would otherwise download.
    npm_config_nodedir: join(folder, NODE_PACKAGE),
    QUANTSHELF_HOME: join(folder, 'home'),
    QUANTSHELF_OFFLINE: '1',
  };
  const seconds = await timeToTools(folder, env);
  const again = await timeToTools(folder, env);
  const [name = ''] = readdirSync(join(cache, '_npx'));
  const installed = join(cache, '_npx', name);
  const lock = join(installed, 'node_modules', '.package-lock.json');
  const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
  return {
    seconds,
    again,
    megabytes: bytesUnder(installed) / 1e6,
    packages: Object.keys(packages).filter((one) => existsSync(join(installed, one))).length,
  };
}

/** Seconds from `npx -y quantshelf` to the answer of tools/list; a call must be answered after that. */
async function timeToTools(cwd: string, env: Record<string, string>): Promise<number> {
  const begun = performance.now();
  const client = new Client({ name: 'bench', version: '1' });
  const args = ['-y', 'quantshelf'];
  await client.connect(
    new StdioClientTransport({ command: 'npx', args, cwd, env, stderr: 'ignore' }),
    { timeout: PATIENCE_MS },
  );
  await client.listTools();
  const seconds = (performance.now() - begun) / 1_000;
  const reply = await client.callTool({ name: 'macro_indicator_search', arguments: {} });
  await client.close();
  if (reply.isError === true) throw new Error(JSON.stringify(reply.structuredContent));
  return seconds;
}

function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(command, args, {});
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

function runToEnd(command: string, args: readonly string[], options: { cwd?: string }) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
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
