import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { installFile } from '../../../src/store/copy.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { temporaryDirectory } from '../../temporary.ts';

let home: string;
let original: string;
let target: string;
beforeEach(() => {
  const directory = temporaryDirectory();
  home = join(directory, 'home');
  original = join(directory, 'source');
  target = join(home, 'store');
  writeFileSync(original, Buffer.alloc(2_000_000, 'a'));
});

it('an install makes its copy private to the user, and leaves an existing file and its journals untouched', async () => {
  chmodSync(original, 0o444);
  await installFile(original, target);
  expect(readFileSync(target).equals(readFileSync(original))).toBe(true);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  writeFileSync(target, 'the user has written here');
  writeFileSync(`${target}-wal`, 'pages of this store');
  await installFile(original, target);
  expect(readFileSync(target, 'utf8')).toBe('the user has written here');
  expect(readFileSync(`${target}-wal`, 'utf8')).toBe('pages of this store');
  expect(readdirSync(home).sort()).toEqual(['store', 'store-wal', 'store.lock']);
});

it('an install whose original is missing leaves only its lock file', async () => {
  await expect(installFile(`${original}-missing`, target)).rejects.toThrow('ENOENT');
  expect(readdirSync(home)).toEqual(['store.lock']);
});

it('an install that is aborted stops waiting for its lock', async () => {
  mkdirSync(home);
  const holder = new Database(`${target}.lock`);
  holder.exec('BEGIN EXCLUSIVE');
  const waiting = installFile(original, target, AbortSignal.timeout(50));
  await expect(waiting).rejects.toThrow(/abort|time/i);
  holder.close();
});
