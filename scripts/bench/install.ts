import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Programs } from '../../test/package/programs.ts';
import { addPrograms, type Installed, servePackage } from './packed.ts';
import type { Install, Installs } from './results.ts';

const PROGRAMS: readonly Programs[] = [
  { node: 20, npm: 10 },
  { node: 22, npm: 10 },
  { node: 22, npm: 12 },
  { node: 24, npm: 11 },
];
/** A compiler on a busy machine needs minutes. */
const PATIENCE_MS = 15 * 60_000;

/**
 * What a first `npx -y quantshelf` costs, from an empty cache of npm to the answer of tools/list; each
 * Node with install scripts and without.
 */
export function measureInstalls(log: (line: string) => void): Promise<Omit<Installs, 'made'>> {
  return servePackage(async (served) => {
    const installs: Install[] = [];
    for (const programs of PROGRAMS) {
      const installed = await addPrograms(served, programs);
      if (installed === null) continue;
      for (const hasScripts of [true, false]) {
        const install = await measure(installed, hasScripts);
        log(`${install.programs}: ${install.seconds.toFixed(1)} s`);
        installs.push(install);
      }
    }
    return { packed: served.packed, unpacked: served.unpacked, installs };
  });
}

async function measure(
  { programs, folder, env }: Installed,
  hasScripts: boolean,
): Promise<Install> {
  const place = join(folder, hasScripts ? 'scripts' : 'no-scripts');
  mkdirSync(place);
  const cache = join(place, 'cache');
  const own = {
    ...env,
    npm_config_cache: cache,
    npm_config_ignore_scripts: String(!hasScripts),
    QUANTSHELF_HOME: join(place, 'home'),
    QUANTSHELF_OFFLINE: '1',
  };
  const first = await start(place, own);
  const { seconds: again } = await start(place, own);
  const [name = ''] = readdirSync(join(cache, '_npx'));
  const installed = join(cache, '_npx', name);
  const lock = join(installed, 'node_modules', '.package-lock.json');
  const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
  return {
    programs: hasScripts ? programs : `${programs}, \`--ignore-scripts\``,
    seconds: first.seconds,
    again,
    megabytes: bytesUnder(installed) / 1e6,
    packages: Object.keys(packages).filter((one) => existsSync(join(installed, one))).length,
    scripts: countScripts(join(cache, '_logs')),
    isUsable: first.isUsable,
  };
}

/** Seconds from `npx -y quantshelf` to the answer of tools/list. */
export async function timeToTools(cwd: string, env: Record<string, string>): Promise<number> {
  return (await start(cwd, env)).seconds;
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

function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}
