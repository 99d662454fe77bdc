import type { Handler } from 'hono';
import { invalidRequest } from '../../core/errors.ts';
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
        ? decodeQuery(query, c.req.param())
        : decodeBody(operation, query, c.var.body);
    const { signal } = c.req.raw;
    const { status, envelope } = await call(operation, input, c.var.request, { signal });
    // Nobody is there to read it.
    if (status === CANCELLED) return new Response(null, { status });
    return send(c, status, JSON.stringify(envelope));
  };
}

/** The arguments in the path and the query, as `run` takes them: a text, or where one is repeated a list. */
function decodeQuery(
  query: URLSearchParams,
  path: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const entries = [...new Set([...Object.keys(path), ...query.keys()])].map((name) => {
    const values = [...(Object.hasOwn(path, name) ? [path[name]] : []), ...query.getAll(name)];
    return [name, values.length === 1 ? values[0] : values] as const;
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
