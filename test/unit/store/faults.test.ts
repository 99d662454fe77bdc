import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bytesFree, creationFault, isDiskFull, isStoreFault } from '../../../src/store/faults.ts';

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
])('%s with %d bytes free: a full disk is %s', (code, free, isFull) => {
  expect(isDiskFull(fault(code), tmpdir(), () => free)).toBe(isFull);
});

it('tells where something can be created', () => {
  expect(creationFault(join(tmpdir(), 'not', 'there', 'yet'))).toBeNull();
});

it.skipIf(process.platform !== 'linux')(
  'does not call a place full that has no room because nobody can write there',
  () => {
    expect(bytesFree('/proc')).toBe(0);
    expect(creationFault('/proc/not/there')).toBe('unwritable');
    expect(isDiskFull(fault('SQLITE_CANTOPEN'), '/proc')).toBe(false);
  },
);

it('counts what is free where a directory would be made', () => {
  const base = mkdtempSync(join(tmpdir(), 'quantshelf-faults-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  expect(bytesFree(join(base, 'not', 'there', 'yet'))).toBeGreaterThan(0);
});

it('tells the faults of a store from those of its neighbours and of upstreams', () => {
  expect(isStoreFault(fault('SQLITE_FULL'))).toBe(true);
  expect(isStoreFault(fault('SQLITE_BUSY'))).toBe(false);
  expect(isStoreFault(fault('ECONNRESET'))).toBe(false);
});
