import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { invalidRequest, ServiceError } from '../../core/errors.ts';
import { untilAborted } from '../../core/time.ts';
import type { Env } from './context.ts';

/** Longest body that is read, in bytes. */
const MAX_BODY_BYTES = 64 * 1024;

const limitStream = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuseSize });

function refuseSize(): never {
  throw new ServiceError('payload_too_large', 'The body must stay under 64 KiB.');
}

/**
 * Leaves the text of the body in `c.var.body`. Throws `unsupported_media_type` unless it is plain
 * JSON in UTF-8, `payload_too_large` beyond 64 KiB, and `invalid_request` if it ends early.
 */
export const jsonBody: MiddlewareHandler<Env> = async (c, next) => {
  requireJson(c.req.raw.headers);
  c.set('body', decodeUtf8(await readBody(c)));
  await next();
};

function requireJson(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charsets = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(each)?.[1]);
  const isUtf8 = charsets.every((name) => name === undefined || /^utf-?8$/.test(name));
  if (type.trim() !== 'application/json' || !isUtf8) {
    throw new ServiceError(
      'unsupported_media_type',
      'The body must be JSON in UTF-8: send the header "Content-Type: application/json".',
    );
  }
  if (!['', 'identity'].includes((headers.get('content-encoding') ?? '').trim().toLowerCase())) {
    throw new ServiceError(
      'unsupported_media_type',
      'The body must not be compressed: send it without "Content-Encoding".',
    );
  }
}

async function readBody(c: Context<Env>): Promise<ArrayBuffer> {
  const read = async () => {
    const length = c.req.header('content-length');
    // Hono's limit opens the body as a web stream, which costs half a millisecond: only if it must.
    // Its `next` is empty, so that an error of the handler does not count as one of the body.
    if (length === undefined) await limitStream(c, async () => {});
    else if (Number(length) > MAX_BODY_BYTES) refuseSize();
    return c.req.arrayBuffer();
  };
  const broken = c.env?.broken;
  try {
    return await (broken === undefined ? read() : untilAborted(read(), broken));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidRequest('The body ended before its announced length.');
  }
}

/** Not `c.req.text()`, which would replace what is not valid UTF-8. */
function decodeUtf8(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('The body is not valid UTF-8.');
  }
}
