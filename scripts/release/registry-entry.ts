import type { Package } from '../package.ts';
import { SETTINGS } from '../settings.ts';

/** The version of the MCP registry's schema that the entry follows. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
/** Source code hosts that the registry supports. */
const SOURCES: Readonly<Record<string, string>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
};

/**
 * The content of server.json, the package's entry in the MCP registry. package.json must have `mcpName` and
 * the addresses.
 */
export function describeRegistryEntry(metadata: Package): object {
  const { name, version, description, mcpName, repository, homepage } = metadata;
  const source = repository && SOURCES[new URL(repository).hostname];
  return {
    $schema: SCHEMA,
    name: mcpName,
    title: 'QuantShelf',
    description,
    version,
    ...(source && { repository: { url: repository, source } }),
    websiteUrl: homepage,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: Object.entries(SETTINGS).map(([variable, setting]) => ({
          name: variable,
          description: setting.description,
          format: setting.isFolder ? 'filepath' : 'string',
          isRequired: false,
          isSecret: setting.isSecret,
        })),
      },
    ],
  };
}

/** The registry's objections to the name, one sentence each. */
export function findNameFaults({ name, mcpName, repository }: Package): string[] {
  if (mcpName === undefined) return [];
  const [, owner] = /^io\.github\.([\w-]+)\/[\w.-]+$/.exec(mcpName) ?? [];
  if (!/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(mcpName) || !mcpName.endsWith(`/${name}`)) {
    return [`"mcpName" in package.json is not of the form "io.github.OWNER/${name}".`];
  }
  // The registry lets an account publish under its own name only, capitals included.
  return owner === undefined || repository?.startsWith(`https://github.com/${owner}/`)
    ? []
    : ['"mcpName" in package.json names another owner than "repository".'];
}
