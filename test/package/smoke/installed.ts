import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Env, makeHome, modelDir, root, runProcess } from '../../e2e/support.ts';
import { type Registry, startRegistry } from '../../stand-ins/registry.ts';
import { COMMANDS, startUpstreams } from '../commands.ts';
import type { Programs } from '../programs.ts';
import {
  bytesUnder,
  expectAnswers,
  findPrograms,
  findRegistry,
  INSTALL_MS,
  keepBinary,
  NO_REGISTRY,
  pack,
  report,
  shell,
} from '../support.ts';

/** Maximum size of an install without compilation, in MB. */
const MOST_MEGABYTES = 60;

/** The commands in the table that are also run with npx. */
const WITH_NPX = ['', 'call …', 'serve'];

const nameOf = ({ node, npm }: Programs) =>
  node === undefined ? `Node ${process.versions.node}` : `Node ${node} and npm ${npm}`;

/** Truncates a file, as npm does if it is killed while unpacking. */
const cutShort = (file: string) => truncateSync(file, statSync(file).size / 2);

/** Installs the packed package with `programs` and runs it as a user would. */
export function checkInstalled(programs: Programs): void {
  describe(`with ${nameOf(programs)}`, () => checks(programs));
}

function checks(programs: Programs): void {
  let registry: Registry | null = null;
  let binary: Env = {};
  let upstreams: Awaited<ReturnType<typeof startUpstreams>> | null = null;
  const folder = join(makeHome(), 'empty folder');
  const command = join(folder, 'node_modules', '.bin', 'quantshelf');
  const caches = {
    npm_config_cache: join(folder, 'cache'),
    npm_config_prefix: join(folder, 'global'),
  };
  /** The Node that runs this test starts the program without npx. */
  const beside = programs.node === undefined ? [dirname(command)] : [];
  let path: string | null = null;

  const env = (extra: Env = {}) => ({
    ...shell({ ...caches, ...binary, npm_config_registry: registry?.url ?? '', ...extra }),
    PATH: [path ?? '', ...beside, process.env.PATH ?? ''].join(delimiter),
  });
  const sh = (line: string, extra: Env = {}) =>
    runProcess('sh', ['-c', line], {
      cwd: folder,
      env: env(extra),
      timeout: INSTALL_MS - 60_000,
    });

  beforeAll(async () => {
    const place = makeHome();
    const { file } = await pack();
    binary = await keepBinary(place);
    upstreams = await startUpstreams();
    const upstream = await findRegistry();
    if (upstream === null) return;
    registry = await startRegistry(file, upstream);
    path = await findPrograms(programs);
    if (path === null) return;
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const begun = performance.now();
    const { code, stderr } = await sh('npm install quantshelf');
    if (code !== 0) throw new Error(`npm install failed: ${stderr.slice(-4000)}`);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    report(`${nameOf(programs)}: ${megabytes()} MB installed in ${seconds} s`);
  }, INSTALL_MS);
  afterAll(async () => {
    await registry?.close();
    await upstreams?.close();
  });

  /** Runs a line in a folder without the package. */
  const inShell = (line: string, extra: Env = {}) =>
    sh(`mkdir -p elsewhere && cd elsewhere && echo {} > package.json && { ${line}; }`, extra);
  const megabytes = () => Math.round(bytesUnder(join(folder, 'node_modules')) / 1e6);

  it("an installed package contains SQLite and vector search, but not the model's runtime", (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const modules = join(folder, 'node_modules');
    const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
    const has = (name: string) => files.some((file) => file.endsWith(join(name, 'package.json')));
    expect(['better-sqlite3', 'sqlite-vec'].filter((name) => !has(name))).toEqual([]);
    const left = ['onnxruntime-node', '@huggingface/transformers', 'better-sqlite3-node20'];
    expect(left.filter(has)).toEqual([]);
    const old = programs.node === undefined && Number(process.versions.napi) < 10;
    const { version } = JSON.parse(
      readFileSync(join(modules, 'better-sqlite3', 'package.json'), 'utf8'),
    );
    expect(version).toBe(old ? '12.11.1' : '13.2.0');
    // Version 12 may have been compiled here, which takes more space.
    if (old) return;
    expect(megabytes()).toBeLessThan(MOST_MEGABYTES);
    const told = /and (\d+) MB of disk/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1];
    expect(Math.abs(megabytes() - Number(told))).toBeLessThan(3);
  });

  it('an installed program lists its tools to an MCP client, and replies to each example', async (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const client = new Client({ name: 'smoke', version: '1' });
    const settings = env({ QUANTSHELF_MODEL_DIR: modelDir ?? '' });
    await client.connect(new StdioClientTransport({ command, cwd: folder, env: settings }));
    await expectAnswers(client);
  });

  it('a program whose files npx left half-written names a command that repairs it', async (test) => {
    if (path === null || programs.node === undefined) test.skip(NO_REGISTRY);
    // Outside the folder: npx prefers a package in a parent folder.
    const outside = makeHome();
    const inOutside = (line: string) => sh(`cd '${outside}' && { ${line}; }`);
    const cutShortIn = (place: string) => {
      const names = readdirSync(place, { recursive: true, encoding: 'utf8' });
      const natives = names.filter((name) => /(prebuilds.linux-x64\.node|vec0\.so)$/.test(name));
      expect(natives).toHaveLength(2);
      for (const name of natives) cutShort(join(place, name));
    };
    // Remove copies that other tests have made, and later this test's own.
    const copies = join(caches.npm_config_cache, '_npx');
    rmSync(copies, { recursive: true, force: true });
    onTestFinished(() => rmSync(copies, { recursive: true, force: true }));
    await inOutside('npx -y quantshelf --version');
    cutShortIn(copies);
    const broken = await inOutside('npx -y quantshelf status');
    expect(broken.code).toBe(1);
    const [, command = ''] = /^SQLite cannot .*?`(npm .*?)`/m.exec(broken.stderr) ?? [];
    expect(command).toBe('npm install --global --include=optional quantshelf');
    // Some users omit optional packages, and hosts keep using npx.
    const omitting = `npm_config_omit=optional ${command}`;
    const mended = await inOutside(`${omitting} >&2 && npx -y quantshelf doctor`);
    cutShortIn(caches.npm_config_prefix);
    const again = await inOutside(`${command} >&2 && npx -y quantshelf doctor`);
    await inOutside('npm uninstall --global quantshelf');
    for (const { stdout } of [mended, again]) {
      expect(stdout).toMatch(/^ok +native_modules/m);
      expect(stdout).toMatch(/^ok +vector_search/m);
    }
  });

  // All run without npx, some with it: versions of npm differ in how npx passes on input, quotes and signals.
  const runs = Object.entries(COMMANDS).filter(
    ([name]) => programs.node === undefined || WITH_NPX.includes(name),
  );
  it.for(runs)('an installed program runs `quantshelf %s`', async ([, run], test) => {
    if (path === null) test.skip(NO_REGISTRY);
    if (run.needsModel && modelDir === null) test.skip('the model is not here');
    const ended = await inShell(run.line, {
      Q: programs.node === undefined ? 'quantshelf' : 'npx -y quantshelf',
      QUANTSHELF_HOME: join(folder, 'shelf'),
      ...(run.needsModel ? { QUANTSHELF_MODEL_DIR: modelDir ?? '' } : {}),
      ...(run.isOnline ? upstreams?.env : {}),
    });
    expect(ended, run.line).toMatchObject({ code: 0 });
    expect(ended.stdout + ended.stderr).toMatch(run.says);
  });
}
