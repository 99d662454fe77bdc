import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const UNDECIDED = ['repository', 'homepage', 'bugs'] as const;
const manifestSchema = z.looseObject({ version: z.string() });

/**
 * What keeps a version from being published, one sentence each; see "How a release is made" in
 * docs/contributing.md. `manifest` is package.json.
 */
export function findReleaseFaults(manifest: unknown, changelog: string): string[] {
  const given = manifestSchema.parse(manifest);
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
    ...(bodyOf(dated) === undefined
      ? [`CHANGELOG.md has no section "## ${given.version} - YYYY-MM-DD".`]
      : []),
    ...(unreleased === '' ? [] : ['CHANGELOG.md still has lines under "Unreleased".']),
  ];
}

/** `npm run release`: exits 1 and says why where the version cannot be published yet. */
function main(): void {
  const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const faults = findReleaseFaults(JSON.parse(read('package.json')), read('CHANGELOG.md'));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length === 0) process.stdout.write('Ready for `npm publish`.\n');
  else process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
