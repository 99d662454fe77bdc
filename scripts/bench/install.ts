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
import { installPrograms, type Programs } from '../../test/package/programs.ts';
import { startRegistry } from '../../test/stand-ins/registry.ts';

const PROGRAMS: readonly Programs[] = [
  { node: 20, npm: 10 },
  { node: 22, npm: 10 },
  { node: 22, npm: 12 },
  { node: 24, npm: 11 },
];
/** A compiler on a busy machine needs minutes. */
const PATIENCE_MS = 15 * 60_000;

interface Install {
  /** The versions of Node and npm, and npm's option where it runs no scripts. */
  setting: string;
  seconds: number;
  again: number;
  megabytes: number;
  packages: number;
  scripts: number;
  /** Whether a call was answered after that, which needs SQLite. */
  isUsable: boolean;
}

/**
 * What a first `npx -y quantshelf` costs, from an empty cache of npm to the answer of tools/list: the
 * tarball of this checkout, everything else from the registry that npm is set to. Each Node with
 * install scripts and without, as a table in Markdown.
 */
export async function measureInstalls(): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'quantshelf-install-'));
  try {
    const upstream = (await run('npm', ['config', 'get', 'registry'])).stdout.trim();
    const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', place];
    const packed = await run('npm', words);
    const registry = await startRegistry(join(place, packed.stdout.trim()), upstream);
    const installs: Install[] = [];
    for (const programs of PROGRAMS) {
      const folder = join(place, `${installs.length}`);
      mkdirSync(folder);
      const path = await installPrograms(programs, folder, (name, args, { cwd }) =>
        run(name, args, cwd),
      );
      if (path === null) continue;
      for (const hasScripts of [true, false]) {
        const shell = { path, registry: registry.url, hasScripts };
        installs.push(await measure(programs, join(folder, `${hasScripts}`), shell));
      }
    }
    await registry.close();
    return renderTable(installs);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function measure(
  { node, npm }: Programs,
  folder: string,
  { path, registry, hasScripts }: { path: string; registry: string; hasScripts: boolean },
): Promise<Install> {
  mkdirSync(folder);
  const cache = join(folder, 'cache');
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(npm_|QUANTSHELF_)/i.test(name) ? [] : [[name, value] as const],
  );
  const env = {
    ...Object.fromEntries(inherited),
    PATH: [path, process.env.PATH].join(delimiter),
    npm_config_cache: cache,
    npm_config_registry: registry,
    npm_config_ignore_scripts: String(!hasScripts),
    QUANTSHELF_HOME: join(folder, 'home'),
    QUANTSHELF_OFFLINE: '1',
  };
  const first = await start(folder, env);
  const second = await start(folder, env);
  const [name = ''] = readdirSync(join(cache, '_npx'));
  const installed = join(cache, '_npx', name);
  const lock = join(installed, 'node_modules', '.package-lock.json');
  const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
  return {
    setting: `Node ${node}, npm ${npm}${hasScripts ? '' : ', `--ignore-scripts`'}`,
    seconds: first.seconds,
    again: second.seconds,
    megabytes: bytesUnder(installed) / 1e6,
    packages: Object.keys(packages).filter((one) => existsSync(join(installed, one))).length,
    scripts: countScripts(join(cache, '_logs')),
    isUsable: second.isUsable,
  };
}

async function start(
  cwd: string,
  env: Record<string, string>,
): Promise<Pick<Install, 'seconds' | 'isUsable'>> {
  const begun = performance.now();
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StdioClientTransport({
    command: 'npx',
    args: ['-y', 'quantshelf'],
    cwd,
    env,
    stderr: 'ignore',
  });
  await client.connect(transport, { timeout: PATIENCE_MS });
  const { tools } = await client.listTools();
  const seconds = (performance.now() - begun) / 1000;
  const reply = await client.callTool({ name: 'macro_indicator_search', arguments: {} });
  await client.close();
  if (tools.length === 0) throw new Error('no tools');
  return { seconds, isUsable: reply.isError !== true };
}

/** npm notes in its logs when the script of a package has ended. */
function countScripts(logs: string): number {
  const text = readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'utf8'))
    .join('\n');
  return new Set(text.match(/info run \S+ (?:pre|post)?install \{ code/g)).size;
}

function renderTable(installs: readonly Install[]): string {
  const rows = installs.map((install) => {
    const { setting, seconds, again, megabytes, packages, scripts, isUsable } = install;
    const figures = [
      `${seconds.toFixed(1)} s`,
      `${again.toFixed(1)} s`,
      `${megabytes.toFixed(0)} MB`,
    ];
    return `| ${[setting, ...figures, packages, scripts, isUsable ? 'yes' : 'no'].join(' | ')} |`;
  });
  return [
    '| | first start | second start | installed | packages | install scripts run | answers calls |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

function run(
  command: string,
  args: readonly string[],
  cwd?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
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
