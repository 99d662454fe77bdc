import * as z from 'zod';
import { unwrap } from '../../core/coerce.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';

/**
 * The arguments in a query string and the path, as `run` takes them: texts, which it reads as numbers
 * where they are meant. A list may be given by repeating the argument; any other repeated argument
 * throws `invalid_request`.
 */
export function decodeQuery(
  operation: Pick<Operation, 'name' | 'input'>,
  query: URLSearchParams,
  path: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = operation.input.shape;
  const given = new Map<string, unknown>(Object.entries(path));
  for (const [name, text] of query) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const isList = field !== undefined && unwrap(field) instanceof z.ZodArray;
    const before = given.get(name);
    if (isList) given.set(name, [...(Array.isArray(before) ? before : []), text]);
    else if (given.has(name)) {
      throw invalidRequest(
        `${operation.name} was given an argument twice; give each one once.`,
        Object.hasOwn(shape, name) ? name : undefined,
      );
    } else given.set(name, text);
  }
  return Object.fromEntries(given);
}

/** The JSON object in a body; throws `invalid_request` if there is none. */
export function parseObject({ name }: Pick<Operation, 'name'>, body: string): object {
  const value = parseJson(body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  // In the words that `run` has for it.
  throw invalidRequest(`The arguments of ${name} must be one JSON object.`);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
}
