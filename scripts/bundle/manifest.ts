import { operations } from '../../src/operations.ts';
import type { Package } from '../package.ts';
import { SETTINGS } from '../settings.ts';

/** Where the host unpacked the bundle; the host fills this in. */
const FOLDER = `\${__dirname}`;

/**
 * The manifest (version 0.4) of the bundle, without fields that package.json lacks. `npmUrl` is the registry
 * with the search model's runtime: the Node that a host brings has no npm.
 */
export function describeBundle(metadata: Package, npmUrl: string): object {
  const settings = Object.entries(SETTINGS).map(([variable, setting]) => ({
    ...setting,
    variable,
    key: variable.toLowerCase(),
  }));
  return {
    manifest_version: '0.4',
    name: metadata.name,
    display_name: 'QuantShelf',
    version: metadata.version,
    description: metadata.description,
    author: { name: metadata.author },
    ...(metadata.repository && { repository: { type: 'git', url: metadata.repository } }),
    ...(metadata.homepage && { homepage: metadata.homepage }),
    ...(metadata.bugs && { support: metadata.bugs }),
    license: metadata.license,
    keywords: metadata.keywords,
    server: {
      type: 'node',
      entry_point: 'start.mjs',
      mcp_config: {
        // start.sh says why this is not `node`. Windows needs no such detour, and has no sh.
        command: '/bin/sh',
        args: [`${FOLDER}/start.sh`],
        env: {
          ...Object.fromEntries(
            settings.map(({ variable, key }) => [variable, `\${user_config.${key}}`]),
          ),
          QUANTSHELF_NPM_URL: npmUrl,
        },
        platform_overrides: { win32: { command: 'node', args: [`${FOLDER}/start.mjs`] } },
      },
    },
    tools: operations.map(({ name, title }) => ({ name, description: title })),
    // Their text is generated from the shelf on request.
    prompts_generated: true,
    compatibility: {
      platforms: ['darwin', 'win32', 'linux'],
      runtimes: { node: '>=22.14.0' },
    },
    user_config: Object.fromEntries(
      settings.map(({ key, title, description, isSecret, isFolder }) => [
        key,
        {
          type: isFolder ? 'directory' : 'string',
          title,
          description,
          sensitive: isSecret,
          required: false,
          default: '',
        },
      ]),
    ),
  };
}
