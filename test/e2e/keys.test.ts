import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { makeShelf, runHere } from './in-process.ts';
import { makeKey, serveForTest } from './serving.ts';
import { inspect } from './store.ts';
import { quantshelf } from './support.ts';

let home = '';
beforeEach(async () => {
  home = await makeShelf();
});

const listed = z.array(
  z.strictObject({
    name: z.string(),
    credits: z.int(),
    scopes: z.array(z.enum(['papers', 'macro', 'markets'])),
    created: z.iso.datetime(),
    revoked: z.iso.datetime().nullable(),
    prefix: z.string().nullable(),
    usage: z
      .strictObject({
        calls: z.int(),
        credits: z.int(),
        last: z.iso.datetime().nullable(),
        operations: z.array(
          z.strictObject({ operation: z.string(), calls: z.int(), credits: z.int() }),
        ),
      })
      .optional(),
  }),
);

async function list(...options: string[]) {
  const { code, stdout } = await runHere(['keys', 'list', '--json', ...options], home);
  expect(code).toBe(0);
  return listed.parse(JSON.parse(stdout));
}

describe('keys create', () => {
  it('--json prints the key, its credits and its scopes, and does not store the key', async () => {
    const args = ['keys', 'create', 'ada', '--credits', '5', '--scopes', 'macro,papers', '--json'];
    const { code, stdout, stderr } = await quantshelf(args, home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const made = z
      .strictObject({
        name: z.literal('ada'),
        key: z.string().regex(/^qs_[0-9A-Za-z]{32}$/),
        credits: z.literal(5),
        scopes: z.tuple([z.literal('papers'), z.literal('macro')]),
      })
      .parse(JSON.parse(stdout));
    const rows = inspect(home, (db) => JSON.stringify(db.prepare('SELECT * FROM keys').all()));
    expect(rows).not.toContain(made.key.slice(11));
    expect(JSON.stringify(await list())).not.toContain(made.key.slice(11));
  });
});

describe('keys list', () => {
  it('shows every account, when it was created, and its scopes', async () => {
    await makeKey(home, 'ada', '--scopes', 'macro');
    await makeKey(home, 'bob', '--credits', '7');
    await runHere(['keys', 'revoke', 'bob'], home);
    const [local, ada, bob] = await list();
    expect(local).toMatchObject({ name: 'local', prefix: null, revoked: null, credits: 100_000 });
    expect(ada).toMatchObject({ name: 'ada', scopes: ['macro'], revoked: null });
    expect(ada?.prefix).toMatch(/^qs_[0-9A-Za-z]{8}$/);
    expect(bob).toMatchObject({ name: 'bob', credits: 7, revoked: expect.any(String) });
    expect(bob).not.toHaveProperty('usage');
    const { stdout } = await quantshelf(['keys', 'list'], home);
    for (const word of ['ada', 'bob', 'local', '7 credits', 'revoked']) {
      expect(stdout).toContain(word);
    }
  });

  it('--usage shows the ledger totals of each account', async () => {
    const key = await makeKey(home, 'ada', '--credits', '10');
    const serving = await serveForTest(home);
    const get = (path: string) =>
      fetch(`${serving.url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    for (let call = 0; call < 3; call += 1) {
      await get('/api/macro/historical?indicator=us.nonfarm_payrolls&limit=1');
    }
    await get('/api/prediction_market/events?limit=1');
    await get('/api/macro/indicators');
    await get('/api/macro/historical?indicator=us.no.such');
    const [local, ada] = await list('--usage');
    expect(local?.usage).toEqual({ calls: 0, credits: 0, last: null, operations: [] });
    expect(ada).toMatchObject({
      credits: 6,
      usage: {
        calls: 4,
        credits: 4,
        last: expect.any(String),
        operations: [
          { operation: 'macro_indicator_history', calls: 3, credits: 3 },
          { operation: 'prediction_market_event_browse', calls: 1, credits: 1 },
        ],
      },
    });
    const { stdout } = await runHere(['keys', 'list', '--usage'], home);
    expect(stdout).toContain('4 paid calls, 4 credits spent');
    expect(stdout).toContain('macro_indicator_history: 3 calls, 3 credits');
  });
});
