import { expect, it } from 'vitest';
import * as z from 'zod';
import { parsePackage, readPackage } from '../../../scripts/package.ts';
import { describeRegistryEntry } from '../../../scripts/release/registry-entry.ts';
import { findReleaseFaults } from '../../../scripts/release.ts';
import { helpOf } from '../../../src/cli/program.ts';

const READY = {
  ...readPackage(),
  version: '1.2.0',
  repository: 'https://github.com/Example/quantshelf',
  homepage: 'https://example.org',
  bugs: 'https://example.org/issues',
  mcpName: 'io.github.Example/quantshelf',
};
const LOG = '# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-12-01\n\n### Added\n\n- A line.\n';

it('a complete version can be published', () => {
  expect(findReleaseFaults(READY, LOG)).toEqual([]);
  expect(findReleaseFaults(READY, LOG.replace('## Unreleased\n\n', ''))).toEqual([]);
});

it.each(['repository', 'homepage', 'bugs', 'mcpName'])(
  'a version cannot be published without "%s" in package.json',
  (name) => {
    const mcpName = 'org.example/quantshelf';
    const faults = findReleaseFaults({ ...READY, mcpName, [name]: undefined }, LOG);
    expect(faults).toEqual([expect.stringContaining(`"${name}"`)]);
  },
);

it.each([
  ['no section for that version', LOG.replace('1.2.0', '1.1.0')],
  ["no date in the version's heading", LOG.replace(' - 2026-12-01', '')],
  ['unreleased changes', LOG.replace('## 1.2.0', '- Another line.\n\n## 1.2.0')],
])('a version cannot be published with a changelog that has %s', (_, changelog) => {
  expect(findReleaseFaults(READY, changelog)).toEqual([expect.stringContaining('CHANGELOG.md')]);
});

it.each([
  ['no owner', 'quantshelf'],
  ['the name of another package', 'io.github.Example/shelf'],
  ['an owner other than that of the repository', 'io.github.Somebody/quantshelf'],
  ['the owner in different capitals', 'io.github.example/quantshelf'],
])('a version cannot be published under a registry name that has %s', (_, mcpName) => {
  const faults = findReleaseFaults({ ...READY, mcpName }, LOG);
  expect(faults).toEqual([expect.stringContaining('"mcpName"')]);
});

it('package.json may state its addresses as objects', () => {
  const parsed = parsePackage({
    ...READY,
    repository: { type: 'git', url: 'git+https://github.com/Example/quantshelf.git' },
    bugs: { url: READY.bugs },
  });
  expect(parsed).toMatchObject({ repository: READY.repository, bugs: READY.bugs });
});

it('server.json names the published package, and only optional settings that the program reads', () => {
  const entry = z
    .looseObject({ packages: z.tuple([z.looseObject({ environmentVariables: z.unknown() })]) })
    .parse(describeRegistryEntry(READY));
  expect(entry).toMatchObject({
    name: READY.mcpName,
    version: READY.version,
    websiteUrl: READY.homepage,
    repository: { url: READY.repository, source: 'github' },
    packages: [{ registryType: 'npm', identifier: 'quantshelf', version: READY.version }],
  });
  const variables = z
    .array(z.looseObject({ name: z.string(), isRequired: z.boolean(), isSecret: z.boolean() }))
    .parse(entry.packages[0].environmentVariables);
  for (const { name } of variables) expect(helpOf()).toContain(name);
  expect(variables.filter(({ isRequired }) => isRequired)).toEqual([]);
  const secrets = variables.filter(({ isSecret }) => isSecret);
  expect(secrets.map(({ name }) => name)).toEqual(['FRED_API_KEY']);
  // The registry supports only GitHub and GitLab.
  const elsewhere = { ...READY, repository: 'https://example.org/source' };
  expect(describeRegistryEntry(elsewhere)).not.toHaveProperty('repository');
});
