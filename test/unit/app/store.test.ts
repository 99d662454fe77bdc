import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openStore } from '../../../src/app/store.ts';
import { storePath } from '../../../src/config.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { temporaryDirectory } from '../../temporary.ts';

const now = () => new Date('2026-11-21T12:00:00Z');

/** A home with a starter file that has none of the program's tables yet. */
function place() {
  const home = temporaryDirectory();
  const starterPath = join(home, 'starter.sqlite');
  new Database(starterPath).exec('PRAGMA user_version = 1').close();
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const { signal } = new AbortController();
  const open = () => openStore({ home, credits: 5 }, { starterPath, now, log, signal });
  return { home, logged, open };
}

it('a store closes even if the disk is too full to empty its write-ahead log', async () => {
  const store = await place().open();
  vi.spyOn(store.writer, 'pragma').mockImplementation(() => {
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  });
  await store.close();
  expect(store.writer.open).toBe(false);
  expect(store.db.open).toBe(false);
});

it("the error for a missing starter shelf says that the program's files have changed or are missing", async () => {
  const { home, open } = place();
  rmSync(join(home, 'starter.sqlite'));
  await expect(open()).rejects.toMatchObject({
    code: 'service_unavailable',
    message: expect.stringMatching(/files have changed or are missing/),
  });
});

const NEWER = "INSERT INTO migrations VALUES ('papers-99', '2030-01-01')";
it.each<[string, (path: string) => void, RegExp]>([
  ['a store from a newer version', (path) => new Database(path).exec(NEWER).close(), /newer/],
  [
    'a file of another program',
    (path) => {
      rmSync(path);
      new Database(path).exec('CREATE TABLE theirs (x)').close();
    },
    /not a QuantShelf store.*left alone/,
  ],
  ['a text file', (path) => writeFileSync(path, 'minutes\n'.repeat(100)), /not an SQLite file/],
])("%s at the store's path is refused and left unchanged", async (_, put, message) => {
  const { home, open } = place();
  (await open()).close();
  const path = storePath(home);
  put(path);
  const before = readFileSync(path);
  await expect(open()).rejects.toThrow(message);
  expect(readFileSync(path).equals(before)).toBe(true);
});
