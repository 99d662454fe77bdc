import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { invalidRequest, ServiceError } from '../../core/errors.ts';
import type { Env } from './request-context.ts';

const limitSize = bodyLimit({
  maxSize: 64 * 1024,
  onError() {
    throw new ServiceError('payload_too_large', 'The body must stay under 64 KiB.');
  },
});

/**
 * Leaves the text of the body in `c.var.body`. Throws `unsupported_media_type` unless it is JSON,
 * `payload_too_large` beyond 64 KiB, and `invalid_request` if it ends early or is no UTF-8.
 */
export const jsonBody: MiddlewareHandler<Env> = async (c, next) => {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new ServiceError(
      'unsupported_media_type',
      'The body must be JSON in UTF-8: send the header "Content-Type: application/json".',
    );
  }
  try {
    // Its `next` is empty, so that an error of the handler does not count as one of the body.
    await limitSize(c, async () => {});
    // Not `c.req.text()`, which would replace what is not valid UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await c.req.arrayBuffer());
    c.set('body', text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidRequest('The body is not valid UTF-8, or ended before its announced length.');
  }
  await next();
};
