import type { FileHandle } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import { connectionError, HttpError } from './errors.ts';

export interface Progress {
  /** Bytes so far. */
  received: number;
  /** What the server announced. */
  total: number | undefined;
}

interface ReceiveOptions {
  /** For messages. */
  host: string;
  maxBytes: number;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Writes a body to `file` as it comes; gives its size. */
export async function receive(
  response: Dispatcher.ResponseData,
  file: FileHandle,
  options: ReceiveOptions,
): Promise<number> {
  let position = 0;
  for await (const piece of listPieces(response, options)) {
    await writeAt(file, piece, position);
    position += piece.length;
  }
  return position;
}

/** The whole body in memory, as it was sent. */
export async function collect(
  response: Dispatcher.ResponseData,
  options: ReceiveOptions,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of listPieces(response, options)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The body piece by piece; throws when it is too long, or shorter than announced. */
async function* listPieces(
  { headers, body }: Dispatcher.ResponseData,
  { host, maxBytes, onProgress }: ReceiveOptions,
): AsyncGenerator<Buffer> {
  const announced = Number(single(headers['content-length']) ?? Number.NaN);
  const total = Number.isSafeInteger(announced) ? announced : undefined;
  let received = 0;
  // A body that is given up says so with an error event, which nobody else would hear.
  body.on('error', () => {});
  const pieces = body[Symbol.asyncIterator]();
  try {
    expectWithin(total ?? 0, maxBytes, host);
    for (;;) {
      const piece = await nextPiece(pieces, host);
      if (piece === undefined) break;
      received += piece.length;
      expectWithin(received, maxBytes, host);
      yield piece;
      onProgress?.({ received, total });
    }
  } finally {
    body.destroy();
  }
  if (total !== undefined && received !== total) {
    throw new HttpError('truncated', `${host} sent a part only`);
  }
}

/** Keeps a fault of the network apart from one of the disk, which no retry mends. */
async function nextPiece(
  pieces: AsyncIterator<unknown>,
  host: string,
): Promise<Buffer | undefined> {
  try {
    const next = await pieces.next();
    if (next.done === true) return undefined;
    if (!Buffer.isBuffer(next.value)) throw new Error('a body came as text');
    return next.value;
  } catch (error) {
    throw connectionError(error, host);
  }
}

async function writeAt(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < piece.length) {
    const { bytesWritten } = await file.write(piece, written, undefined, position + written);
    written += bytesWritten;
  }
}

function expectWithin(bytes: number, maxBytes: number, host: string): void {
  if (bytes > maxBytes) throw new HttpError('too_large', `${host} sends more than expected`);
}

/**
 * Lets go of a body nobody reads; a small one is drained so that its connection can serve again,
 * unless `signal` ends that.
 */
export async function discard(
  { body }: Dispatcher.ResponseData,
  signal?: AbortSignal,
): Promise<void> {
  const options = { limit: 65_536, ...(signal === undefined ? {} : { signal }) };
  await body.dump(options).catch(() => body.destroy());
}

/**
 * Runs `work` with a signal that ends with `signal`, and with a TimeoutError after `ms`. By a plain
 * timer: the platform may collect a signal that is joined from others before its time has come.
 */
export async function withDeadline<T>(
  signal: AbortSignal | undefined,
  ms: number,
  work: (bounded: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const bounded = new AbortController();
  const abort = () => bounded.abort(signal?.reason);
  const timer = setTimeout(() => bounded.abort(timeoutError()), ms);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(bounded.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** What a signal of the platform rejects with when its time is over. */
export function timeoutError(): DOMException {
  return new DOMException('', 'TimeoutError');
}

/** The first value of a header. */
export function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
