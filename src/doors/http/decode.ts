import * as z from 'zod';
import { invalidRequest } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * The arguments in a query string and the path, as `run` takes them. A numeric field gets a number
 * if its text is decimal, otherwise the text, which `run` then refuses in its own words. A list may
 * be given by repeating the argument; any other repeated argument throws `invalid_request`.
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
