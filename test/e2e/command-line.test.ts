import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { runHere, statusHere } from './in-process.ts';
import {
  bin,
  type Env,
  failure,
  makeHome,
  node,
  quantshelf,
  root,
  runProcess,
  storeIn,
} from './support.ts';

const { version, engines } = z
  .object({ version: z.string(), engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

const home = makeHome();

it.each([
  ['a misspelt command', ['statsu'], {}, /unknown command 'statsu'\n.*status\?\)\nSee/],
  ['a misspelt operation', ['call', 'paper_serch'], {}, /"paper_search"\?.* are: paper/],
  ['an invalid setting', ['status'], { QUANTSHELF_OFFLINE: 'perhaps' }, /^QUANTSHELF_OFFLINE/],
])(
  'the program exits with 2 and says why on stderr if it gets %s',
  async (_, args, env: Env, says) => {
    const { code, stdout, stderr } = await quantshelf(args, home, env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\n\s+at /);
  },
);

it.each(['{"q":', '[1]'])(
  'quantshelf call refuses the input %s with an error object, and exits with 1',
  async (input) => {
    const { code, stdout } = await runHere(['call', 'macro_indicator_search', input], home);
    expect(code).toBe(1);
    expect(failure.parse(JSON.parse(stdout)).error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('macro_indicator_search'),
    });
  },
);

it('quantshelf status --json prints the documented shape', async () => {
  const area = {
    count: expect.any(Number),
    newest: expect.stringMatching(/^20\d\d-\d\d/),
    lastSync: null,
    lastError: null,
  };
  const status = await statusHere(home);
  expect(status).toMatchObject({
    version,
    store: { path: storeIn(home), bytes: statSync(storeIn(home)).size },
    model: { id: expect.any(String), present: false },
    papers: { ...area, withFullText: expect.any(Number) },
    macro: area,
    markets: area,
  });
  expect(status.macro.count).toBeGreaterThanOrEqual(50);
});

it('quantshelf doctor --json names the missing model and its remedy, and exits with 0', async () => {
  const { code, stdout } = await quantshelf(['doctor', '--json'], home);
  const found = { ok: true, state: 'ok', detail: expect.any(String), fix: null };
  const names = ['node', 'native_modules', 'vector_search', 'store_integrity'];
  // A missing optional part is not a failure.
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 0,
    ok: true,
    checks: [
      ...names.map((name) => ({ ...found, name })),
      {
        name: 'model',
        ok: false,
        state: 'missing',
        detail: expect.any(String),
        fix: expect.stringContaining('quantshelf model'),
      },
      { ...found, name: 'upstreams' },
    ],
  });
});

it('quantshelf model fails while offline, and says which settings to change', async () => {
  const { code, stdout, stderr } = await quantshelf(['model'], home);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/QUANTSHELF_OFFLINE.*QUANTSHELF_MODEL_DIR/);
});

it('the launcher tells users of an older Node which version they need', async () => {
  const old = "Object.defineProperty(process, 'versions', { value: { node: '20.18.3' } })";
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, bin, '--version'];
  const { code, stdout, stderr } = await runProcess(node, args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('QuantShelf needs Node 20.19 or newer; this is 20.18.3.\n');
  expect(engines.node).toBe('>=20.19');
});
