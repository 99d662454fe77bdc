import { openPromise, type ZipFile } from 'yauzl';
import { InvalidResponseError } from '../../../upstream/errors.ts';

/** In bytes; the largest archive of ours unpacks to 125 MB. */
const MAX_UNPACKED = 1024 ** 3;

/**
 * Passes the text of the first entry of a zip archive whose name fits to `read`, and gives back what
 * that does. Throws an InvalidResponseError for what is no archive, has no such entry or is damaged.
 */
export async function readZipEntry<T>(
  path: string,
  name: RegExp,
  read: (text: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const archive = await openPromise(path, { autoClose: false, lazyEntries: true }).catch(refuse);
  try {
    const packed = await openEntry(archive, name).catch(refuse);
    const text = packed.setEncoding('utf8');
    let damage: unknown;
    text.once('error', (error) => {
      damage = error;
    });
    try {
      return await read(text);
    } catch (error) {
      throw error === damage ? invalid(error) : error;
    } finally {
      text.destroy();
    }
  } finally {
    archive.close();
  }
}

async function openEntry(archive: ZipFile, name: RegExp) {
  for await (const entry of archive.eachEntry()) {
    if (!name.test(entry.fileName)) continue;
    if (entry.uncompressedSize > MAX_UNPACKED) break;
    return archive.openReadStreamPromise(entry);
  }
  throw invalid();
}

function refuse(error: unknown): never {
  throw invalid(error);
}

function invalid(cause?: unknown): InvalidResponseError {
  return new InvalidResponseError('No zip archive came, or a damaged one.', { cause });
}
