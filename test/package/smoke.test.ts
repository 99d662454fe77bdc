import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { extract } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { type Env, makeHome, modelDir, root, runProcess, success } from '../e2e/support.ts';
import { type Registry, startRegistry } from '../stand-ins/registry.ts';
import { installPrograms, type Programs } from './programs.ts';
import {
  bytesUnder,
  findRegistry,
  INSTALL_MS,
  keepBinary,
  manifest,
  NO_REGISTRY,
  type Packed,
  pack,
  printedCommands,
  report,
  shell,
} from './support.ts';

/** Most megabytes that an install may take where nothing is compiled. */
const MOST_MEGABYTES = 80;

const place = makeHome();
let tarball: Packed;
let registry: Registry | null = null;
let binary: Env = {};

beforeAll(async () => {
  tarball = await pack(place);
  await extract({ file: join(place, tarball.filename), cwd: place });
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  report(`${megabytes(tarball.size)} packed, ${megabytes(tarball.unpackedSize)} unpacked`);
  binary = await keepBinary(place);
  const upstream = await findRegistry();
  if (upstream !== null) registry = await startRegistry(join(place, tarball.filename), upstream);
});

afterAll(() => registry?.close());

describe('the tarball', () => {
  it('carries the program, the starter shelf and the pages, and nothing else', () => {
    const paths = tarball.files.map(({ path }) => path);
    const pages = readdirSync(join(root, 'docs')).map((name) => `docs/${name}`);
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/quantshelf.js',
      ...pages.sort(),
      'package.json',
    ]);
    expect(paths.filter((path) => path.startsWith('dist/')).sort()).toEqual(
      readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .sort(),
    );
    expect(paths).toContain('dist/starter.sqlite');
    expect(paths).toContain('dist/page/index.html');
    for (const path of paths) {
      expect(path).not.toMatch(
        /\.(ts|map|tmp|building)$|\.sqlite-|(^|\/)(test|src|data|scripts)\//,
      );
    }
  });

  it('is as large as its page says', () => {
    const page = readFileSync(join(root, 'docs', 'benchmarks.md'), 'utf8');
    const [, packed, unpacked] = /is ([\d.]+) MB packed and ([\d.]+) MB unpacked/.exec(page) ?? [];
    expect(Math.abs(tarball.size / 1e6 - Number(packed))).toBeLessThan(1);
    expect(Math.abs(tarball.unpackedSize / 1e6 - Number(unpacked))).toBeLessThan(2);
  });

  it('carries every page and file that its pages link to', () => {
    const paths = tarball.files.map(({ path }) => path);
    const links = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => {
        const text = readFileSync(join(place, 'package', path), 'utf8');
        return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
          join(dirname(path), target),
        );
      });
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((target) => !paths.includes(target))).toEqual([]);
  });

  it('holds no path of the machine that built it', () => {
    for (const { path } of tarball.files) {
      const content = readFileSync(join(place, 'package', path));
      for (const folder of ['src', 'dist', 'node_modules', 'data', 'scripts']) {
        expect(content.includes(join(root, folder)), `${path} names ${folder}`).toBe(false);
      }
    }
  });
});

const PROGRAMS: readonly Programs[] = [
  { node: undefined, npm: undefined },
  { node: 22, npm: 10 },
  { node: 24, npm: 11 },
  { node: 22, npm: 12 },
];
const nameOf = ({ node, npm }: Programs) =>
  node === undefined ? `Node ${process.versions.node}` : `Node ${node} with npm ${npm}`;

