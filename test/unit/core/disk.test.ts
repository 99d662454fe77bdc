import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  bytesFree,
  creationFault,
  findHome,
  isDiskFull,
  makeDirectory,
  storeFaultOf,
} from '../../../src/core/disk.ts';
import { temporaryDirectory } from '../../temporary.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

/** A directory without a free byte where nobody can create files, so it does not count as full. */
const UNWRITABLE = '/proc';
const hasUnwritable = process.platform === 'linux';

it.each([
  ['SQLITE_FULL', 1e9, true],
  ['ENOSPC', 1e9, true],
  ['EDQUOT', 1e9, true],
  // The index of the log does not fit, and no file can be created.
  ['SQLITE_IOERR_SHMSIZE', 4_096, true],
  ['SQLITE_CANTOPEN', 0, true],
  ['SQLITE_IOERR_READ', 1e9, false],
  ['SQLITE_CANTOPEN', 1e9, false],
  ['SQLITE_CORRUPT', 0, false],
  ['EACCES', 0, false],
])('%s with %d bytes free counts as a full disk: %s', (code, free, isFull) => {
  expect(isDiskFull(fault(code), tmpdir(), () => free)).toBe(isFull);
});

it('a store that another process is writing is called busy, not damaged', () => {
  expect(storeFaultOf(fault('SQLITE_BUSY_SNAPSHOT'), undefined)).toBe('busy');
});

it('free space is measured where a directory would be created', () => {
  expect(bytesFree(join(temporaryDirectory(), 'not', 'there', 'yet'))).toBeGreaterThan(0);
});

it('creating a directory accepts an existing one, even behind a link, or the root', async () => {
  const top = temporaryDirectory();
  mkdirSync(join(top, 'real'));
  symlinkSync(join(top, 'real'), join(top, 'link'));
  await makeDirectory(join(top, 'real'));
  await makeDirectory(join(top, 'link'));
  await makeDirectory(join(top, 'link', 'below'));
  await makeDirectory('/');
  expect(existsSync(join(top, 'real', 'below'))).toBe(true);
});

it('no disk is checked if the directory is unknown', () => {
  expect(isDiskFull(fault('SQLITE_CANTOPEN'), undefined, () => 0)).toBe(false);
  expect(isDiskFull(fault('ENOSPC'), undefined, () => 1e9)).toBe(true);
});

it('a writable directory is distinguished from a read-only one', () => {
  expect(creationFault(join(tmpdir(), 'not', 'there', 'yet'))).toBeNull();
});

// End-to-end tests use a disk that is really full.
it.skipIf(!hasUnwritable)('a read-only disk without room is not called full', () => {
  expect(bytesFree(UNWRITABLE)).toBe(0);
  expect(creationFault(join(UNWRITABLE, 'not', 'there'))).toBe('unwritable');
  expect(storeFaultOf(fault('SQLITE_CANTOPEN'), UNWRITABLE)).toBe('unwritable');
});

it.each([
  [{ QUANTSHELF_HOME: '/srv/shelf' }, '/srv/shelf'],
  [{ QUANTSHELF_HOME: 'here' }, resolve('here')],
  [{ QUANTSHELF_HOME: '~' }, homedir()],
  [{ QUANTSHELF_HOME: '~/a ~/b' }, join(homedir(), 'a ~', 'b')],
  [{ QUANTSHELF_HOME: '~ada' }, resolve('~ada')],
])('%j names the home', async (env, home) => {
  expect(await findHome(env)).toBe(home);
});

it.each([[{}], [{ QUANTSHELF_HOME: '' }]])(
  "%j means the platform's data directory",
  async (env) => {
    expect(await findHome(env)).toMatch(/^\/.*quantshelf$/i);
  },
);

it.each(['', 'ada'])('a "~" is refused where the home directory is "%s"', async (home) => {
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  await expect(findHome({ QUANTSHELF_HOME: '~/shelf' })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('Write ~/shelf without "~".'),
  });
});
