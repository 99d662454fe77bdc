import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLoadablePath } from 'sqlite-vec';
import { afterAll, describe, expect, it } from 'vitest';
import { assertNotCut } from '../../../src/store/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'quantshelf-native-'));
const file = join(folder, 'x.node');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A library of 100 bytes before a table of three sections. */
function makeLibrary(): Buffer {
  const library = Buffer.alloc(100 + 3 * 64, 1);
  library.write('\x7fELF\x02\x01', 'latin1');
  library.writeBigUInt64LE(100n, 0x28);
  library.writeUInt16LE(64, 0x3a);
  library.writeUInt16LE(3, 0x3c);
  return library;
}

describe('assertNotCut', () => {
  it('rejects a library that lacks even its last byte', () => {
    writeFileSync(file, makeLibrary());
    expect(() => assertNotCut(file)).not.toThrow();
    for (const length of [291, 150, 64]) {
      truncateSync(file, length);
      expect(() => assertNotCut(file)).toThrow(
        expect.objectContaining({
          message: `${file}: file too short`,
          code: 'ERR_DLOPEN_FAILED',
        }),
      );
    }
  });

  it.skipIf(process.platform !== 'linux')('takes a real one, and refuses its half', () => {
    copyFileSync(getLoadablePath(), file);
    expect(() => assertNotCut(file)).not.toThrow();
    truncateSync(file, 80_000);
    expect(() => assertNotCut(file)).toThrow('file too short');
  });

  it.each([
    ['nothing', ''],
    ['the beginning of a header', makeLibrary().subarray(0, 40)],
    [
      'a file of another system',
      Buffer.concat([Buffer.from('cffaedfe', 'hex'), Buffer.alloc(99, 255)]),
    ],
    ['a library with big-endian numbers', Buffer.from(makeLibrary().fill(2, 5, 6).subarray(0, 64))],
  ])('leaves %s to the loader', (_, content) => {
    writeFileSync(file, content);
    expect(() => assertNotCut(file)).not.toThrow();
  });
});
