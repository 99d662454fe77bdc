import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Package, readPackage } from './package.ts';
import { describeRegistryEntry, findNameFaults } from './release/registry-entry.ts';

const UNDECIDED = ['repository', 'homepage', 'bugs', 'mcpName'] as const;

/** What prevents publishing a version, one sentence each; docs/contributing.md describes a release. */
export function findReleaseFaults(metadata: Package, changelog: string): string[] {
  const missing = UNDECIDED.filter((name) => metadata[name] === undefined);
  const version = metadata.version.replaceAll('.', '\\.');
  const isDated = new RegExp(`^## \\[?${version}\\]? - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(changelog);
  const hasUnreleased = /^## Unreleased\n\s*(?!##? )\S/m.test(changelog);
  return [
    ...missing.map((name) => `package.json has no "${name}".`),
    ...findNameFaults(metadata),
    ...(isDated ? [] : [`CHANGELOG.md has no section "## ${metadata.version} - YYYY-MM-DD".`]),
    ...(hasUnreleased ? ['CHANGELOG.md still has lines under "Unreleased".'] : []),
  ];
}

/**
 * `npm run release`: writes server.json, the entry for the MCP registry. Exits with 1 and says why if the
 * version cannot be published yet.
 */
function main(): void {
  const file = (name: string) => new URL(`../${name}`, import.meta.url);
  const metadata = readPackage();
  const faults = findReleaseFaults(metadata, readFileSync(file('CHANGELOG.md'), 'utf8'));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) {
    process.exitCode = 1;
    return;
  }
  const entry = JSON.stringify(describeRegistryEntry(metadata), null, 2);
  writeFileSync(file('server.json'), `${entry}\n`);
  process.stdout.write(
    'Wrote server.json. Ready for `npm publish`, then `mcp-publisher publish`.\n',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
