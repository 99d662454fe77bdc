import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Package, readPackage } from './package.ts';
import { describeRegistryEntry, findNameFaults } from './release/registry-entry.ts';

const UNDECIDED = ['repository', 'homepage', 'bugs', 'mcpName'] as const;

/**
 * The obstacles to publishing a version, one sentence each; see "How a release is made" in
 * docs/contributing.md.
 */
export function findReleaseFaults(given: Package, changelog: string): string[] {
  const missing = UNDECIDED.filter((name) => given[name] === undefined);
  const sections = changelog.split(/^## /m).slice(1);
  const bodyOf = (title: RegExp) => sections.find((section) => title.test(section))?.split('\n');
  const dated = new RegExp(
    `^\\[?${given.version.replaceAll('.', '\\.')}\\]? - \\d{4}-\\d\\d-\\d\\d$`,
    'm',
  );
  const unreleased =
    bodyOf(/^Unreleased/)
      ?.slice(1)
      .join('')
      .trim() ?? '';
  return [
    ...missing.map((name) => `package.json has no "${name}".`),
    ...findNameFaults(given),
    ...(bodyOf(dated) === undefined
      ? [`CHANGELOG.md has no section "## ${given.version} - YYYY-MM-DD".`]
      : []),
    ...(unreleased === '' ? [] : ['CHANGELOG.md still has lines under "Unreleased".']),
  ];
}

/**
 * `npm run release`: writes server.json, the entry for the MCP registry; exits 1 and says why if the version
 * cannot be published yet.
 */
function main(): void {
  const file = (name: string) => new URL(`../${name}`, import.meta.url);
  const given = readPackage();
  const faults = findReleaseFaults(given, readFileSync(file('CHANGELOG.md'), 'utf8'));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) {
    process.exitCode = 1;
    return;
  }
  const entry = JSON.stringify(describeRegistryEntry(given), null, 2);
  writeFileSync(file('server.json'), `${entry}\n`);
  process.stdout.write(
    'Wrote server.json. Ready for `npm publish`, then `mcp-publisher publish`.\n',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
