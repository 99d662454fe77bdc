import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assertNotCut } from '../../../src/store/sqlite.ts';
import { temporaryDirectory } from '../../temporary.ts';

/** A library of 100 bytes before a table of three sections. */
function makeLibrary(): Buffer {
  const library = Buffer.alloc(100 + 3 * 64, 1);
  library.write('\x7fELF\x02\x01', 'latin1');
  library.writeBigUInt64LE(100n, 0x28);
  library.writeUInt16LE(64, 0x3a);
  library.writeUInt16LE(3, 0x3c);
  return library;
}

it('a truncated native library is rejected, even if only its last byte is missing', () => {
  const file = join(temporaryDirectory(), 'x.node');
  writeFileSync(file, makeLibrary());
  expect(() => assertNotCut(file)).not.toThrow();
  for (const length of [291, 150, 64]) {
    truncateSync(file, length);
    expect(() => assertNotCut(file)).toThrow(
      expect.objectContaining({ message: `${file}: file too short`, code: 'ERR_DLOPEN_FAILED' }),
    );
  }
});

it.each([
  ['an empty file', ''],
  ['the beginning of a header', makeLibrary().subarray(0, 40)],
  ['a file of another system', Buffer.alloc(103, 'cffaedfe', 'hex')],
  ['a library with big-endian numbers', Buffer.from(makeLibrary().fill(2, 5, 6).subarray(0, 64))],
])('%s is left for the loader to reject', (_, content) => {
  const file = join(temporaryDirectory(), 'x.node');
  writeFileSync(file, content);
  expect(() => assertNotCut(file)).not.toThrow();
});
