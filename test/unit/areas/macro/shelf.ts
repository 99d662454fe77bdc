import { macroMigrations } from '../../../../src/areas/macro/tables.ts';
import type { Context } from '../../../../src/core/context.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { type CallResult, run } from '../../../../src/core/run.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { Database } from '../../../../src/store/sqlite.ts';
import { offline } from '../../../context.ts';
import { copyInMemory } from '../../../vectors.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

/** An in-memory store, created by the real migrations. */
export function makeShelf(): Database.Database {
  const db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
  migrate(db, macroMigrations, NOW);
  return db;
}

/** A copy of `db` in memory. */
export function copyShelf(db: Database.Database): Database.Database {
  return copyInMemory(db.serialize());
}

/** Calls an operation as the doors do, at the time `now`; the account never runs out of credits. */
export function call(
  db: Database.Database,
  operation: Operation,
  input: unknown,
  now = NOW,
): Promise<CallResult> {
  const context: Context = {
    ...offline,
    db,
    now: () => now,
    embedQuery: async () => ({ unavailable: 'no model in this test' }),
  };
  const account = { name: 'local', balance: () => 100, charge: () => 99 };
  return run(operation, input, {
    open: async () => ({ context, account }),
    log: (line) => process.stderr.write(`${line}\n`),
  });
}
