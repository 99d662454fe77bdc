import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serveForTest } from './serving.ts';
import { copyProgram, environment, makeHome, node, root, runProcess } from './support.ts';
import { startWire } from './wire.ts';

/** Copies the program to where npx would put it, beside links to the tree's libraries. */
function install(isKept: (library: string) => boolean = () => true) {
  const libraries = join(makeHome(), '_npx', '0123456789abcdef', 'node_modules');
  const script = copyProgram(join(libraries, 'quantshelf'));
  for (const name of readdirSync(join(root, 'node_modules')).filter(isKept)) {
    symlinkSync(join(root, 'node_modules', name), join(libraries, name));
  }
  return { libraries, script };
}

it('a program started by npx prints commands that work without an installation', async () => {
  const { script } = install();
  const home = makeHome();
  const env = environment(home, { HOME: makeHome() });
  const run = (...args: string[]) => runProcess(node, [script, ...args], { env });
  const misspelt = await run('sink');
  expect(misspelt.code).toBe(2);
  expect(misspelt.stderr).toContain('`npx -y quantshelf --help`');
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

/** The program on these versions of Node, with a SQLite binding that was made for another. */
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

const ABI =
  'The module was compiled against a different Node.js version using\\nNODE_MODULE_VERSION 115.';
const KILLING = { version: '13.2.0', main: 'process.abort();' };

it.each([
  [
    'a SQLite binding that npx installed for an older Node',
    { version: '12.11.1', main: `throw new Error("${ABI}");` },
    { node: '22.20.0', napi: '10' },
    /^SQLite cannot be loaded on Node 22\.20.*Delete the folder `_npx` in npm's/,
  ],
  [
    'the SQLite binding that npm installs on Node 22.0 to 22.13 and 23.0 to 23.5',
    KILLING,
    { node: '22.12.0', napi: '9' },
    /^SQLite cannot be loaded on Node 22\.12\.0\. Use Node 22\.14 or newer/,
  ],
])('commands and calls say what to do about %s', async (_, library, versions, says) => {
  const run = installOther(library, versions);
  expect((await run('status')).stderr).toMatch(says);
  const call = await run('call', 'paper_search', '{"query":"x"}');
  expect(JSON.parse(call.stdout)).toMatchObject({
    error: { code: 'service_unavailable', message: expect.stringMatching(says) },
  });
});
