import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { books } from './books.ts';
import { aPricedRow, envelope, makeHome, quantshelf } from './support.ts';
import { resultOf, Wire } from './wire.ts';

async function startMany(count: number, home: string, credits: number): Promise<Wire[]> {
  const wires = Array.from(
    { length: count },
    () => new Wire(home, { QUANTSHELF_CREDITS: String(credits) }),
  );
  await Promise.all(wires.map((wire) => wire.initialize()));
  return wires;
}

describe('several servers on one home', () => {
  it('race for an empty home, and all of them answer', async () => {
    const home = makeHome();
    const wires = await startMany(4, home, 1000);
    await Promise.all(
      wires.flatMap((wire) =>
        operations.map(async (row) => {
          const answer = resultOf(await wire.call(row.name, row.name, row.example));
          expect(answer.structuredContent, row.name).toHaveProperty('data');
        }),
      ),
    );
    for (const wire of wires) expect(await wire.finish()).toEqual({ code: 0, signal: null });
    const { balance, spent } = books(home);
    const prices = operations.reduce((sum, { price }) => sum + price, 0);
    expect({ balance, spent }).toEqual({ balance: 1000 - 4 * prices, spent: 4 * prices });
    expect(readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  it('spend exactly what there is, each credit for one answer', async () => {
    const credits = 50;
    const home = makeHome();
    const row = aPricedRow();
    const wires = await startMany(4, home, credits);
    const answers = await Promise.all(
      wires.flatMap((wire) =>
        Array.from({ length: 25 }, async (_, id) =>
          envelope.parse(resultOf(await wire.call(id, row.name, row.example)).structuredContent),
        ),
      ),
    );
    for (const wire of wires) await wire.finish();
    const paid = answers.flatMap((answer) => ('data' in answer ? [answer.meta] : []));
    const refused = answers.flatMap((answer) => ('error' in answer ? [answer.error.code] : []));
    expect(paid).toHaveLength(credits);
    expect(refused).toEqual(Array(answers.length - credits).fill('insufficient_credits'));
    const { balance, ledger } = books(home);
    expect(balance).toBe(0);
    expect(ledger.map(({ request_id }) => request_id).sort()).toEqual(
      paid.map(({ requestId }) => requestId).sort(),
    );
    expect(ledger[0]).toMatchObject({ credits: 1, operation: row.name, account: 'local' });
    // Every balance from 49 to 0 was told once: no two answers took the same credit.
    expect(paid.map(({ remainingCredits }) => remainingCredits).sort((a, b) => b - a)).toEqual(
      Array.from({ length: credits }, (_, index) => credits - 1 - index),
    );
  });

  it('a grant from the shell reaches a server that runs', async () => {
    const home = makeHome();
    const row = aPricedRow();
    const wire = new Wire(home, { QUANTSHELF_CREDITS: '0' });
    await wire.initialize();
    const before = resultOf(await wire.call(1, row.name, row.example));
    expect(before.structuredContent).toMatchObject({ error: { code: 'insufficient_credits' } });
    expect((await quantshelf(['keys', 'grant', 'local', '3'], home)).code).toBe(0);
    const after = resultOf(await wire.call(2, row.name, row.example));
    expect(after.structuredContent).toMatchObject({ meta: { remainingCredits: 2 } });
  });
});
