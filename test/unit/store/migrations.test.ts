import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrations } from '../../../src/app/store.ts';
import { eventIndex } from '../../../src/areas/markets/tables.ts';
import { paperIndex } from '../../../src/areas/papers/tables.ts';
import { migrate, pendingMigrations } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { compile } from '../../program.ts';
import { createSearchIndex } from '../../search.ts';
import { temporaryDirectory } from '../../temporary.ts';

const AT = new Date('2026-11-21T00:00:00Z');

const memory = () => new Database(':memory:');

/** The steps of a future version, at the end of their areas' lists. */
const LATER: Readonly<Record<string, string>> = {
  'settings-1': 'CREATE TABLE later_setting (key TEXT PRIMARY KEY) STRICT',
  'paper-2': 'ALTER TABLE paper ADD COLUMN later TEXT; CREATE INDEX paper_later ON paper (later)',
  'market-1': 'DROP TABLE market_pull',
};
const laterMigrations = migrations.flatMap((step) => {
  const sql = LATER[step.name];
  return sql === undefined ? [step] : [step, { name: step.name.replace(/\d+$/, '99'), sql }];
});

/** Tables with their columns, and indexes, ignoring comments and white space. */
function schemaOf(db: Database.Database): { name: string; sql: string }[] {
  return db
    .prepare<[], { name: string; sql: string | null }>(
      "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
    .map(({ name, sql }) => ({ name, sql: (sql ?? '').replace(/--[^\n]*|\s+/g, '') }));
}

/** Features up to SQLite 3.37, with which Ubuntu 22.04 must be able to read the views, and later ones. */
const FUNCTIONS =
  'coalesce count json_array_length json_each json_extract length strftime substr sum';
const LATER_SYNTAX = /->|\bIS (?:NOT )?DISTINCT\b|\b(?:RIGHT|FULL)\s+(?:OUTER\s+)?JOIN\b/gi;
/** Words before a bracket that are not functions, such as table names. */
const BEFORE_BRACKET =
  /^(?:and|as|by|cast|check|exists|in|key|not|on|or|over|select|then|unique|using|values|when|where)$/;

it('the schema uses only features of SQLite 3.37', () => {
  const db = memory();
  migrate(db, migrations, AT);
  const tables = db.prepare<[], string>('SELECT name FROM sqlite_master').pluck().all();
  const names = new Set([...tables, ...FUNCTIONS.split(' ')]);
  // A virtual table is opened only when used, and no view uses one.
  const own = db.prepare<[], string>(`
    SELECT sql FROM sqlite_master WHERE sql NOT NULL AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND name NOT GLOB '*_terms_*' AND name NOT GLOB '*_vocabulary'`);
  for (const text of own.pluck().all()) {
    const sql = text.replace(/--[^\n]*/g, '').replace(/'[^']*'/g, "''");
    expect(sql.match(LATER_SYNTAX), text).toBeNull();
    const calls = sql.toLowerCase().matchAll(/\b([a-z_0-9]+)\s*\(/g);
    const functions = [...calls].map(([, name = '']) => name);
    const unknown = functions.filter((name) => !names.has(name) && !BEFORE_BRACKET.test(name));
    expect(unknown, text).toEqual([]);
  }
});

it('migrate produces the same schema from an empty file and from every older store', () => {
  const fresh = memory();
  migrate(fresh, laterMigrations, AT);
  for (const [index, { name }] of laterMigrations.entries()) {
    const older = memory();
    const area = name.replace(/\d+$/, '');
    const others = laterMigrations.filter((each, at) => at < index || !each.name.startsWith(area));
    migrate(older, others, AT);
    migrate(older, laterMigrations, AT);
    expect(schemaOf(older), name).toEqual(schemaOf(fresh));
  }
  expect(laterMigrations).toHaveLength(migrations.length + 3);
  expect(pendingMigrations(fresh, laterMigrations)).toEqual([]);
});

it('migrate leaves a store unchanged when a step fails halfway', () => {
  const db = memory();
  migrate(db, migrations, AT);
  const before = schemaOf(db);
  const broken = { name: 'next-1', sql: 'DROP TABLE ledger; CREATE TABLE next (x); no sql' };
  expect(() => migrate(db, [...migrations, broken], AT)).toThrow(/syntax error/);
  expect(schemaOf(db)).toEqual(before);
  expect(pendingMigrations(db, [...migrations, broken])).toEqual([broken]);
});

it('released migrations never change', () => {
  const hashOf = (sql: string) => createHash('sha256').update(sql).digest('hex').slice(0, 16);
  const hashes = migrations.map(({ name, sql }) => [name, hashOf(sql)]);
  expect(Object.fromEntries(hashes)).toEqual({
    'settings-1': 'd90d9e6a65784b78',
    'rate-limits-1': '52613c1d761cefb0',
    'reachability-1': '45c5ad4d5e0dfdd5',
    'sync-log-1': 'e4268fad5c22aa33',
    'accounts-1': '9b0d466ffd861ee3',
    'paper-1': '758e7552d0eb1ada',
    'paper-2': '09174ba8f1a23f2c',
    'paper-3': 'be5930de01be968c',
    'paper-4': 'e04be32b87a9c597',
    'macro-1': 'bd65279beacf60c6',
    'macro-2': 'd0e40469d2f82478',
    'market-1': 'bd6fe9470a77a9db',
    'market-2': 'a96f97e03b36f0c4',
  });
});

it.each([paperIndex, eventIndex])(
  'migrations create the index $name exactly as `createSearchIndex` does',
  (index) => {
    const [stored, made] = [memory(), memory()];
    migrate(stored, migrations, AT);
    createSearchIndex(made, index);
    const prefix = new RegExp(
      `^${index.name}_(terms.*|vocabulary|indexed|vector|vector_signs|passages)$`,
    );
    expect(schemaOf(made).filter(({ name }) => prefix.test(name)).length).toBeGreaterThan(5);
    expect(schemaOf(stored).filter(({ name }) => prefix.test(name))).toEqual(schemaOf(made));
  },
);

it.each(['none', 'the first'])(
  'with %s of the migrations applied, concurrent processes apply each of the others once',
  async (applied) => {
    const path = join(temporaryDirectory(), 'store.sqlite');
    const older = openForWriting(path);
    migrate(older, migrations.slice(0, applied === 'none' ? 0 : 1), AT);
    const migrator = await compile('test/unit/store/migrate-child.ts');
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, [migrator, path], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const ended = children.map((child) => once(child, 'exit'));
    // All have opened the store before one migrates it.
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
    for (const { stdin } of children) stdin.write('go\n');
    expect(await Promise.all(ended)).toEqual(Array(3).fill([0, null]));
    const alone = memory();
    migrate(alone, migrations, AT);
    expect(schemaOf(older)).toEqual(schemaOf(alone));
    expect(pendingMigrations(older, migrations)).toEqual([]);
    older.close();
  },
);
