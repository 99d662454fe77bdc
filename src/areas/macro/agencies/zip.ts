import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { codeOf } from '../../../core/errors.ts';
import { InvalidResponseError } from '../../../upstream/errors.ts';

/** The end record with the longest comment that it may have. */
const MAX_END_BYTES = 22 + 65_535;
/** In characters; the largest archive of ours unpacks to 125 MB. */
const MAX_UNPACKED = 1024 ** 3;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const DEFLATED = 8;

/**
 * Passes the text of the first entry of a zip archive whose name fits to `read`, and gives back what
 * that does. Throws an InvalidResponseError for what is no archive, has no such entry or is damaged;
 * no archive of more than 4 GB, none that is encrypted.
 */
export async function readZipEntry<T>(
  path: string,
  name: RegExp,
  read: (text: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const { start, end, method } = await locateEntry(path, name);
  const unpacked = method === DEFLATED ? createInflateRaw() : new PassThrough();
  // Without the reader: its own error would be given back as an abort.
  const flow = pipeline(createReadStream(path, { start, end }), unpacked).catch(() => {});
  try {
    return await read(bounded(unpacked.setEncoding('utf8')));
  } catch (error) {
    throw codeOf(error).startsWith('Z_') ? invalid(error) : error;
  } finally {
    unpacked.destroy();
    await flow;
  }
}

/** Where the bytes of an entry are, the last one included. */
async function locateEntry(path: string, name: RegExp) {
  const file = await open(path);
  try {
    const { method, offset, packedBytes } = findEntry(await readDirectory(file), name);
    const local = await readAt(file, offset, 30);
    const start = offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const end = start + packedBytes - 1;
    const { size } = await file.stat();
    if (end < start || end >= size) throw invalid();
    return { start, end, method };
  } finally {
    await file.close();
  }
}

async function* bounded(text: AsyncIterable<string>): AsyncGenerator<string> {
  let characters = 0;
  for await (const chunk of text) {
    characters += chunk.length;
    if (characters > MAX_UNPACKED) throw invalid();
    yield chunk;
  }
}

async function readDirectory(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const length = Math.min(size, MAX_END_BYTES);
  const tail = await readAt(file, size - length, length);
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    const [bytes, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    if (offset + bytes > size) throw invalid();
    return readAt(file, offset, bytes);
  }
  throw invalid();
}

function findEntry(directory: Buffer, name: RegExp) {
  for (let at = 0; at + 46 <= directory.length; ) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) break;
    const nameLength = directory.readUInt16LE(at + 28);
    if (name.test(directory.toString('utf8', at + 46, at + 46 + nameLength))) {
      return {
        method: directory.readUInt16LE(at + 10),
        packedBytes: directory.readUInt32LE(at + 20),
        offset: directory.readUInt32LE(at + 42),
      };
    }
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw invalid();
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw invalid();
  return buffer;
}

function invalid(cause?: unknown): InvalidResponseError {
  return cause === undefined
    ? new InvalidResponseError('A file of another kind came in the place of a zip archive.')
    : new InvalidResponseError('A damaged zip archive came.', { cause });
}
