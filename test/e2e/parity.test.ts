import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { brokenStores, type ErrorCase, edit, errorCases, inspect, LEAK } from './error-cases.ts';
import { connect, envelopeOf } from './hosts.ts';
import { makeShelf, runHere } from './in-process.ts';
import {
  aPricedRow,
  comparable,
  type Env,
  type Envelope,
  envelope,
  makeHome,
  quantshelf,
  storeIn,
} from './support.ts';

/** A home with a store that has been opened once; copied where a test spoils it. */
let sound = '';

beforeAll(async () => {
  sound = await makeShelf();
});

function copyOfSound(): string {
  const home = makeHome();
  copyFileSync(storeIn(sound), storeIn(home));
  return home;
}

function balanceIn(home: string): unknown {
  return inspect(home, (db) => db.prepare('SELECT credits FROM accounts').pluck().get());
}

/** The same calls at both doors: over one MCP connection, and each by `quantshelf call`. */
async function askBothDoors(
  calls: readonly Pick<ErrorCase, 'operation' | 'input'>[],
  home: string,
  extra: Env = {},
  start = quantshelf,
): Promise<{ mcp: Envelope; shell: Envelope; isError: boolean; code: number | null }[]> {
  const host = await connect('current', home, extra);
  const answers = [];
  for (const { operation, input } of calls) {
    const reply = await host.call(operation, input);
    const ended = await start(['call', operation, JSON.stringify(input)], home, extra);
    answers.push({
      mcp: envelopeOf(reply),
      shell: envelope.parse(JSON.parse(ended.stdout)),
      isError: reply.isError === true,
      code: ended.code,
    });
  }
  return answers;
}

const examples = operations.map((row) => ({ operation: row.name, input: { ...row.example } }));

it('every wrong call is refused with what mends it', async () => {
  const host = await connect('current', sound);
  const before = balanceIn(sound);
  for (const { name, operation, input, code, param, says } of errorCases) {
    const reply = await host.call(operation, input);
    const answer = envelopeOf(reply);
    if (!('error' in answer)) throw new Error(`${name} succeeded`);
    expect(reply.isError, name).toBe(true);
    expect({ code: answer.error.code, param: answer.error.param }, name).toEqual({ code, param });
    expect(answer.error.message).toMatch(says);
    expect(answer.error.message).not.toMatch(LEAK);
  }
  expect(balanceIn(sound)).toBe(before);
});

it('without credits only the free rows answer, alike at both doors', async () => {
  const answers = await askBothDoors(examples, makeHome(), { QUANTSHELF_CREDITS: '0' }, runHere);
  for (const [index, { mcp, shell }] of answers.entries()) {
    const row = operations[index];
    expect(comparable(mcp), row?.name).toEqual(comparable(shell));
    if (row?.price === 0) {
      expect(mcp, row.name).toMatchObject({ meta: { creditsUsed: 0, remainingCredits: 0 } });
      expect(mcp, row.name).toHaveProperty('data');
    } else {
      expect(mcp, row?.name).toMatchObject({
        error: {
          code: 'insufficient_credits',
          message: expect.stringContaining('quantshelf keys grant local'),
        },
        meta: { creditsUsed: 0, remainingCredits: 0 },
      });
    }
  }
});

describe('a shelf that cannot serve', () => {
  it.each(brokenStores)('$name', async ({ spoil, says }) => {
    const home = copyOfSound();
    spoil(storeIn(home));
    await expectUnavailable(home, says);
  });

  it('a home whose place is taken by a file', async () => {
    const home = join(makeHome(), 'file');
    writeFileSync(home, '');
    await expectUnavailable(home, /data directory cannot be written.*QUANTSHELF_HOME/);
    await expectUnavailable(join(home, 'below'), /data directory cannot be written/);
  });

  it('answers again in the same process when the fault is gone', async () => {
    const home = join(makeHome(), 'home');
    writeFileSync(home, '');
    const host = await connect('current', join(home, 'below'));
    const row = aPricedRow();
    expect(envelopeOf(await host.call(row.name, row.example))).toHaveProperty('error');
    rmSync(home);
    expect(envelopeOf(await host.call(row.name, row.example))).toHaveProperty('data');
  });
});

/** A row fails alike over MCP and by `quantshelf call`. */
async function expectUnavailable(home: string, says: RegExp): Promise<void> {
  const refusal = {
    error: { code: 'service_unavailable', message: expect.stringMatching(says) },
  };
  for (const { mcp, shell, isError, code } of await askBothDoors(examples.slice(0, 1), home)) {
    expect(mcp).toMatchObject(refusal);
    expect('error' in mcp && mcp.error.message).not.toMatch(LEAK);
    expect(comparable(mcp)).toEqual(comparable(shell));
    expect({ isError, code }).toEqual({ isError: true, code: 1 });
  }
}

it('a bug is an internal error with a fixed sentence, its cause in the log, nothing charged', async () => {
  const home = copyOfSound();
  const before = balanceIn(home);
  edit(storeIn(home), 'ALTER TABLE macro_series RENAME COLUMN title TO name');
  const row = { operation: 'macro_indicator_history', input: { series_id: 'DGS10' } };
  const [answer] = await askBothDoors([row], home);
  expect(answer && comparable(answer.mcp)).toEqual(answer && comparable(answer.shell));
  expect(answer?.mcp).toMatchObject({
    error: { code: 'internal_error', message: expect.stringContaining('Nothing was charged') },
    meta: { creditsUsed: 0, remainingCredits: before },
  });
  const ended = await quantshelf(['call', row.operation, JSON.stringify(row.input)], home);
  const said = envelope.parse(JSON.parse(ended.stdout));
  expect('error' in said && ended.stderr.startsWith(said.error.requestId)).toBe(true);
  expect(ended.stderr).toContain('no such column');
});
