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
import { installFile } from '../../../src/store/copy.ts';
import { Database } from '../../../src/store/sqlite.ts';

let directory: string;
let source: string;
let target: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-install-'));
  source = join(directory, 'source');
  target = join(directory, 'home', 'store');
  writeFileSync(source, Buffer.alloc(2_000_000, 'a'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const leftovers = () =>
  readdirSync(join(directory, 'home')).filter((name) => name.endsWith('.tmp'));

it('installs a copy, and leaves an existing file alone', async () => {
  await installFile(source, target);
  expect(readFileSync(target).equals(readFileSync(source))).toBe(true);
  writeFileSync(target, 'the user has written here');
  await installFile(source, target);
  expect(readFileSync(target, 'utf8')).toBe('the user has written here');
  expect(leftovers()).toEqual([]);
});

it('leaves the journals of an existing store alone', async () => {
  await installFile(source, target);
  writeFileSync(`${target}-wal`, 'pages of this store');
  await installFile(source, target);
  expect(readFileSync(`${target}-wal`, 'utf8')).toBe('pages of this store');
});

it('leaves nothing behind when the source is missing', async () => {
  await expect(installFile(join(directory, 'none'), target)).rejects.toThrow('ENOENT');
  expect(readdirSync(join(directory, 'home')).filter((name) => !name.endsWith('.lock'))).toEqual(
    [],
  );
});

it('makes a writable copy of a read-only package file', async () => {
  chmodSync(source, 0o444);
  await installFile(source, target);
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

it('stops waiting for another process when aborted', async () => {
  const lock = `${target}.lock`;
  mkdirSync(join(directory, 'home'));
  const holder = new Database(lock);
  holder.exec('BEGIN EXCLUSIVE');
  await expect(installFile(source, target, AbortSignal.timeout(50))).rejects.toThrow(/abort|time/i);
  holder.close();
});
