import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { codeOf } from '../core/errors.ts';
import { connectionError, HttpError, tooLarge } from './failures.ts';

interface BodyOptions {
  /** For messages. */
  host: string;
  maxBytes: number;
}

/** A larger unread body is not drained; its connection is closed. */
const DRAIN_BYTES = 65_536;
const decompress = promisify(gunzip);

/** Streams the body to a new file at `path` and returns its size. */
export async function writeBody(
  response: Dispatcher.ResponseData,
  path: string,
  options: BodyOptions & { onProgress: ((received: number) => void) | undefined },
): Promise<number> {
  let received = 0;
  async function* counted() {
    for await (const chunk of readChunks(response, options)) {
      received += chunk.length;
      options.onProgress?.(received);
      yield chunk;
    }
  }
  await pipeline(counted, createWriteStream(path));
  return received;
}

/** Reads the whole body into memory and decompresses it. */
export async function readBody(
  response: Dispatcher.ResponseData,
  options: BodyOptions,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(response, options)) chunks.push(chunk);
  const sent = Buffer.concat(chunks);
  if (!/gzip/.test(headerOf(response, 'content-encoding') ?? '')) return sent;
  const { host, maxBytes } = options;
  try {
    return await decompress(sent, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(host, cause);
    throw new HttpError('truncated', `${host} sent a damaged body`, { cause });
  }
}

/**
 * Throws when the body is too long; undici does when it is shorter than announced. Network errors are wrapped
 * here, to keep them apart from the caller's disk errors, which are not retried.
 */
async function* readChunks(
  { body }: Dispatcher.ResponseData,
  { host, maxBytes }: BodyOptions,
): AsyncGenerator<Buffer> {
  let received = 0;
  // Destroying a body emits an error, which would be uncaught once iteration has ended.
  body.on('error', () => {});
  try {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) throw new Error('undici yielded a chunk that is not a Buffer');
      received += chunk.length;
      if (received > maxBytes) throw tooLarge(host);
      yield chunk;
    }
  } catch (error) {
    throw connectionError(error, host);
  } finally {
    body.destroy();
  }
}

/**
 * Discards a body. A small one is drained, unless `signal` aborts that, so that its connection can
 * be reused.
 */
export async function discardBody(
  { body }: Dispatcher.ResponseData,
  signal: AbortSignal,
): Promise<void> {
  await body.dump({ limit: DRAIN_BYTES, signal }).catch(() => body.destroy());
}

/** The first value of a header; `name` is in lower case. */
export function headerOf(
  { headers }: Pick<Dispatcher.ResponseData, 'headers'>,
  name: string,
): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
