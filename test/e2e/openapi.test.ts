import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';
import { type Answer, Description } from '../unit/doors/http/description.ts';
import { makeKey, type Serving, startServing } from './serving.ts';
import { makeHome } from './support.ts';

let serving: Serving;
let description: Description;
let key = '';

beforeAll(async () => {
  const home = makeHome();
  key = await makeKey(home, 'ada');
  serving = await startServing(home);
  // Compiling the document takes seconds on a busy machine, after which the server may have closed the connection.
  const response = await fetch(`${serving.url}/openapi.json`, { headers: { Connection: 'close' } });
  description = new Description(await response.json());
});

afterAll(() => serving.stop());

interface Call {
  path: string;
  method: string;
  key?: string;
  query?: URLSearchParams;
  body?: string;
  headers?: Record<string, string>;
}

async function send(call: Call): Promise<Answer> {
  const { path, method, key, query, body, headers } = call;
  const response = await fetch(`${serving.url}${path}${query === undefined ? '' : `?${query}`}`, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
  });
  const isJson = response.headers.get('content-type') === 'application/json';
  const read = isJson ? await response.json() : await response.text();
  return { status: response.status, headers: response.headers, body: read };
}

/** A row's call with some arguments, as the document says that they are sent. */
function callOf(operation: Operation, input: object): Call {
  const { path, method } = operation;
  if (method === 'POST') return { path, method, key, body: JSON.stringify(input) };
  const given = Object.entries(input).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const inPath = given.filter(([name]) => path.includes(`{${name}}`));
  return {
    path: inPath.reduce((done, [name, value]) => done.replace(`{${name}}`, value), path),
    method,
    key,
    query: new URLSearchParams(given.filter((each) => !inPath.includes(each))),
  };
}

describe.each(operations)('$name', (operation) => {
  it('answers its example as the document says, field by field, and no other', async () => {
    const answer = await send(callOf(operation, operation.example));
    expect(answer.status).toBe(200);
    expect(description.differences(operation.path, operation.method, answer)).toEqual([]);
  });
});

it.each(['/', '/health', '/openapi.json'])('GET %s needs no key', async (path) => {
  expect(await send({ path, method: 'GET' })).toMatchObject({ status: 200 });
  expect(await send({ path, method: 'POST', body: '{}' })).toMatchObject({ status: 405 });
});
