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
import { operations } from '../../../src/operations.ts';
import { type Env, makeHome, modelDir, root, runProcess, success } from '../../e2e/support.ts';
import { type Registry, startRegistry } from '../../stand-ins/registry.ts';
import { RUNS, startUpstreams } from '../commands.ts';
import type { Programs } from '../programs.ts';
import {
  bytesUnder,
  findPrograms,
  findRegistry,
  INSTALL_MS,
  keepBinary,
  manifest,
  NO_REGISTRY,
  pack,
  report,
  shell,
} from '../support.ts';

/** Maximum megabytes for an install without compilation. */
const MOST_MEGABYTES = 80;

/** Commands in the docs and messages that install or start the program on a current Node. */
const LAUNCHERS = [
  'npm install --global --include=optional quantshelf',
  'npm install --global quantshelf',
  'npx -y quantshelf',
  'npx -y quantshelf@latest',
];
/** Commands in the table that replace those printed with npx. */
const WITH_NPX = ['', 'call …', 'init --write …', 'serve'];

const nameOf = ({ node, npm }: Programs) =>
  node === undefined ? `Node ${process.versions.node}` : `Node ${node} with npm ${npm}`;

const SQLITE = /^node_modules.*better-sqlite3.prebuilds.linux-x64\.node$/;
const VEC = /^node_modules.*sqlite-vec-linux-x64.vec0\.so$/;
const UNLOADABLE =
  /^better-sqlite3: its native part is damaged or made for another system: .*\.node/;
