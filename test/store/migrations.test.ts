import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/app/migrations.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { appliedMigrations, type Migration, migrate } from '../../src/store/migrations.ts';

const AT = new Date('2026-11-21T00:00:00Z');

function memory(): Database.Database {
  const db = new Database(':memory:');
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

  it('reaches it from a store that lacks the steps of one area from any point on, wherever they stand', () => {
    const fresh = memory();
    migrate(fresh, migrations, AT);
    for (const [index, { name }] of migrations.entries()) {
      const older = memory();
      const area = name.split('-')[0] ?? '';
      const others = migrations.filter((each, at) => at < index || !each.name.startsWith(area));
      migrate(older, others, AT);
      migrate(older, migrations, AT);
      expect(schemaOf(older), name).toEqual(schemaOf(fresh));
    }
  });

  it('keeps the record of earlier steps, and what they hold', () => {
    const db = memory();
    migrate(db, migrations.slice(0, 1), AT);
    db.exec("INSERT INTO facts VALUES ('key', 'value')");
    migrate(db, migrations, new Date('2027-01-01T00:00:00Z'));
    expect(db.prepare('SELECT value FROM facts').pluck().get()).toBe('value');
    const when = db.prepare('SELECT applied_at FROM migrations ORDER BY rowid').pluck().all();
    expect([...new Set(when)]).toEqual([AT.toISOString(), '2027-01-01T00:00:00.000Z']);
  });

  it('leaves a store alone that a failing step meets half way', () => {
    const db = memory();
    migrate(db, migrations, AT);
    const before = schemaOf(db);
    const broken = step('next-1', (on) => {
      on.exec('DROP TABLE ledger; CREATE TABLE next (x)');
      throw new Error('no');
    });
    expect(() => migrate(db, [...migrations, broken], AT)).toThrow('no');
    expect(schemaOf(db)).toEqual(before);
    expect(appliedMigrations(db).has('next-1')).toBe(false);
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
    expect(() => migrate(db, [], AT)).toThrow(ServiceError);
    expect(appliedMigrations(db).size).toBe(migrations.length + 1);
  });

  it('has a name of its own for every step', () => {
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
  });
});
