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
  // Without a directory, only the code counts.
  ['SQLITE_CANTOPEN', undefined, false],
  ['ENOSPC', undefined, true],
])('the error %s with %s bytes free counts as a full disk: %s', (code, free, isFull) => {
  const directory = free === undefined ? undefined : tmpdir();
  expect(isDiskFull(fault(code), directory, () => free ?? 0)).toBe(isFull);
});

it('a store that another process is writing is called busy, not damaged', () => {
  expect(storeFaultOf(fault('SQLITE_BUSY_SNAPSHOT'), undefined)).toBe('busy');
});

it('a missing directory has the free space and the permissions of its nearest parent', () => {
  const missing = join(temporaryDirectory(), 'not', 'there', 'yet');
  expect(bytesFree(missing)).toBeGreaterThan(0);
  expect(creationFault(missing)).toBeNull();
});

it('creating a directory succeeds if it already exists, even behind a link or as the root', async () => {
  const top = temporaryDirectory();
  mkdirSync(join(top, 'real'));
  symlinkSync(join(top, 'real'), join(top, 'link'));
  for (const path of ['real', 'link', 'link/below', '/']) await makeDirectory(resolve(top, path));
  expect(existsSync(join(top, 'real', 'below'))).toBe(true);
});

// Nobody can create files in /proc. End-to-end tests use a disk that is really full.
it.skipIf(process.platform !== 'linux')('a read-only disk without room is not called full', () => {
  expect(bytesFree('/proc')).toBe(0);
  expect(creationFault('/proc/not/there')).toBe('unwritable');
  expect(storeFaultOf(fault('SQLITE_CANTOPEN'), '/proc')).toBe('unwritable');
});

it.each([
  [{ QUANTSHELF_HOME: '/srv/shelf' }, '/srv/shelf'],
  [{ QUANTSHELF_HOME: 'here' }, resolve('here')],
  [{ QUANTSHELF_HOME: '~' }, homedir()],
  [{ QUANTSHELF_HOME: '~/a ~/b' }, join(homedir(), 'a ~', 'b')],
  [{ QUANTSHELF_HOME: '~ada' }, resolve('~ada')],
  // The platform's data directory.
  [{ QUANTSHELF_HOME: '' }, expect.stringMatching(/^\/.*quantshelf$/i)],
  [{}, expect.stringMatching(/^\/.*quantshelf$/i)],
])('the environment %j determines the data directory', async (env, home) => {
  expect(await findHome(env)).toEqual(home);
});

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
