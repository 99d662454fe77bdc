import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { InvalidResponseError } from '../../../upstream/errors.ts';

/** The end record with the longest comment that it may have. */
const MAX_END_BYTES = 22 + 65_535;
/** The largest archive of ours unpacks to 125 MB. */
const MAX_UNPACKED_BYTES = 1024 ** 3;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const DEFLATED = 8;

/**
 * Streams the first entry of a zip archive whose name fits. Throws an InvalidResponseError for what is
 * no archive or has no such entry; no archive of more than 4 GB, none that is encrypted.
 */
export async function openZipEntry(path: string, name: RegExp): Promise<Readable> {
  const file = await open(path);
  try {
    const entry = findEntry(await readDirectory(file), name);
    const local = await readAt(file, entry.offset, 30);
    const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    if (entry.packedBytes === 0) throw invalid();
    const packed = createReadStream(path, { start, end: start + entry.packedBytes - 1 });
    const isDeflated = entry.method === DEFLATED;
    return Readable.from(isDeflated ? inflate(packed) : packed, { objectMode: false });
  } finally {
    await file.close();
  }
}

async function* inflate(packed: Readable): AsyncGenerator<Buffer> {
  const inflated = createInflateRaw();
  packed.on('error', (error) => inflated.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of packed.pipe(inflated)) {
      bytes += chunk.length;
      if (bytes > MAX_UNPACKED_BYTES) throw invalid();
      yield chunk;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z_') ? invalid(error) : error;
  } finally {
    packed.destroy();
  }
}

async function readDirectory(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const length = Math.min(size, MAX_END_BYTES);
  const tail = await readAt(file, size - length, length);
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    const [bytes, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    if (start + bytes > size) throw invalid();
    return readAt(file, start, bytes);
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
  const message = 'A file of another kind came in the place of a zip archive.';
  return new InvalidResponseError(message, cause === undefined ? {} : { cause });
}
