import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ensureLocalAccount, grantCredits, openAccount } from '../../../src/accounts/accounts.ts';
import { createKey, listKeys, revokeKey, summariseLedger } from '../../../src/accounts/api-keys.ts';
import { migrations } from '../../../src/app/store.ts';
import { runBackup } from '../../../src/cli/backup.ts';
import { storePath } from '../../../src/config.ts';
import { withProcessLock } from '../../../src/store/lock.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting, openReadOnly } from '../../../src/store/open.ts';
import { temporaryDirectory } from '../../temporary.ts';

const NOW = new Date('2026-11-22T10:00:00Z');
let home: string;
let path: string;
let file: string;
let db: Database;

/** Runs a command; returns its exit code and output. */
async function run(name: 'backup' | 'restore', json = false) {
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const code = await runBackup({ name, file, json }, { home }, { print: say, log: say });
  return { code, said: said.join('\n') };
}

const namesIn = (at: string) => {
  const reader = openReadOnly(at);
  try {
    return listKeys(reader).map(({ name, revoked }) => (revoked ? `${name} revoked` : name));
  } finally {
    reader.close();
  }
};
/** Runs SQL on the backup. */
const change = (sql: string) => {
  const backup = openForWriting(file);
  backup.exec(sql);
  backup.close();
};
/** Overwrites one page in the middle, which SQLite copies without noticing. */
const spoilPage = (at: string) => {
  const page = Math.floor(statSync(at).size / 8_192) * 4_096;
  writeFileSync(at, readFileSync(at).fill(7, page, page + 4_096));
};
const keptStores = () => readdirSync(home).filter((name) => /before-restore.*sqlite$/.test(name));
const addKey = (name: string) => createKey(db, { name, credits: 5, scopes: ['macro'] }, NOW);

/** A snapshot of the first store, which all tests start from. */
let empty: Buffer | undefined;

beforeEach(() => {
  home = temporaryDirectory();
  path = storePath(home);
  file = join(home, 'saved.sqlite');
  if (empty !== undefined) writeFileSync(path, empty);
  db = openForWriting(path);
  onTestFinished(() => void db.close());
  if (empty === undefined) {
    migrate(db, migrations, NOW);
    ensureLocalAccount(db, 100, NOW);
    empty = db.serialize();
  }
  addKey('ada');
});

