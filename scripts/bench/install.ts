import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
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

/** What a first `npx -y quantshelf` costs, from an empty cache of npm to the answer of tools/list. */
export function measureInstalls(log: (line: string) => void): Promise<Omit<Installs, 'made'>> {
  return servePackage(async (served) => {
    const installs: Install[] = [];
    for (const programs of PROGRAMS) {
      const installed = await addPrograms(served, programs);
      if (installed === null) continue;
      const install = await measure(installed);
      log(`${install.programs}: ${install.seconds.toFixed(1)} s`);
      installs.push(install);
    }
    return { packed: served.packed, unpacked: served.unpacked, installs };
  });
}

async function measure({ programs, folder, env }: Installed): Promise<Install> {
  const own = { ...env, QUANTSHELF_HOME: join(folder, 'home'), QUANTSHELF_OFFLINE: '1' };
  const seconds = await timeToTools(folder, own);
  const again = await timeToTools(folder, own);
  const cache = join(folder, 'cache');
  const [name = ''] = readdirSync(join(cache, '_npx'));
  const installed = join(cache, '_npx', name);
  const lock = join(installed, 'node_modules', '.package-lock.json');
  const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
  return {
    programs,
    seconds,
    again,
    megabytes: bytesUnder(installed) / 1e6,
    packages: Object.keys(packages).filter((one) => existsSync(join(installed, one))).length,
    scripts: countScripts(join(cache, '_logs')),
  };
}

/** Seconds from `npx -y quantshelf` to the answer of tools/list. */
export async function timeToTools(cwd: string, env: Record<string, string>): Promise<number> {
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
  await client.close();
  if (tools.length === 0) throw new Error('no tools');
  return seconds;
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
