import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bytesFree, isDiskFull } from '../../../src/core/disk.ts';
import { readShelf } from '../../../src/core/read.ts';
import { run } from '../../../src/core/run.ts';
import { diskError } from '../../../src/embedding/fetch-errors.ts';
import { ModelFileError } from '../../../src/embedding/verify.ts';
import { context, operation, purse } from './probe.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

/** A directory on a file system without a free byte. */
const FULL_DISK = '/proc';
const hasFullDisk = process.platform === 'linux';

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
])('%s with %d bytes free: a full disk is %s', (code, free, isFull) => {
  expect(isDiskFull(fault(code), tmpdir(), () => free)).toBe(isFull);
});

it('counts what is free where a directory would be made', () => {
  const base = mkdtempSync(join(tmpdir(), 'quantshelf-faults-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  expect(bytesFree(join(base, 'not', 'there', 'yet'))).toBeGreaterThan(0);
});

it('asks no disk where the directory is not known', () => {
  expect(isDiskFull(fault('SQLITE_CANTOPEN'), undefined, () => 0)).toBe(false);
  expect(isDiskFull(fault('ENOSPC'), undefined, () => 1e9)).toBe(true);
});

/** What a call and a reading answer when they meet the error. */
async function answersTo(error: Error, home = tmpdir()) {
  const shelf = { context, account: purse(5).account, home };
  const caller = { open: async () => shelf, log: () => {} };
  const fail = () => {
    throw error;
  };
  const called = await run(operation(fail), { query: 'x' }, caller);
  const read = await readShelf({ name: 'resource:probe', area: 'papers' }, fail, caller);
  if (called.ok || read.ok) throw new Error('nothing failed');
  return [called, read].map(({ status, envelope }) => ({ status, said: envelope.error.message }));
}

const FULL = { status: 503, said: expect.stringMatching(/^The disk is full.* Free some space/) };

it.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])('a call calls %s a full disk', async (code) => {
  expect(await answersTo(fault(code))).toEqual([FULL, FULL]);
});

it.skipIf(!hasFullDisk).each(['SQLITE_IOERR_SHMSIZE', 'SQLITE_CANTOPEN'])(
  'a call calls %s a full disk where nothing is free, and only there',
  async (code) => {
    const other = { status: 503, said: expect.stringContaining('busy, disk full, or damaged') };
    expect(await answersTo(fault(code))).toEqual([other, other]);
    expect(await answersTo(fault(code), FULL_DISK)).toEqual([FULL, FULL]);
  },
);

it('so does the download of the model, also where a file of it could not be read back', () => {
  const unreadable = new ModelFileError('unreadable', 'a', 'b', fault('ENOSPC'));
  expect(diskError('model', unreadable, tmpdir()).message).toContain('free 120 MB');
});

it.skipIf(!hasFullDisk)('and it asks the disk, too', () => {
  const said = (directory: string) =>
    diskError('model', fault('SQLITE_IOERR_WRITE'), directory).message;
  expect(said(tmpdir())).toContain('make it writable');
  expect(said(FULL_DISK)).toContain('free 120 MB');
});
