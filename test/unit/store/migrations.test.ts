import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../../src/app/migrations.ts';
import { eventIndex } from '../../../src/areas/markets/tables.ts';
import { paperIndex } from '../../../src/areas/papers/tables.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { appliedMigrations, assertOwnStore, migrate } from '../../../src/store/migrations.ts';
import { createSearchIndex } from '../../../src/store/search/index.ts';
import { Database } from '../../../src/store/sqlite.ts';

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

/** Tables with their columns, and indexes, ignoring comments and white space. */
function objectsOf(db: Database.Database): { name: string; sql: string }[] {
  return db
    .prepare<[], { name: string; sql: string | null }>(
      "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
    .map(({ name, sql }) => ({
      name,
      sql: (sql ?? '').replace(/--[^\n]*/g, '').replace(/\s+/g, ''),
    }));
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

  it('reaches it from a store that lacks the later steps of one area', () => {
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

  it('keeps the record of earlier steps and their data', () => {
    const db = memory();
    migrate(db, migrations.slice(0, 1), AT);
    db.exec("INSERT INTO settings VALUES ('key', 'value')");
    migrate(db, migrations, new Date('2027-01-01T00:00:00Z'));
    expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('value');
    const when = db.prepare('SELECT applied_at FROM migrations ORDER BY rowid').pluck().all();
    expect([...new Set(when)]).toEqual([AT.toISOString(), '2027-01-01T00:00:00.000Z']);
  });

  it('leaves a store unchanged when a step fails half way', () => {
    const db = memory();
    migrate(db, migrations, AT);
    const before = schemaOf(db);
    const broken = { name: 'next-1', sql: 'DROP TABLE ledger; CREATE TABLE next (x); no sql' };
    expect(() => migrate(db, [...migrations, broken], AT)).toThrow(/syntax error/);
    expect(schemaOf(db)).toEqual(before);
    expect(appliedMigrations(db).has('next-1')).toBe(false);
  });

  it('does nothing the second time', () => {
    const db = memory();
    const once = [{ name: 'a', sql: 'CREATE TABLE a (x)' }];
    migrate(db, once, AT);
    db.exec('DROP TABLE a');
    migrate(db, once, AT);
    expect(schemaOf(db).filter((sql) => sql.includes('TABLE a '))).toEqual([]);
  });

  it('applies all missing steps or none', () => {
    const db = memory();
    const broken = [
      { name: 'a', sql: 'CREATE TABLE a (x)' },
      { name: 'b', sql: 'no sql' },
    ];
    expect(() => migrate(db, broken, AT)).toThrow(/syntax error/);
    expect(schemaOf(db)).toEqual([]);
    expect(appliedMigrations(db).size).toBe(0);
  });

  it('refuses a store of a newer version and suggests an upgrade', () => {
    const db = memory();
    migrate(db, [...migrations, { name: 'future-1', sql: '' }], AT);
    expect(() => migrate(db, migrations, AT)).toThrow(ServiceError);
    expect(() => migrate(db, migrations, AT)).toThrow(/Upgrade/);
    expect(() => migrate(db, [], AT)).toThrow(ServiceError);
    expect(appliedMigrations(db).size).toBe(migrations.length + 1);
  });

  it('has a unique name for every step', () => {
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
  });
});

describe('migrations', () => {
  it('are frozen: a released one never changes, since stores record only its name', () => {
    const hashes = Object.fromEntries(
      migrations.map(({ name, sql }) => [
        name,
        createHash('sha256').update(sql).digest('hex').slice(0, 16),
      ]),
    );
    expect(hashes).toEqual({
      'store-1-settings': 'd90d9e6a65784b78',
      'store-2-rate-limits': '9e689a0422e4f571',
      'store-3-reachability': '251d4a2b83608f67',
      'store-4-sync-log': 'e4268fad5c22aa33',
      'store-5-calls-that-wait': 'f33a3a0f09f68035',
      'accounts-1': '9b0d466ffd861ee3',
      'papers-1': '2cac26c02f69fa12',
      'papers-2-checksums': '63a7daebb2c9b902',
      'papers-3-titles': '8ebca3fbacd8cab3',
      'papers-4-section-terms': 'e6bd886d99b8cbab',
      'papers-5-card-checksums': '077d91ee58ec7acc',
      'papers-6-facts': '4c5a4748e6b6bc1b',
      'macro-1': '1f3793dd5a122ebf',
      'macro-2-agencies': '52ebbb65292b4bd4',
      'macro-3-agency-files': '994471c6086add20',
      'macro-4-checksums': '94b3f6fc164f9b41',
      'markets-1': 'd128f70600aa0bba',
      'markets-2-checksums': '484cefaacb6d77cc',
      'markets-3-card-checksums': 'cc13f4c580538e4a',
    });
  });

  it.each([
    [paperIndex, 'papers-1'],
    [eventIndex, 'markets-1'],
  ])('create the search index that the code writes to: $name', (index) => {
    const [stored, made] = [memory(), memory()];
    migrate(stored, migrations, AT);
    createSearchIndex(made, index);
    const prefix = new RegExp(`^${index.name}_(terms.*|vocabulary|vector(_signs)?|passages)$`);
    expect(objectsOf(made).filter(({ name }) => prefix.test(name)).length).toBeGreaterThan(5);
    expect(objectsOf(stored).filter(({ name }) => prefix.test(name))).toEqual(objectsOf(made));
  });
});

describe('a file that is not a store', () => {
  const foreign = () => {
    const db = memory();
    db.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)');
    return db;
  };

  it('is refused and left alone', () => {
    const db = foreign();
    const before = db.serialize();
    expect(() => migrate(db, migrations, AT)).toThrow(/not a QuantShelf store/);
    expect(db.serialize().equals(before)).toBe(true);
  });

  it('is recognised by its application id', () => {
    const db = memory();
    assertOwnStore(db);
    migrate(db, migrations, AT);
    assertOwnStore(db);
    db.pragma('application_id = 0');
    expect(() => assertOwnStore(db)).toThrow(ServiceError);
  });
});
