import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyStore, installFile } from '../../../src/store/copy.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { Database } from '../../../src/store/sqlite.ts';

let directory: string;
let source: string;
let target: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-copy-'));
  source = join(directory, 'source');
  target = join(directory, 'home', 'store');
  writeFileSync(source, Buffer.alloc(2_000_000, 'a'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const leftovers = (folder: string) =>
  readdirSync(folder).filter((name) => /\.(tmp|new)$/.test(name));

it('an install copies a file, and leaves an existing one and its journals alone', async () => {
  await installFile(source, target);
  expect(readFileSync(target).equals(readFileSync(source))).toBe(true);
  writeFileSync(target, 'the user has written here');
  writeFileSync(`${target}-wal`, 'pages of this store');
  await installFile(source, target);
  expect(readFileSync(target, 'utf8')).toBe('the user has written here');
  expect(readFileSync(`${target}-wal`, 'utf8')).toBe('pages of this store');
  expect(leftovers(join(directory, 'home'))).toEqual([]);
});

it('an install without a source leaves nothing behind', async () => {
  await expect(installFile(join(directory, 'none'), target)).rejects.toThrow('ENOENT');
  expect(readdirSync(join(directory, 'home')).filter((name) => !name.endsWith('.lock'))).toEqual(
    [],
  );
});

it('the copy of a read-only package file is writable', async () => {
  chmodSync(source, 0o444);
  await installFile(source, target);
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

it('an install that is aborted stops waiting for another process', async () => {
  const lock = `${target}.lock`;
  mkdirSync(join(directory, 'home'));
  const holder = new Database(lock);
  holder.exec('BEGIN EXCLUSIVE');
  await expect(installFile(source, target, AbortSignal.timeout(50))).rejects.toThrow(/abort|time/i);
  holder.close();
});

it('a copy that fails halfway leaves nothing behind, and never touches another file', async () => {
  const copy = join(directory, 'copy');
  await expect(copyStore(join(directory, 'missing'), copy)).rejects.toThrow('unable to open');
  expect(readdirSync(directory)).toEqual(['source']);
  const store = join(directory, 'store');
  openForWriting(store).close();
  writeFileSync(copy, 'of somebody else');
  await expect(copyStore(store, copy)).rejects.toThrow('EEXIST');
  expect(readFileSync(copy, 'utf8')).toBe('of somebody else');
  expect(leftovers(directory)).toEqual([]);
});
