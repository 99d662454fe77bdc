import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { migrations } from '../../src/schema.ts';
import { appliedMigrations, type Migration, migrate } from '../../src/store/migrations.ts';

const AT = new Date('2026-11-21T00:00:00Z');

function memory(): Database.Database {
  const db = new Database(':memory:');
  sqliteVec.load(db);
  return db;
}

function schemaOf(db: Database.Database): string[] {
  return db
    .prepare<[], string>('SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name')
    .pluck()
    .all();
}

function step(name: string, up: Migration['up']): Migration {
  return { name, up };
}

describe('migrate', () => {
  it('reaches the same schema from empty and from every earlier version', () => {
    const fresh = memory();
    migrate(fresh, migrations, AT);
    for (let taken = 1; taken < migrations.length; taken += 1) {
      const older = memory();
      migrate(older, migrations.slice(0, taken), AT);
      migrate(older, migrations, AT);
      expect(schemaOf(older)).toEqual(schemaOf(fresh));
    }
    expect(appliedMigrations(fresh)).toEqual(new Set(migrations.map(({ name }) => name)));
  });

  it('does nothing the second time', () => {
    const db = memory();
    let runs = 0;
    const once = [
      step('a', () => {
        runs += 1;
      }),
    ];
    migrate(db, once, AT);
    migrate(db, once, AT);
    expect(runs).toBe(1);
  });

  it('takes all missing steps or none', () => {
    const db = memory();
    const broken = [
      step('a', (on) => on.exec('CREATE TABLE a (x)')),
      step('b', () => {
        throw new Error('no');
      }),
    ];
    expect(() => migrate(db, broken, AT)).toThrow('no');
    expect(schemaOf(db)).toEqual([]);
    expect(appliedMigrations(db).size).toBe(0);
  });

  it('refuses a store of a newer version with a word to upgrade', () => {
    const db = memory();
    migrate(db, [...migrations, step('future-1', () => {})], AT);
    expect(() => migrate(db, migrations, AT)).toThrow(ServiceError);
    expect(() => migrate(db, migrations, AT)).toThrow(/Upgrade/);
  });

  it('has a name of its own for every step', () => {
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
  });
});
