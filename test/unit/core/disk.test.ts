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
  ['SQLITE_FULL', 1e9, 'counts'],
  ['ENOSPC', 1e9, 'counts'],
  ['EDQUOT', 1e9, 'counts'],
  // The index of the log does not fit, and no file can be created.
  ['SQLITE_IOERR_SHMSIZE', 4_096, 'counts'],
  ['SQLITE_CANTOPEN', 0, 'counts'],
  ['SQLITE_IOERR_READ', 1e9, 'does not count'],
  ['SQLITE_CANTOPEN', 1e9, 'does not count'],
  ['SQLITE_CORRUPT', 0, 'does not count'],
  ['EACCES', 0, 'does not count'],
  // Without a directory, only the code counts.
  ['SQLITE_CANTOPEN', 'an unknown number of', 'does not count'],
  ['ENOSPC', 'an unknown number of', 'counts'],
])('the error %s with %s bytes free %s as a full disk', (code, free, verb) => {
  const [directory, bytes] = typeof free === 'number' ? [tmpdir(), free] : [undefined, 0];
  expect(isDiskFull(fault(code), directory, () => bytes)).toBe(verb === 'counts');
});

it('a missing directory has the free space and the permissions of its nearest existing parent', () => {
  const missing = join(temporaryDirectory(), 'not', 'there', 'yet');
  expect(bytesFree(missing)).toBeGreaterThan(0);
  expect(creationFault(missing)).toBeNull();
});

it('a directory can be created below a symbolic link, and an existing one, even the root, is accepted', async () => {
  const top = temporaryDirectory();
  mkdirSync(join(top, 'real'));
  symlinkSync(join(top, 'real'), join(top, 'link'));
  for (const path of ['real', 'link', 'link/below', '/']) await makeDirectory(resolve(top, path));
  expect(existsSync(join(top, 'real', 'below'))).toBe(true);
});

// Nobody can create files in /proc. End-to-end tests use a disk that is really full.
it.skipIf(process.platform !== 'linux')('a full read-only disk is reported as unwritable', () => {
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
])('the environment %j sets the data directory to %s', async (env, home) => {
  expect(await findHome(env)).toBe(home);
});

it.each([{ QUANTSHELF_HOME: '' }, {}])(
  "the environment %j leaves the data directory at the platform's default",
  async (env) => {
    expect(await findHome(env)).toMatch(/^\/.*quantshelf$/i);
  },
);

it.each(['', 'ada'])('a "~" is refused if HOME is "%s", not an absolute path', async (home) => {
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(findHome({ QUANTSHELF_HOME: '~/shelf' })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('Write ~/shelf without "~".'),
  });
});
