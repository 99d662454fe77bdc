import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readZipEntry } from '../../../../../src/areas/macro/agencies/fed-board.ts';
import { makeZip } from '../../../../stand-ins/zip.ts';

const TEXT = Array.from({ length: 40_000 }, (_, i) => `${(i * 7919) % 10_007} é`).join('\n');
const DESCRIPTORS = '/proc/self/fd';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-zip-'));
  path = join(directory, 'file');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function read(archive: Buffer, of: (text: AsyncIterable<string>) => Promise<string> = joined) {
  writeFileSync(path, archive);
  return readZipEntry(path, /_data\.xml$/, of);
}

async function joined(text: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of text) all += chunk;
  return all;
}

/** Changes the bytes of an archive of one entry, from where they begin in it. */
function damaged(change: (packed: Buffer) => void): Buffer {
  const archive = makeZip({ 'X_data.xml': TEXT });
  const start = 30 + 'X_data.xml'.length;
  change(archive.subarray(start, archive.indexOf('PK\x01\x02', start, 'latin1')));
  return archive;
}

/** The same with another number in its directory, `at` bytes from the directory's beginning. */
function misdirected(at: number, value: number): Buffer {
  const archive = makeZip({ 'X_data.xml': TEXT });
  archive.writeUInt32LE(value, archive.indexOf('PK\x01\x02', 40, 'latin1') + at);
  return archive;
}

function openFiles(): string[] {
  return readdirSync(DESCRIPTORS).flatMap((each) => {
    try {
      return [readlinkSync(join(DESCRIPTORS, each))].filter((link) => link === path);
    } catch {
      return [];
    }
  });
}

describe('an entry of an archive', () => {
  it('is read whole, and no other', async () => {
    expect((await read(makeZip({ 'X_struct.xml': '<x/>', 'X_data.xml': TEXT }))) === TEXT).toBe(
      true,
    );
  });

  it.each([
    ['a damaged block', () => damaged((packed) => packed.writeUInt8(0xff, 0))],
    ['damage in the middle', () => damaged((packed) => packed.fill(0xff, packed.length >> 1))],
    ['an entry cut short', () => misdirected(20, 5_000)],
    ['an entry without bytes', () => misdirected(20, 0)],
    ['an entry beyond the end', () => misdirected(20, 0xfffffff0)],
    ['an entry that begins beyond the end', () => misdirected(42, 0xfffffff0)],
    ['an empty file', () => Buffer.alloc(0)],
    ['another entry', () => makeZip({ 'X_struct.xml': '<x/>' })],
  ])('is refused: %s', async (_, make) => {
    await expect(read(make())).rejects.toMatchObject({ name: 'InvalidResponseError' });
  });

  it.each([0, 1, 3])('passes on what its reader throws, after %i pieces', async (pieces) => {
    const bug = new TypeError('a bug');
    const fail = async (text: AsyncIterable<string>) => {
      let left = pieces;
      if (left === 0) throw bug;
      for await (const _ of text) {
        left -= 1;
        if (left === 0) throw bug;
      }
      return '';
    };
    await expect(read(makeZip({ 'X_data.xml': TEXT }), fail)).rejects.toBe(bug);
  });

  it.skipIf(!existsSync(DESCRIPTORS))('leaves no file open, whatever happens', async () => {
    const cases = [
      () => read(damaged((packed) => packed.writeUInt8(0xff, 0))),
      () =>
        read(makeZip({ 'X_data.xml': TEXT }), async (text) => {
          for await (const _ of text) throw new Error('enough');
          return '';
        }),
    ];
    for (const each of cases) await expect(each()).rejects.toThrow();
    await vi.waitFor(() => expect(openFiles()).toEqual([]));
  });
});