describe.each(PROGRAMS)('installed with Node $node and npm $npm', (programs) => {
  const folder = join(makeHome(), 'empty folder');
  const command = join(folder, 'node_modules', '.bin', 'quantshelf');
  const caches = {
    npm_config_cache: join(folder, 'cache'),
    npm_config_prefix: join(folder, 'global'),
  };
  let path: string | null = null;

  const env = (extra: Env = {}) => ({
    ...shell({ ...caches, ...binary, npm_config_registry: registry?.url ?? '', ...extra }),
    PATH: [path ?? '', process.env.PATH ?? ''].join(delimiter),
  });
  const sh = (line: string, extra: Env = {}) =>
    runProcess('sh', ['-c', line], {
      cwd: folder,
      env: env(extra),
      timeoutMs: INSTALL_MS - 60_000,
    });

  beforeAll(async () => {
    if (registry === null) return;
    mkdirSync(join(folder, 'programs'), { recursive: true });
    path = await installPrograms(programs, join(folder, 'programs'), (name, words, { cwd }) =>
      runProcess(name, words, { cwd, env: shell() }),
    );
    if (path === null) return;
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const begun = performance.now();
    const { code, stderr } = await sh('npm install quantshelf');
    if (code !== 0) throw new Error(`npm install failed: ${stderr.slice(-4000)}`);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    report(`${nameOf(programs)}: ${megabytes()} MB installed in ${seconds} s`);
  }, INSTALL_MS);

  const megabytes = () => Math.round(bytesUnder(join(folder, 'node_modules')) / 1e6);
  const run = (...words: string[]) =>
    runProcess(command, words, {
      cwd: folder,
      env: env({ QUANTSHELF_MODEL_DIR: modelDir ?? '' }),
    });

  it('has everything it runs on within the folder, and no more', (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const installed = readdirSync(join(folder, 'node_modules'), {
      recursive: true,
      encoding: 'utf8',
    });
    const has = (name: string) =>
      installed.some(
        (one) =>
          one.endsWith(join('node_modules', name, 'package.json')) ||
          one === join(name, 'package.json'),
      );
    expect(has('better-sqlite3')).toBe(true);
    expect(has('sqlite-vec')).toBe(true);
    expect(has('onnxruntime-node') || has('@huggingface/transformers')).toBe(false);
    expect(has('better-sqlite3-node20')).toBe(false);
    const old = programs.node === undefined && Number(process.versions.napi) < 10;
    const manifestOf = join(folder, 'node_modules', 'better-sqlite3', 'package.json');
    expect(JSON.parse(readFileSync(manifestOf, 'utf8')).version).toBe(old ? '12.11.1' : '13.2.0');
    // Version 12 may have been compiled here.
    if (old) return;
    expect(megabytes()).toBeLessThan(MOST_MEGABYTES);
    const told = /and (\d+) MB of disk/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1];
    expect(Math.abs(megabytes() - Number(told))).toBeLessThan(3);
  });

  it('tells its version', async (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });

  it.for(operations)('answers the example of $name', async (row, test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const { code, stdout, stderr } = await run('call', row.name, JSON.stringify(row.example));
    expect(code, stderr).toBe(0);
    expect(success.parse(JSON.parse(stdout)).meta.creditsUsed).toBe(row.price);
  });

  it('lists its tools to an MCP client', async (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const client = new Client({ name: 'smoke', version: '1' });
    await client.connect(new StdioClientTransport({ command, cwd: folder, env: env() }));
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
  });

  it('finds nothing wrong with itself', async (test) => {
    if (path === null || modelDir === null) test.skip('the registry or the model is not here');
    const { stdout } = await run('doctor', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  // What names an older binding is for Nodes that need it: test/package/old-node.test.ts.
  it.for(printedCommands().filter((line) => !line.includes('better-sqlite3@')))(
    'runs `%s`, which is printed somewhere',
    { timeout: INSTALL_MS },
    async (line, test) => {
      // Without a newer Node each of them would compile once more.
      if (path === null || programs.node === undefined) test.skip(NO_REGISTRY);
      const ended = line.startsWith('npx')
        ? await sh(
            `mkdir -p elsewhere && cd elsewhere && echo {} > package.json && ${line} --version`,
          )
        : await sh(`${line} >&2 && "$npm_config_prefix/bin/quantshelf" --version`);
      expect(ended.stderr).not.toMatch(/npm error/i);
      expect(ended).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
    },
  );

  it('names the cause of a native part that does not load, in one line', async (test) => {
    if (path === null || programs.node === undefined) test.skip(NO_REGISTRY);
    const prebuilt = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^node_modules.*better-sqlite3.prebuilds.linux-x64\.node$/.test(name),
    );
    expect(prebuilt).toHaveLength(1);
    writeFileSync(join(folder, prebuilt[0] ?? ''), 'no library');
    const status = await run('status');
    expect(status).toMatchObject({ code: 1, stdout: '' });
    expect(status.stderr).toMatch(
      /^SQLite cannot be loaded on Node .*`npm install --global quantshelf`.*\nbetter-sqlite3: .*\n$/,
    );
    const doctor = JSON.parse((await run('doctor', '--json')).stdout);
    expect(doctor.checks).toContainEqual(
      expect.objectContaining({ name: 'native_modules', ok: false }),
    );
    const call = await run('call', 'macro_indicator_search');
    expect(call.stdout).toContain('service_unavailable');
    expect(call.stderr.trim().split('\n')).toHaveLength(1);
  });
});
