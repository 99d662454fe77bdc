import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveForTest } from './serving.ts';
import { copyProgram, environment, makeHome, node, root, runProcess } from './support.ts';
import { startWire } from './wire.ts';

/** A copy of the program where npx would put it, with `libraries` of the tree beside it. */
function install(isKept: (library: string) => boolean = () => true) {
  const libraries = join(makeHome(), '_npx', '0123456789abcdef', 'node_modules');
  const script = copyProgram(join(libraries, 'quantshelf'));
  for (const name of readdirSync(join(root, 'node_modules')).filter(isKept)) {
    symlinkSync(join(root, 'node_modules', name), join(libraries, name));
  }
  return { libraries, script };
}

describe('started by npx', () => {
  const { script } = install();

  it('prints commands that work without an installation', async () => {
    const home = makeHome();
    const env = environment(home, { HOME: makeHome() });
    const run = (...args: string[]) => runProcess(node, [script, ...args], { env });
    const unknown = await run('keys', 'revoke', 'nobody');
    expect(unknown.stderr).toContain('`npx -y quantshelf keys list` shows all');
    const misspelt = await run('sink');
    expect(misspelt.code).toBe(2);
    expect(misspelt.stderr).toContain('`npx -y quantshelf --help`');
    expect((await run('init')).stdout).toContain('`npx -y quantshelf init zed`');
    const cursor = await run('init', 'cursor');
    expect(cursor.stderr).toContain('`npx -y quantshelf init cursor --write`');
    const search = await run('call', 'prediction_market_event_search', '{"query":"rates"}');
    expect(search.stdout).toMatch(/"notice": ".*`npx -y quantshelf model`/);
    const { url } = await serveForTest(home, { program: script });
    const page = await (await fetch(url)).text();
    expect(page).toContain('<code>npx -y quantshelf keys create notebook</code>');
    const document = await (await fetch(`${url}/openapi.json`)).text();
    expect(document).toContain('`npx -y quantshelf keys create NAME`');
    const poor = await startWire(makeHome(), { QUANTSHELF_CREDITS: '0' }, [], script);
    const args = { indicator: 'us.gdp.real', limit: 1 };
    expect(await poor.ask('macro_indicator_history', args)).toMatchObject({
      error: {
        code: 'insufficient_credits',
        message: expect.stringContaining('`npx -y quantshelf keys grant local 10000`'),
      },
    });
  });
});

/** The program with a SQLite binding of another Node, on a Node of these versions. */
function installOther(library: { version: string; main: string }, versions: object) {
  const { libraries, script } = install((name) => !name.startsWith('better-sqlite3'));
  const directory = join(libraries, 'better-sqlite3');
  mkdirSync(directory);
  const { version, main } = library;
  const manifest = { name: 'better-sqlite3', version, main: 'index.js' };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(directory, 'index.js'), main);
  const preload = join(libraries, 'versions.cjs');
  const all = `{ ...process.versions, ...${JSON.stringify(versions)} }`;
  writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${all} });`);
  const env = environment(makeHome(), { NODE_OPTIONS: `--require=${preload}` });
  return (...args: string[]) => runProcess(node, [script, ...args], { env });
}

describe("on a Node whose npx finds another Node's SQLite", () => {
  const ABI =
    'The module was compiled against a different Node.js version using\\nNODE_MODULE_VERSION 115.';
  it.each([
    [
      'an older one',
      { version: '12.11.1', main: `throw new Error("${ABI}");` },
      { node: '22.20.0', napi: '10' },
    ],
    [
      'a newer one',
      { version: '13.2.0', main: 'process.abort();' },
      { node: '20.20.2', napi: '9' },
    ],
  ])('a command says how to make npx reinstall it: %s', async (_, library, versions) => {
    const { stderr } = await installOther(library, versions)('status');
    expect(stderr).toMatch(
      /^SQLite cannot be loaded on Node 2[02].*Delete the folder `_npx` in npm's/,
    );
  });
});

describe('on a Node that the installed SQLite would kill', () => {
  // What npm installs on Node 22.0 to 22.13 and 23.0 to 23.5.
  const run = installOther(
    { version: '13.2.0', main: 'process.abort();' },
    { node: '22.12.0', napi: '9' },
  );
  const cause = /^SQLite cannot be loaded on Node 22\.12\.0\. Use Node 22\.14 or newer/;

  it('a command and a call explain why they cannot run', async () => {
    expect((await run('status')).stderr).toMatch(cause);
    const call = await run('call', 'paper_search', '{"query":"x"}');
    expect(JSON.parse(call.stdout)).toMatchObject({
      error: { code: 'service_unavailable', message: expect.stringMatching(cause) },
    });
    expect(call.stderr).toContain('version 13 is installed, which this Node cannot load');
  });
});
