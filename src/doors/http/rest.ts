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
    const query = new URL(c.req.url).searchParams;
    const input =
      operation.method === 'GET'
        ? decodeQuery(operation, query, c.req.param())
        : decodeBody(operation, query, c.var.body);
    const { signal } = c.req.raw;
    const { status, envelope } = await call(operation, input, c.var.request, { signal });
    // Nobody is there to read it.
    if (status === CANCELLED) return new Response(null, { status });
    return send(c, status, JSON.stringify(envelope));
  };
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

/** The JSON value in a body; `run` refuses what is not an object. */
function decodeBody({ name }: Operation, query: URLSearchParams, body: string): unknown {
  if (query.size > 0) {
    // Ignoring them would silently answer another question than was asked.
    throw invalidRequest(`${name} takes its arguments in the JSON body, not in the address.`);
  }
  try {
    return JSON.parse(body);
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
}
