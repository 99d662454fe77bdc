import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { getMcpConfigForManifest, unpackExtension, validateManifest } from '@anthropic-ai/mcpb';
import { McpbManifestSchema } from '@anthropic-ai/mcpb/schemas/0.4';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeBundle } from '../../scripts/bundle.ts';
import { makeHome, storeIn } from '../e2e/support.ts';
import {
  bytesUnder,
  expectAnswers,
  findPrograms,
  findRegistry,
  INSTALL_MS,
  NO_REGISTRY,
  report,
  shell,
} from './support.ts';

/** The sizes of the bundle in docs/hosts.md. */
const SIZES = /one file for all platforms: (\d+) MB, (\d+) MB unpacked/;

const isWindows = process.platform === 'win32';

describe.skipIf(isWindows)('the MCP bundle', () => {
  const place = makeHome();
  const bundle = join(place, 'a host', 'quantshelf');
  const file = join(place, 'quantshelf.mcpb');
  const home = join(place, 'home');
  let path: string | null = null;

  beforeAll(async () => {
    if ((await findRegistry()) === null) return;
    path = await findPrograms({ node: 22, npm: 10 });
    if (path === null) return;
    await makeBundle(file);
    await unpackExtension({ mcpbPath: file, outputDir: bundle, silent: true });
  }, INSTALL_MS);

  /** Starts the bundle as a host does once the user has filled in `userConfig`. */
  async function start(userConfig: Record<string, string>) {
    const manifest = McpbManifestSchema.parse(
      JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')),
    );
    const found = await getMcpConfigForManifest({
      manifest,
      extensionPath: bundle,
      systemDirs: {},
      userConfig,
      pathSeparator: '/',
    });
    if (found === undefined) throw new Error('the manifest starts nothing');
    const client = new Client({ name: 'host', version: '1' });
    const { QUANTSHELF_HOME: _, ...inherited } = shell();
    const env = {
      ...inherited,
      HOME: place,
      XDG_DATA_HOME: join(place, 'data'),
      PATH: [path ?? '', '/usr/bin', '/bin'].join(delimiter),
      ...found.env,
    };
    const { command, args = [] } = found;
    await client.connect(new StdioClientTransport({ command, args, env }));
    return client;
  }

  it('is valid, and about as large as docs/hosts.md says', (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    expect(validateManifest(bundle)).toBe(true);
    const sizes = [statSync(file).size, bytesUnder(bundle)].map((bytes) => bytes / 1e6);
    report(`bundle: ${sizes.map((size) => `${size.toFixed(1)} MB`).join(', unpacked ')}`);
    const [, packed, unpacked] = SIZES.exec(readFileSync('docs/hosts.md', 'utf8')) ?? [];
    expect(Math.abs((sizes[0] ?? 0) - Number(packed))).toBeLessThan(2);
    expect(Math.abs((sizes[1] ?? 0) - Number(unpacked))).toBeLessThan(4);
  });

  it('contains SQLite for every platform, and vector search where builds exist', (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const modules = join(bundle, 'server', 'node_modules');
    for (const platform of ['darwin', 'linux', 'linuxmusl', 'win32']) {
      for (const cpu of ['x64', 'arm64']) {
        const binary = `better-sqlite3/prebuilds/${platform}-${cpu}.node`;
        expect(existsSync(join(modules, binary)), binary).toBe(true);
      }
    }
    const extensions = ['darwin-x64/vec0.dylib', 'darwin-arm64/vec0.dylib', 'windows-x64/vec0.dll'];
    for (const name of [...extensions, 'linux-x64/vec0.so', 'linux-arm64/vec0.so']) {
      expect(existsSync(join(modules, `sqlite-vec-${name}`)), name).toBe(true);
    }
  });

  it('lists its tools and replies to calls, with its shelf in the chosen folder', async (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    await expectAnswers(await start({ quantshelf_home: home }));
    expect(existsSync(storeIn(home))).toBe(true);
  });

  it("keeps its shelf in the user's data directory by default", async (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    // Some hosts pass on an empty setting like this.
    const client = await start({ quantshelf_home: `\${user_config.quantshelf_home}` });
    const reply = await client.callTool({ name: 'macro_indicator_search', arguments: {} });
    expect(reply.isError).not.toBe(true);
    await client.close();
    expect(existsSync(storeIn(join(place, 'data', 'quantshelf')))).toBe(true);
  });
});
