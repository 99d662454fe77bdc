import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const root = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const SHRINKWRAP = root('npm-shrinkwrap.json');
/** Where better-sqlite3 13 does not run; elsewhere npm skips version 12 and its install script. */
const WITHOUT_NODE_API_10 = '<22.14.0 || >=23.0.0 <23.6.0';

const lockfile = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

/**
 * The package's own lockfile, which npm honours when it installs from a registry: what users install,
 * at the versions that were tested, and version 12 of better-sqlite3 only where it is needed.
 */
export function renderShrinkwrap(lock: string, manifest: string): string {
  const { packages, ...rest } = lockfile.parse(JSON.parse(lock));
  const { name, version, license, engines, bin, dependencies, optionalDependencies } =
    JSON.parse(manifest);
  const installed = Object.entries(packages).flatMap(([path, entry]) => {
    if (!path.startsWith('node_modules/') || entry.dev || entry.link) return [];
    const { devOptional, ...kept } = entry;
    return [[path, devOptional ? { ...kept, optional: true } : kept] as const];
  });
  const only = Object.fromEntries(installed);
  const node20 = only['node_modules/better-sqlite3-node20'];
  if (node20 === undefined) throw new Error('package-lock.json lacks better-sqlite3-node20');
  node20.engines = { node: WITHOUT_NODE_API_10 };
  const own = { name, version, license, engines, bin, dependencies, optionalDependencies };
  return `${JSON.stringify({ ...rest, name, version, packages: { '': own, ...only } }, null, 2)}\n`;
}

/** Writes it beside the manifest while `work` packs; it must not lie there otherwise. */
export async function withShrinkwrap<T>(work: () => Promise<T>): Promise<T> {
  write();
  try {
    return await work();
  } finally {
    rmSync(SHRINKWRAP, { force: true });
  }
}

function write(): void {
  const read = (name: string) => readFileSync(root(name), 'utf8');
  writeFileSync(SHRINKWRAP, renderShrinkwrap(read('package-lock.json'), read('package.json')));
}

/* `npm pack` and `npm publish` run this before and, with --remove, after they pack. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--remove')) rmSync(SHRINKWRAP, { force: true });
  else write();
}
