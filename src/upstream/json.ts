import type * as z from 'zod';
import { InvalidResponseError } from './errors.ts';

/** Answers of our upstreams have a depth of 6; deep nesting costs time out of proportion to its length. */
const MAX_DEPTH = 64;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** The value of a JSON body; undefined when it is not valid JSON, or nested too deeply to be an answer. */
export function parseJson(body: Buffer): unknown {
  if (isTooDeep(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The value of a JSON body in an expected shape. Throws an InvalidResponseError that begins with `who`. */
export function readJson<T>(body: Buffer, shape: z.ZodType<T>, who: string): T {
  const value = parseJson(body);
  if (value === undefined) throw new InvalidResponseError(`${who} sent invalid JSON.`);
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidResponseError(`${who} sent a response of an unexpected shape.`);
}

function isTooDeep(body: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (CLOSING.has(byte)) depth -= 1;
  }
  return false;
}

/** The place of the closing quote, or the end. */
function endOfString(body: Buffer, start: number): number {
  for (let at = start; at < body.length; at += 1) {
    if (body[at] === QUOTE) return at;
    if (body[at] === BACKSLASH) at += 1;
  }
  return body.length;
}
