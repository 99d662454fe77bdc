import * as z from 'zod';
import { invalidRequest, ServiceError } from '../core/errors.ts';
import type { Operation } from '../core/operation.ts';

/** Longest body that is read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * The arguments in a query string and the path, as `run` takes them: a field that takes a number
 * gets one where the text is decimal, and otherwise the text, which `run` refuses in its own words.
 * A list may be given as a repeated argument. Throws `invalid_request` for any other that comes twice.
 */
export function decodeQuery(
  operation: Pick<Operation, 'name' | 'input'>,
  query: URLSearchParams,
  path: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = operation.input.shape;
  const given = new Map<string, unknown>(Object.entries(path));
  for (const [name, text] of query) {
    const kind = Object.hasOwn(shape, name) ? kindOf(shape[name]) : 'text';
    const before = given.get(name);
    if (kind === 'list') given.set(name, [...(Array.isArray(before) ? before : []), text]);
    else if (given.has(name)) {
      throw invalidRequest(
        `${operation.name} was given an argument twice; give each one once.`,
        Object.hasOwn(shape, name) ? name : undefined,
      );
    } else given.set(name, kind === 'number' && DECIMAL.test(text) ? Number(text) : text);
  }
  return Object.fromEntries(given);
}

function kindOf(field: z.core.$ZodType | undefined): 'number' | 'list' | 'text' {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault)
    return kindOf(field.unwrap());
  if (field instanceof z.ZodNumber) return 'number';
  return field instanceof z.ZodArray ? 'list' : 'text';
}

/** Throws `unsupported_media_type` for a body that is not plain JSON in UTF-8. */
export function requireJson(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(each)?.[1]);
  const isUtf8 = charset.every((name) => name === undefined || name === 'utf-8' || name === 'utf8');
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

/**
 * The body as text. Throws `payload_too_large` beyond `MAX_BODY_BYTES`, at once where the length is
 * announced, and `invalid_request` for what is no UTF-8 or ends early.
 */
export async function readBody(request: Request): Promise<string> {
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > MAX_BODY_BYTES) throw tooLarge();
  const bytes = await readBytes(request, length !== null).catch((error: unknown) => {
    if (error instanceof ServiceError) throw error;
    throw invalidRequest('The body ended before its announced length.');
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('The body is not valid UTF-8.');
  }
}

async function readBytes(request: Request, isAnnounced: boolean): Promise<Uint8Array> {
  if (isAnnounced) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): ServiceError {
  return new ServiceError('payload_too_large', 'The body must stay under 64 KiB.');
}

/** The JSON object in a body. Throws `invalid_request` where there is none. */
export function parseObject(operation: Pick<Operation, 'name'>, body: string): object {
  const value = parseJson(body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  // The words that `run` has for it.
  throw invalidRequest(`The arguments of ${operation.name} must be one JSON object.`);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
}
