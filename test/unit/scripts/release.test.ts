import { describe, expect, it } from 'vitest';
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

it('a version that is complete can be published', () => {
  expect(findReleaseFaults(READY, LOG)).toEqual([]);
  expect(findReleaseFaults(READY, LOG.replace('## Unreleased\n\n', ''))).toEqual([]);
});

it.each(['repository', 'homepage', 'bugs', 'mcpName'])('not without its %s', (name) => {
  const mcpName = 'org.example/quantshelf';
  const faults = findReleaseFaults({ ...READY, mcpName, [name]: undefined }, LOG);
  expect(faults).toEqual([expect.stringContaining(`"${name}"`)]);
});

it.each([
  ['no section of its own', LOG.replace('1.2.0', '1.1.0')],
  ['no day', LOG.replace(' - 2026-12-01', '')],
  ['lines that are of no version', LOG.replace('## 1.2.0', '- Another line.\n\n## 1.2.0')],
])('not with a changelog that has %s', (_, changelog) => {
  expect(findReleaseFaults(READY, changelog)).toEqual([expect.stringContaining('CHANGELOG.md')]);
});

it.each([
  ['no owner', 'quantshelf'],
  ['the name of another package', 'io.github.Example/shelf'],
  ['another owner than the source', 'io.github.Somebody/quantshelf'],
  ['its owner in other capitals', 'io.github.example/quantshelf'],
])('not under a name for the registry that has %s', (_, mcpName) => {
  expect(findReleaseFaults({ ...READY, mcpName }, LOG)).toEqual([
    expect.stringContaining('"mcpName"'),
  ]);
});

it("takes npm's forms of an address", () => {
  const given = parsePackage({
    ...READY,
    repository: { type: 'git', url: 'git+https://github.com/Example/quantshelf.git' },
    bugs: { url: READY.bugs },
  });
  expect(given).toMatchObject({ repository: READY.repository, bugs: READY.bugs });
});

/** Of the registry's schema 2025-12-11 what an npm package on stdio can use; nothing else is let through. */
const exactVersion = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
const registrySchema = z.strictObject({
  $schema: z.literal(
    'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  ),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  repository: z
    .strictObject({ url: z.url({ protocol: /^https$/ }), source: z.enum(['github', 'gitlab']) })
    .optional(),
  websiteUrl: z.url({ protocol: /^https$/ }),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      registryBaseUrl: z.literal('https://registry.npmjs.org'),
      identifier: z.string().min(1),
      version: exactVersion,
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          format: z.enum(['string', 'number', 'boolean', 'filepath']),
          isRequired: z.boolean(),
          isSecret: z.boolean(),
        }),
      ),
    }),
  ]),
});

describe('server.json', () => {
  const entry = registrySchema.parse(describeRegistryEntry(READY));
  const [{ environmentVariables, ...npm }] = entry.packages;

  it('names what is published, and nothing that was not decided', () => {
    expect(entry).toMatchObject({
      name: READY.mcpName,
      version: READY.version,
      websiteUrl: READY.homepage,
      repository: { url: READY.repository, source: 'github' },
    });
    expect(npm).toMatchObject({ identifier: 'quantshelf', version: READY.version });
  });

  it('leaves out a repository that the registry does not know', () => {
    const elsewhere = describeRegistryEntry({ ...READY, repository: 'https://example.org/source' });
    expect(registrySchema.parse(elsewhere).repository).toBeUndefined();
  });

  it('asks for settings that the program reads, needs none, and keeps the key secret', () => {
    for (const { name } of environmentVariables) expect(helpOf()).toContain(name);
    expect(environmentVariables.some(({ isRequired }) => isRequired)).toBe(false);
    const secrets = environmentVariables.filter(({ isSecret }) => isSecret);
    expect(secrets.map(({ name }) => name)).toEqual(['FRED_API_KEY']);
  });

  it('is not valid before its name and its addresses are decided', () => {
    for (const name of ['mcpName', 'homepage']) {
      const entryOfNobody = describeRegistryEntry({ ...READY, [name]: undefined });
      expect(registrySchema.safeParse(entryOfNobody).success).toBe(false);
    }
  });
});