/** As npm leaves a file if killed while unpacking. */
const cutShort = (file: string) => truncateSync(file, statSync(file).size / 2);
/** A change to a file of an install, and the line that reports it. */
const DAMAGES: readonly [string, RegExp, (file: string) => void, RegExp][] = [
  ['an SQLite that is missing', SQLITE, rmSync, /^better-sqlite3: its native part is missing$/],
  ['an SQLite that is cut short', SQLITE, cutShort, UNLOADABLE],
  ['a sqlite-vec that is missing', VEC, rmSync, /^sqlite-vec: Cannot find module .*vec0\.so'$/],
];

/** Installs the packed package with `programs` and runs it as a user would. */
export function checkInstalled(programs: Programs): void {
  describe(`installed with ${nameOf(programs)}`, () => checks(programs));
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
  /** With the Node that runs this test, starts the program without npx. */
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

  /** In a folder without the package. */
  const inShell = (line: string, extra: Env = {}) =>
    sh(`mkdir -p elsewhere && cd elsewhere && echo {} > package.json && { ${line}; }`, extra);
  const megabytes = () => Math.round(bytesUnder(join(folder, 'node_modules')) / 1e6);
  const run = (...words: string[]) =>
    runProcess(command, words, {
      cwd: folder,
      env: env({ QUANTSHELF_MODEL_DIR: modelDir ?? '' }),
    });

  it('contains all of its dependencies within the folder, and no more', (test) => {
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
    // Version 12 may have been compiled here.
    if (old) return;
    expect(megabytes()).toBeLessThan(MOST_MEGABYTES);
    const told = /and (\d+) MB of disk/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1];
    expect(Math.abs(megabytes() - Number(told))).toBeLessThan(3);
  });

  it('lists its tools to an MCP client, and answers each example', async (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const client = new Client({ name: 'smoke', version: '1' });
    const settings = env({ QUANTSHELF_MODEL_DIR: modelDir ?? '' });
    await client.connect(new StdioClientTransport({ command, cwd: folder, env: settings }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
    for (const { name, example, price } of operations) {
      const reply = await client.callTool({ name, arguments: { ...example } });
      expect(success.parse(reply.structuredContent).meta.creditsUsed, name).toBe(price);
    }
    await client.close();
  });

  /** npx would start a global install, so none may remain. */
  const globally = (line: string) =>
    [
      `${line} >&2`,
      '"$npm_config_prefix/bin/quantshelf" status >&2',
      '"$npm_config_prefix/bin/quantshelf" --version',
      'npm uninstall --global quantshelf >&2',
    ].join(' && ');
  /** npm settings with which SQLite would be left out. */
  const omit = (line: string): Env =>
    line.includes('--include=optional') ? { npm_config_omit: 'optional' } : {};

  it.for(LAUNCHERS)(
    'starts with the printed command `%s`',
    { timeout: INSTALL_MS },
    async (line, test) => {
      // Without a newer Node, each of them would compile again.
      if (path === null || programs.node === undefined) test.skip(NO_REGISTRY);
      const ended = line.startsWith('npx')
        ? await inShell(`${line} --version`)
        : await inShell(globally(line), omit(line));
      expect(ended.stderr).not.toMatch(/npm error/i);
      expect(ended).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
    },
  );

  it('names a repair command where npx left half a file', async (test) => {
    if (path === null || programs.node === undefined) test.skip(NO_REGISTRY);
    // Elsewhere: npx prefers what is installed in a parent folder.
    const outside = makeHome();
    const inOutside = (line: string) => sh(`cd '${outside}' && { ${line}; }`);
    const cutShortIn = (place: string) => {
      const names = readdirSync(place, { recursive: true, encoding: 'utf8' });
      const natives = names.filter((name) => /(prebuilds.linux-x64\.node|vec0\.so)$/.test(name));
      expect(natives).toHaveLength(2);
      for (const name of natives) cutShort(join(place, name));
    };
    // Keeps other tests' copies out, and leaves this one's to none.
    const copies = join(caches.npm_config_cache, '_npx');
    rmSync(copies, { recursive: true, force: true });
    onTestFinished(() => rmSync(copies, { recursive: true, force: true }));
    await inOutside('npx -y quantshelf --version');
    cutShortIn(copies);
    const broken = await inOutside('npx -y quantshelf status');
    expect(broken.code).toBe(1);
    const [, command = ''] = /^SQLite cannot .*?`(npm .*?)`/m.exec(broken.stderr) ?? [];
    expect(LAUNCHERS).toContain(command);
    // Hosts keep starting it with npx.
    const mended = await inOutside(`${command} >&2 && npx -y quantshelf doctor`);
    cutShortIn(caches.npm_config_prefix);
    const again = await inOutside(`${command} >&2 && npx -y quantshelf doctor`);
    await inOutside('npm uninstall --global quantshelf');
    for (const { stdout } of [mended, again]) {
      expect(stdout).toMatch(/^ok +native_modules/m);
      expect(stdout).toMatch(/^ok +vector_search/m);
    }
  });

  // All of them without npx: versions of npm differ in how npx passes on input, quotes and signals.
  const runs = Object.entries(RUNS).filter(
    ([name]) => programs.node === undefined || WITH_NPX.includes(name),
  );
  it.for(runs)('runs the printed command `quantshelf %s`', async ([, run], test) => {
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

  it.for(DAMAGES)('says in one line why %s does not load', async ([, what, damage, says], test) => {
    // It is the same with every npm.
    if (path === null || programs.node !== 24) test.skip(NO_REGISTRY);
    const [file = '', ...others] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => what.test(name))
      .map((name) => join(folder, name));
    expect(others).toEqual([]);
    const content = readFileSync(file);
    onTestFinished(() => writeFileSync(file, content));
    damage(file);
    const isSqlite = file.endsWith('.node');
    const status = await run('status');
    expect(status.code).toBe(isSqlite ? 1 : 0);
    const [last = '', ...before] = status.stderr.trimEnd().split('\n').reverse();
    expect(last).toMatch(says);
    expect(before).toEqual(
      isSqlite ? [expect.stringMatching(/^SQLite cannot .*`npm install/)] : [],
    );
    const doctor = JSON.parse((await run('doctor', '--json')).stdout);
    expect(doctor.checks).toContainEqual(
      expect.objectContaining({
        name: isSqlite ? 'native_modules' : 'vector_search',
        ok: false,
        fix: expect.stringContaining('`npm install --global --include=optional quantshelf`'),
      }),
    );
    const call = await run('call', 'macro_indicator_search');
    expect(call.stdout.includes('service_unavailable')).toBe(isSqlite);
    expect(call.stderr.trim().split('\n')).toHaveLength(1);
  });
}
