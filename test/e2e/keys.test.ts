import { beforeEach, expect, it } from 'vitest';
import { makeShelf, runHere } from './in-process.ts';
import { ask, makeKey, serveForTest } from './serving.ts';
import { quantshelf } from './support.ts';

let home = '';
beforeEach(async () => {
  home = await makeShelf();
});

async function list(...options: string[]) {
  const { code, stdout } = await runHere(['keys', 'list', '--json', ...options], home);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

it('keys create --json prints the key, its credits and its scopes', async () => {
  const args = ['keys', 'create', 'ada', '--credits', '5', '--scopes', 'macro,papers', '--json'];
  const { code, stdout, stderr } = await quantshelf(args, home);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    name: 'ada',
    key: expect.stringMatching(/^qs_[0-9A-Za-z]{32}$/),
    credits: 5,
    scopes: ['papers', 'macro'],
  });
});

it('keys list shows every account, and with --usage the totals of its ledger', async () => {
  const key = await makeKey(home, 'ada', '--credits', '10', '--scopes', 'macro,markets');
  await makeKey(home, 'bob', '--credits', '7');
  await runHere(['keys', 'revoke', 'bob'], home);
  const { url } = await serveForTest(home);
  for (const path of [
    ...Array(3).fill('macro/historical?indicator=us.nonfarm_payrolls&limit=1'),
    'prediction_market/events?limit=1',
    'macro/indicators',
    'macro/historical?indicator=us.no.such',
  ]) {
    await ask(url, key, `/api/${path}`);
  }
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const prefix = expect.stringMatching(/^qs_[0-9A-Za-z]{8}$/);
  const scopes = ['papers', 'macro', 'markets'];
  const unused = { calls: 0, credits: 0, last: null, operations: [] };
  const common = { scopes, created: day, prefix, revoked: null, usage: unused };
  const operations = [
    { operation: 'macro_indicator_history', calls: 3, credits: 3 },
    { operation: 'prediction_market_event_browse', calls: 1, credits: 1 },
  ];
  expect(await list('--usage')).toEqual([
    { ...common, name: 'local', credits: 100_000, prefix: null },
    {
      ...common,
      name: 'ada',
      credits: 6,
      scopes: ['macro', 'markets'],
      usage: { calls: 4, credits: 4, last: day, operations },
    },
    { ...common, name: 'bob', credits: 7, revoked: day },
  ]);
  expect((await list())[0]).not.toHaveProperty('usage');
  const { stdout } = await runHere(['keys', 'list', '--usage'], home);
  for (const words of [
    ...['local', 'bob', '7 credits', 'revoked', '4 paid calls, 4 credits spent'],
    'macro_indicator_history: 3 calls, 3 credits',
  ]) {
    expect(stdout).toContain(words);
  }
});
