import { macroMigrations } from '../../../../src/areas/macro/tables.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { Database } from '../../../../src/store/sqlite.ts';
import { offline } from '../../../context.ts';
import { copyInMemory } from '../../../vectors.ts';
import { callWith, noModel } from '../calls.ts';

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

/** Calls an operation as the doors do, at the time `now`. */
export function call(db: Database.Database, operation: Operation, input: unknown, now = NOW) {
  return callWith({ ...offline, db, now: () => now, embedQuery: noModel }, operation, input);
}
