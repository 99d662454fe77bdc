import type { Handler } from 'hono';
import { invalidRequest } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { CANCELLED } from '../../core/run.ts';
import type { CallOperation } from './calls.ts';
import { type Env, send } from './context.ts';
import { decodeQuery, parseObject } from './decode.ts';

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
