import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { McpbManifestSchema } from '@anthropic-ai/mcpb/schemas/0.4';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeBundle } from '../../../scripts/bundle/manifest.ts';
import { readPackage } from '../../../scripts/package.ts';
import { helpOf } from '../../../src/cli/program.ts';
import { temporaryDirectory } from '../../temporary.ts';

const NPM_URL = 'https://npm.example.org';

describe("the bundle's manifest", () => {
  const manifest = McpbManifestSchema.parse(describeBundle(readPackage(), NPM_URL));
  const { mcp_config } = manifest.server;

  it('starts a shell rather than `node` on macOS', () => {
    expect(manifest.compatibility?.platforms).toContain('darwin');
    expect(mcp_config.command).toBe('/bin/sh');
    expect(Object.keys(mcp_config.platform_overrides ?? {})).toEqual(['win32']);
  });

  it('lists only optional settings that the program reads', () => {
    const settings = Object.entries(manifest.user_config ?? {});
    const defaults = settings.map(([, { required, default: blank }]) => [required, blank]);
    expect(defaults).toEqual(Array(2).fill([false, '']));
    expect(manifest.user_config?.fred_api_key?.sensitive).toBe(true);
    for (const [variable, value] of Object.entries(mcp_config.env ?? {})) {
      expect(helpOf()).toContain(variable);
      const ways = settings.map(([key]) => `\${user_config.${key}}`);
      expect(variable === 'QUANTSHELF_NPM_URL' ? [NPM_URL] : ways).toContain(value);
    }
  });

  it('includes the repository and homepage URLs only if package.json has them', () => {
    const { repository, homepage, bugs, ...rest } = readPackage();
    expect(describeBundle({ ...rest }, NPM_URL)).not.toHaveProperty('repository');
    const addresses = { repository: 'https://example.org/source', homepage: 'https://example.org' };
    const complete = McpbManifestSchema.parse(describeBundle({ ...rest, ...addresses }, NPM_URL));
    expect(complete.repository?.url).toBe(addresses.repository);
    expect(complete.homepage).toBe(addresses.homepage);
  });
});

describe.skipIf(process.platform === 'win32')("the bundle's launcher", () => {
  let place: string;
  beforeEach(() => {
    place = temporaryDirectory();
    mkdirSync(join(place, 'the bundle/server/bin'), { recursive: true });
    copyFileSync('scripts/bundle/start.mjs', join(place, 'the bundle/start.mjs'));
    // This machine may have Node in these folders.
    const script = readFileSync('scripts/bundle/start.sh', 'utf8')
      .replace('/opt/homebrew/', `${place}/opt/`)
      .replace('/usr/local/', `${place}/local/`);
    writeFileSync(join(place, 'the bundle/start.sh'), script);
    writeFileSync(
      join(place, 'the bundle/server/bin/quantshelf.js'),
      'const { BY, FRED_API_KEY, QUANTSHELF_HOME } = process.env;\n' +
        'console.log(JSON.stringify([BY, process.argv.slice(2), FRED_API_KEY, QUANTSHELF_HOME]));\n',
    );
  });

  /** A program that claims to be Node with that version of Node-API, and runs this Node. */
  const addNode = (path: string, napi: number) => {
    const file = join(place, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `#!/bin/sh\n[ "$1" = -e ] && exit ${napi >= 10 ? 0 : 1}\nBY='${path}' exec "${process.execPath}" "$@"\n`,
    );
    chmodSync(file, 0o755);
  };
  const start = (env: Record<string, string> = {}) =>
    spawnSync('/bin/sh', [join(place, 'the bundle/start.sh')], {
      encoding: 'utf8',
      env: { HOME: join(place, 'home'), PATH: join(place, 'path'), ...env },
    });
  const said = (env?: Record<string, string>) =>
    z.array(z.unknown()).parse(JSON.parse(start(env).stdout));

  const [HOMEBREW, INSTALLER] = ['opt/bin/node', 'local/bin/node'];
  const FNM = 'home/Library/Application Support/fnm/aliases/default/bin/node';
  const NVM = 'home/.nvm/versions/node/v24.1.0/bin/node';
  it.each([
    ['the Node on the PATH', [], ['path/node']],
    ["the installer's Node, which the desktop's PATH lacks", [], [INSTALLER]],
    ["Homebrew's Node before the installer's", [], [HOMEBREW, INSTALLER]],
    ["a version manager's Node", ['path/node', NVM.replace('24.1', '20.19')], [NVM]],
    ['a Node in a folder with spaces in its name', ['path/node'], [FNM]],
  ])('starts %s, never an old one', (_, old, recent) => {
    for (const path of old) addNode(path, 9);
    for (const path of recent) addNode(path, 10);
    expect(said()).toEqual([recent[0], [], null, null]);
  });

  it('drops settings that the user left blank', () => {
    addNode('path/node', 10);
    const blank = { FRED_API_KEY: `\${user_config.fred_api_key}`, QUANTSHELF_HOME: '/shelf' };
    expect(said(blank)).toEqual(['path/node', [], null, '/shelf']);
  });

  it('fails with an explanation if it finds no suitable Node', () => {
    addNode('path/node', 9);
    const ended = start();
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^QuantShelf needs Node 22\.14 or newer.*\n$/);
  });
});