it('backup saves all committed data, including the write-ahead log, to a file that only the user can read', async () => {
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  const { code, said } = await run('backup');
  expect([code, said]).toEqual([0, expect.stringContaining(file)]);
  expect(namesIn(file)).toEqual(namesIn(path));
  expect(namesIn(file)).toContain('ada');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

type Failing = [why: string, spoil: () => unknown, says: string];
// No user can write here, not even root.
const unwritable: Failing[] =
  process.platform !== 'linux'
    ? []
    : [
        [
          'the directory of the new file is not writable',
          () => (file = '/sys/saved.sqlite'),
          '/sys is not writable. Choose another directory.',
        ],
      ];

it.each<Failing>([
  ...unwritable,
  [
    'the directory of the new file is missing',
    () => (file = join(home, 'no', 'such')),
    'does not exist. Create it first.',
  ],
  ['its directory is a file', () => (file = join(path, 'x')), 'is a file. Choose another'],
  ['the new file exists', () => writeFileSync(file, 'mine'), 'exists. Choose another name.'],
  ['there is no store', () => rmSync(path), 'no store to back up'],
  [
    'the store is damaged',
    () => db.close() && writeFileSync(path, 'x'.repeat(9_000)),
    '/quantshelf.sqlite instead, with the files beside it that end in -wal and -shm.',
  ],
  [
    'a page of the store is damaged',
    () => db.pragma('wal_checkpoint(TRUNCATE)') && db.close() && spoilPage(path),
    'The store is too damaged for a backup.',
  ],
])('backup writes nothing, and its error gives the cause, if %s', async (_, spoil, says) => {
  spoil();
  const before = existsSync(file) && readFileSync(file, 'utf8');
  expect(await run('backup')).toEqual({ code: 1, said: expect.stringContaining(says) });
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

it('restore keeps the previous store, and removes the leftovers of killed restores', async () => {
  await run('backup');
  revokeKey(db, 'ada', NOW);
  addKey('grace');
  for (const name of ['restore.1.tmp-wal', 'quantshelf-before-restore-1.sqlite.1.tmp']) {
    writeFileSync(join(home, name), '');
  }
  const { code, said } = await run('restore');
  expect(code).toBe(0);
  const [kept = '', ...others] = keptStores();
  expect(others).toEqual([]);
  expect(said).toContain(kept);
  expect(namesIn(join(home, kept))).toEqual(expect.arrayContaining(['ada revoked', 'grace']));
  expect(readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
});

it('restore does not revive revoked keys, and reports which accounts, charges and credits it removes', async () => {
  const account = openAccount(db, 'ada', () => NOW);
  const charge = (requestId: string) =>
    account.charge({ operation: 'paper_search', credits: 1, requestId });
  charge('one');
  await run('backup');
  charge('two');
  grantCredits(db, 'ada', 10);
  revokeKey(db, 'ada', NOW);
  addKey('grace');
  const { code, said } = await run('restore');
  expect(code).toBe(0);
  expect(said).toMatch(
    /^This undoes everything fetched, added or removed since the backup was made, and removes 1 charge, 10 granted credits, and 1 account \(grace\), keys included\.\n/,
  );
  expect(said).toMatch(/\nKept 1 key revocation made since the backup\.$/);
  expect(namesIn(path)).toEqual(['local', 'ada revoked']);
  expect(listKeys(db).find(({ name }) => name === 'ada')?.credits).toBe(4);
  expect(summariseLedger(db).get('ada')).toMatchObject({ calls: 1, credits: 1 });
  // Now the backup has more credits than the store.
  db.exec("UPDATE accounts SET credits = 0 WHERE name = 'ada'");
  expect((await run('restore')).said).toMatch(
    /^This undoes everything fetched, added or removed since the backup was made\.\n/,
  );
  expect(namesIn(path)).toEqual(['local', 'ada revoked']);
  // The backup still has the key.
  expect((await run('restore', true)).said).toContain(
    '"undone":{"accounts":[],"charges":0,"granted":0},"keptRevocations":1}',
  );
});

it('restore brings back an account whose name was reused, and lists the newer account as removed', async () => {
  await run('backup');
  db.exec("DELETE FROM keys; DELETE FROM accounts WHERE name = 'ada'");
  createKey(db, { name: 'ada', credits: 7, scopes: ['macro'] }, new Date('2026-12-01T00:00:00Z'));
  revokeKey(db, 'ada', NOW);
  const { said } = await run('restore');
  expect(said).toContain('1 account (ada), keys included');
  expect(listKeys(db).find(({ name }) => name === 'ada')?.credits).toBe(5);
  expect(namesIn(path)).toEqual(['local', 'ada']);
});

it('restore replaces a damaged store but keeps its file, and warns that revoked keys may be valid again', async () => {
  await run('backup');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  truncateSync(path, 10_000);
  const { code, said } = await run('restore');
  expect(code).toBe(0);
  expect(said).toMatch(
    /undoes.*cannot be read[\s\S]*Keys that were revoked since the backup was made may be valid again/,
  );
  expect(namesIn(path)).toContain('ada');
  expect(keptStores().map((name) => statSync(join(home, name)).size)).toEqual([10_000]);
});

it('restore needs no existing store', async () => {
  await run('backup');
  db.close();
  rmSync(path);
  expect((await run('restore')).said).toBe(`Restored ${file}`);
  expect(namesIn(path)).toContain('ada');
});

type Refused = [what: string, spoil: () => void, says: RegExp];
// Root can read any file, whatever its permissions.
const unreadable: Refused[] =
  process.getuid?.() === 0
    ? []
    : [['an unreadable backup', () => chmodSync(file, 0), /cannot be read/]];

it.each<Refused>([
  ...unreadable,
  ['a missing file', () => rmSync(file), /does not exist/],
  ['a path inside a file', () => (file = join(file, 'x')), /does not exist/],
  ['a directory', () => (file = home), /is not a file\. Give the path of a backup file\./],
  ['some other file', () => writeFileSync(file, 'x'.repeat(5_000)), /damaged or is not an SQLite/],
  ['a damaged backup', () => truncateSync(file, 20_000), /damaged.*, so it was not restored/],
  [
    'a damaged page',
    () => spoilPage(file),
    /damaged \([^*\n]*page[^\n]*\), so.* another backup\.$/,
  ],
  [
    'another SQLite file',
    () => {
      rmSync(file);
      change('CREATE TABLE recipe (id INTEGER PRIMARY KEY)');
    },
    /is not a QuantShelf store, so it was not restored/,
  ],
  [
    'a backup of a newer version',
    () => change("INSERT INTO migrations VALUES ('papers-99', '2030-01-01')"),
    /newer QuantShelf.*Upgrade/,
  ],
  ['the store itself', () => (file = path), /the store itself/],
])('restore refuses %s and changes nothing', async (_, spoil, says) => {
  await run('backup');
  spoil();
  addKey('grace');
  const { code, said } = await run('restore');
  expect(code).toBe(1);
  expect(said).toMatch(says);
  expect(namesIn(path)).toContain('grace');
  expect(readdirSync(home).filter((name) => /before-restore|\.tmp/.test(name))).toEqual([]);
});

it.each([
  ['sync-macro.lock', 'A sync of macro is running. Wait for it, or stop it.'],
  ['macro.lock', 'Another process is fetching figures from FRED. Try again in a minute.'],
])('restore is refused while the lock %s is held, with the message "%s"', async (lock, said) => {
  await run('backup');
  await withProcessLock(join(home, lock), async () => {
    expect(await run('restore')).toEqual({ code: 1, said });
  });
  expect((await run('restore')).code).toBe(0);
});
