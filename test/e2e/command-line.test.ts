import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import { Database } from '../../src/store/sqlite.ts';
import { makeShelf, runHere } from './in-process.ts';
import {
  aPricedRow,
  bin,
  type Env,
  failure,
  makeHome,
  modelDir,
  node,
  quantshelf,
  root,
  runProcess,
  storeIn,
} from './support.ts';

const { version, engines } = z
  .object({ version: z.string(), engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

let home = '';
beforeAll(() => {
  home = makeHome();
});

describe('--help and --version', () => {
  it.each([['--version'], ['-v'], ['status', '--version']])('%s %s', async (...args) => {
    expect(await quantshelf(args, home)).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it.each([['--help'], ['-h'], ['help']])('%s', async (...args) => {
    const { code, stdout, stderr } = await quantshelf(args, home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name } of operations) expect(stdout).toContain(name);
    for (const word of ['call', 'status', 'doctor', 'model', 'keys', 'QUANTSHELF_HOME']) {
      expect(stdout).toContain(word);
    }
  });

  it.each([
    [['call', '--help'], '<operation>'],
    [['doctor', '--help'], '--json'],
    [['help', 'sync'], '--full-text <n>'],
    [['keys', 'grant', '--help'], '<NAME> <N>'],
  ])('%j', async (args, words) => {
    const { code, stdout, stderr } = await quantshelf(args, home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(words);
  });
});

describe('wrong usage', () => {
  it.each([
    ['an unknown command', ['fetch'], /Unknown command 'fetch'[\s\S]*--help/],
    ['a slip of a command', ['statsu'], /Unknown command 'statsu'\. Did you mean status\? See/],
    [
      'a slip of an operation',
      ['call', 'macro_indicator_serch', '{}'],
      /Did you mean "macro_indicator_search"\?/,
    ],
    [
      'an operation in place of a command',
      ['prediction_market_event_browse', '{}'],
      /`quantshelf call prediction_market_event_browse '\{/,
    ],
    ['a group without a command', ['keys'], /^Usage: quantshelf keys.*\n\n[\s\S]*\n {2}revoke /],
    ['an unknown option', ['status', '--yaml'], /--yaml[\s\S]*--help/],
    ['a call of nothing', ['call'], /Missing required argument 'operation'/],
    [
      'a call of an unknown operation',
      ['call', 'paper_find', '{}'],
      /The operations are: paper_search/,
    ],
    ['a call of too many words', ['call', 'paper_search', '{}', '{}'], /Too many arguments/],
    ['a grant of nothing', ['keys', 'grant', 'local'], /Missing required argument 'N'/],
    ['a grant of no number', ['keys', 'grant', 'local', 'many'], /whole number above 0/],
    ['a grant below one', ['keys', 'grant', 'local', '0'], /whole number above 0/],
    ['a word too many', ['status', 'now'], /Too many arguments for 'status'/],
    ['--json for the server', ['--json'], /Unknown option '--json'/],
  ])('%s ends with 2 and a word on stderr', async (_, args, says) => {
    const { code, stdout, stderr } = await quantshelf(args, home);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['QUANTSHELF_CREDITS', 'plenty'],
    ['QUANTSHELF_OFFLINE', 'perhaps'],
    ['QUANTSHELF_HUB_URL', 'not a url'],
  ])('%s=%s likewise, named', async (name, value) => {
    const { code, stdout, stderr } = await quantshelf(['status'], home, { [name]: value });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(name);
  });
});

describe('call', () => {
  it('takes no arguments for none', async () => {
    const { code, stdout } = await quantshelf(['call', 'macro_indicator_search'], home);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).data).not.toHaveLength(0);
  });

  it.each(['{"q":', '{bad', "{'q': 'cpi'}"])('says that %s is not JSON', async (input) => {
    const { code, stdout } = await runHere(['call', 'macro_indicator_search', input], home);
    expect(code).toBe(1);
    expect(failure.parse(JSON.parse(stdout))).toMatchObject({
      error: {
        code: 'invalid_request',
        message: expect.stringMatching(
          /^The arguments of macro_indicator_search must be one JSON object, and these are not JSON: .+ JSON.*\. Write them like '{"q":"treasury yield","limit":5}', in single quotes for the shell\.$/,
        ),
      },
      meta: { creditsUsed: 0 },
    });
  });

  it.each(['{"q":', 'volatility', '[1]', '"text"', '7', '{"lim":3}'])(
    'refuses %s with the error object and 1',
    async (input) => {
      const { code, stdout } = await runHere(['call', 'macro_indicator_search', input], home);
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        error: {
          code: 'invalid_request',
          message: expect.stringContaining('macro_indicator_search'),
        },
      });
    },
  );
});

const area = z.looseObject({
  count: z.int().positive(),
  newest: z.string(),
  lastSync: z.string().nullable(),
  lastError: z.string().nullable(),
});

describe('status', () => {
  it('--json has the agreed shape', async () => {
    const { code, stdout } = await quantshelf(['status', '--json'], home);
    expect(code).toBe(0);
    const status = z
      .looseObject({
        version: z.literal(version),
        store: z.strictObject({ path: z.literal(storeIn(home)), bytes: z.int() }),
        model: z.strictObject({
          id: z.string(),
          present: z.literal(false),
        }),
        papers: area.extend({ withFullText: z.int() }),
        macro: area,
        markets: area,
      })
      .parse(JSON.parse(stdout));
    expect(status.store.bytes).toBe(statSync(storeIn(home)).size);
    expect(status.macro.count).toBeGreaterThanOrEqual(50);
  });
});

const report = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      state: z.enum(['ok', 'missing', 'fault']),
      detail: z.string(),
      fix: z.string().nullable(),
    }),
  ),
});

const UPSTREAMS = [
  'QUANTSHELF_ARXIV_OAI_URL',
  'QUANTSHELF_ARXIV_WEB_URL',
  'QUANTSHELF_AR5IV_URL',
  'QUANTSHELF_POLYMARKET_URL',
  'QUANTSHELF_BLS_URL',
  'QUANTSHELF_TREASURY_URL',
  'QUANTSHELF_NYFED_URL',
  'QUANTSHELF_FEDBOARD_URL',
  'QUANTSHELF_BEA_URL',
  'QUANTSHELF_CENSUS_URL',
  'QUANTSHELF_FHFA_URL',
];

describe('doctor', () => {
  it('--json names what is missing and how to mend it', async () => {
    const { code, stdout } = await quantshelf(['doctor', '--json'], home);
    const { ok, checks } = report.parse(JSON.parse(stdout));
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'node',
        'native_modules',
        'vector_search',
        'store_integrity',
        'model',
        'upstreams',
      ]),
    );
    // What is merely not there is no fault.
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    const lacking = checks.filter((check) => !check.ok);
    expect(lacking.map(({ name, state }) => [name, state])).toEqual([['model', 'missing']]);
    expect(lacking[0]?.fix).toContain('quantshelf model');
    for (const check of checks) expect(check.fix === null, check.name).toBe(check.ok);
  });

  it.skipIf(modelDir === null)('finds nothing wrong where the model is', async () => {
    const { code, stdout } = await quantshelf(['doctor', '--json'], home, {
      QUANTSHELF_MODEL_DIR: modelDir ?? '',
    });
    expect({ code, ok: report.parse(JSON.parse(stdout)).ok }).toEqual({ code: 0, ok: true });
  });

  it.skipIf(modelDir === null)('does not miss a hub that nothing is needed of', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const up = `http://127.0.0.1:${address.port}`;
    const away = {
      QUANTSHELF_OFFLINE: '0',
      QUANTSHELF_HUB_URL: 'http://127.0.0.1:9',
      ...Object.fromEntries(UPSTREAMS.map((name) => [name, up])),
    };
    const upstreams = async (more: Env) => {
      const { stdout } = await runHere(['doctor', '--json'], home, { ...away, ...more });
      return report.parse(JSON.parse(stdout)).checks.find(({ name }) => name === 'upstreams');
    };
    expect(await upstreams({ QUANTSHELF_MODEL_DIR: modelDir ?? '' })).toMatchObject({ ok: true });
    expect(await upstreams({})).toMatchObject({
      state: 'fault',
      detail: 'unreachable: 127.0.0.1:9',
    });
    server.close();
  });

  it('takes a machine without a network for what it is', async () => {
    const all = [...UPSTREAMS, 'QUANTSHELF_HUB_URL', 'QUANTSHELF_NPM_URL'];
    const away = Object.fromEntries(all.map((name) => [name, 'http://127.0.0.1:9']));
    const alone = { ...away, QUANTSHELF_OFFLINE: '0' };
    const json = await runHere(['doctor', '--json'], home, alone);
    const { ok, checks } = report.parse(JSON.parse(json.stdout));
    expect({ code: json.code, ok }).toEqual({ code: 0, ok: true });
    expect(checks.find(({ name }) => name === 'upstreams')).toMatchObject({
      ok: false,
      state: 'missing',
      detail: expect.stringMatching(/^no source can be reached.*unreachable: 127\.0\.0\.1:9$/),
    });
    const { stdout } = await runHere(['doctor'], home, alone);
    expect(stdout).toMatch(/^missing upstreams/m);
    expect(stdout).not.toContain('FAULT');
  });

  it('sees a key that cannot be one, without repeating it', async () => {
    const keyOf = async (FRED_API_KEY: string) => {
      const { stdout } = await runHere(['doctor', '--json'], home, { FRED_API_KEY });
      expect(stdout).not.toContain('NONSENSE');
      return report.parse(JSON.parse(stdout)).checks.find(({ name }) => name === 'fred_key');
    };
    expect(await keyOf('NONSENSE')).toMatchObject({
      ok: false,
      state: 'fault',
      detail: expect.stringContaining('32 lower-case letters or digits'),
    });
    expect(await keyOf('0123456789abcdefghijklmnopqrstuv')).toMatchObject({ ok: true });
    expect(await keyOf('')).toMatchObject({ ok: true, detail: expect.stringContaining('not set') });
  });

  it('sees an area that holds nothing', async () => {
    const own = await makeShelf();
    const db = new Database(storeIn(own));
    db.exec('DELETE FROM market_event');
    db.close();
    const { stdout } = await runHere(['doctor', '--json'], own);
    expect(report.parse(JSON.parse(stdout)).checks).toContainEqual({
      name: 'contents',
      ok: false,
      state: 'fault',
      detail: expect.stringMatching(/^empty: markets \(papers 129, macro 51, markets 0\)$/),
      fix: expect.stringContaining('`quantshelf sync markets`'),
    });
  });
});

describe('keys grant', () => {
  it('adds to the balance that the next call tells', async () => {
    const own = makeHome();
    const granted = await quantshelf(['keys', 'grant', 'local', '25', '--json'], own, {
      QUANTSHELF_CREDITS: '10',
    });
    expect(granted.code).toBe(0);
    expect(JSON.parse(granted.stdout)).toEqual({ name: 'local', credits: 35 });
    const row = aPricedRow();
    const { stdout } = await quantshelf(['call', row.name, JSON.stringify(row.example)], own);
    expect(JSON.parse(stdout)).toMatchObject({ meta: { remainingCredits: 34 } });
  });
});

it('model says offline that it may not fetch', async () => {
  const { code, stdout, stderr } = await quantshelf(['model'], home);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/QUANTSHELF_OFFLINE.*QUANTSHELF_MODEL_DIR/);
});

it('ends with a word on Node itself where that is too old', async () => {
  const old = "Object.defineProperty(process, 'versions', { value: { node: '20.18.3' } })";
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, bin, '--version'];
  const { code, stdout, stderr } = await runProcess(node, args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('QuantShelf needs Node 20.19 or newer; this is 20.18.3.\n');
  expect(engines.node).toBe('>=20.19');
});
