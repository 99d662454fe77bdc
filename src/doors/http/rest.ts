import type { Handler } from 'hono';
import * as z from 'zod';
import { invalidRequest } from '../../core/errors.ts';
import { unwrap } from '../../core/input.ts';
import type { Operation } from '../../core/operation.ts';
import { CANCELLED } from '../../core/run.ts';
import type { CallOperation, Env } from './request.ts';
import { send } from './response.ts';

/** Answers an operation whose arguments stand in the address, or for a POST in the body. */
export function answerOperation(operation: Operation, call: CallOperation): Handler<Env> {
  return async (c) => {
    const path = c.req.param();
    const query = new URL(c.req.url).searchParams;
    const input =
      operation.method === 'GET'
        ? decodeQuery(operation, query, path)
        : { ...readArguments(operation, c.var.body, query), ...path };
    const { signal } = c.req.raw;
    const { status, envelope } = await call(operation, input, c.var.request, { signal });
    // Nobody is there to read it.
    if (status === CANCELLED) return new Response(null, { status });
    return send(c, status, JSON.stringify(envelope));
  };
}

function readArguments(operation: Operation, body: string, query: URLSearchParams): object {
  const input = parseObject(operation, body);
  if (query.size === 0) return input;
  // Ignoring them would silently answer another question than was asked.
  throw invalidRequest(
    `${operation.name} takes its arguments in the JSON body, not in the address.`,
  );
}

/**
 * The arguments in a query string and the path, as `run` takes them: texts, which it reads as numbers
 * where they are meant. A list repeats its argument; any other repeated argument throws
 * `invalid_request`.
 */
export function decodeQuery(
  { name: operation, input }: Pick<Operation, 'name' | 'input'>,
  query: URLSearchParams,
  path: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape;
  const fieldOf = (name: string) => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  const names = new Set([...query.keys(), ...Object.keys(path)]);
  const entries = [...names].map((name): [string, unknown] => {
    const values = [...(Object.hasOwn(path, name) ? [path[name]] : []), ...query.getAll(name)];
    const field = fieldOf(name);
    if (field !== undefined && unwrap(field) instanceof z.ZodArray) return [name, values];
    if (values.length === 1) return [name, values[0]];
    const param = field === undefined ? undefined : name;
    throw invalidRequest(`${operation} takes each argument once; one was repeated.`, param);
  });
  return Object.fromEntries(entries);
}

/** The JSON object in a body; throws `invalid_request` if there is none. */
function parseObject({ name }: Pick<Operation, 'name'>, body: string): object {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  // In the words that `run` has for it.
  throw invalidRequest(`The arguments of ${name} must be one JSON object.`);
}
