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

describe('on a Node that the installed SQLite would kill', () => {
  // What npm installs on Node 22.0 to 22.13 and 23.0 to 23.5.
  const { libraries, script } = install((name) => !name.startsWith('better-sqlite3'));
  const library = join(libraries, 'better-sqlite3');
  mkdirSync(join(library, 'lib'), { recursive: true });
  const manifest = { name: 'better-sqlite3', version: '13.2.0', main: 'lib/index.js' };
  writeFileSync(join(library, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(library, 'lib', 'index.js'), 'process.abort();');
  const oldNode = join(libraries, 'old-node.cjs');
  const versions = "{ ...process.versions, node: '22.12.0', napi: '9' }";
  writeFileSync(oldNode, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  const cause = /^SQLite cannot be loaded on Node 22\.12\.0\. Use Node 22\.14 or newer/;

  it('a command and a call say why', async () => {
    const env = environment(makeHome(), { NODE_OPTIONS: `--require=${oldNode}` });
    const status = await runProcess(node, [script, 'status'], { env });
    expect(status.stderr).toMatch(cause);
    const call = await runProcess(node, [script, 'call', 'paper_search', '{"query":"x"}'], { env });
    expect(JSON.parse(call.stdout)).toMatchObject({
      error: { code: 'service_unavailable', message: expect.stringMatching(cause) },
    });
    expect(call.stderr).toContain('version 13 is installed, which this Node cannot load');
  });
});
