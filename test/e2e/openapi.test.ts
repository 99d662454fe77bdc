import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Operation } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';
import { Description } from '../unit/doors/http/openapi/description.ts';
import { makeKey, type Serving, serveForTest, startServing } from './serving.ts';
import { makeHome } from './support.ts';

let serving: Serving;
let description: Description;
const keys = { ada: '', poor: '', narrow: '', hasty: '' };

let home = '';

beforeAll(async () => {
  home = makeHome();
  keys.ada = await makeKey(home, 'ada');
  keys.poor = await makeKey(home, 'poor', '--credits', '0');
  keys.narrow = await makeKey(home, 'narrow', '--scopes', 'papers');
  keys.hasty = await makeKey(home, 'hasty');
  serving = await startServing(home);
  description = new Description(await (await fetch(`${serving.url}/openapi.json`)).json());
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

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

async function send(call: Call, { url } = serving): Promise<Answer> {
  const { path, method, key, query, body, headers } = call;
  const response = await fetch(`${url}${path}${query === undefined ? '' : `?${query}`}`, {
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
  if (method === 'POST') return { path, method, key: keys.ada, body: JSON.stringify(input) };
  const given = Object.entries(input).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const inPath = given.filter(([name]) => path.includes(`{${name}}`));
  return {
    path: inPath.reduce((done, [name, value]) => done.replace(`{${name}}`, value), path),
    method,
    key: keys.ada,
    query: new URLSearchParams(given.filter((each) => !inPath.includes(each))),
  };
}

function row(name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

/** Everything in which an answer and what the document says of it differ. */
function differences(path: string, method: string, { status, headers, body }: Answer): string[] {
  const said = description.response(path, method, status);
  const type = headers.get('content-type') ?? '';
  const schema = said.content?.[type.split(';')[0] ?? '']?.schema;
  const names = Object.keys(said.headers ?? {});
  return [
    ...(schema === undefined ? [`${type} is not documented`] : []),
    ...(schema === undefined ? [] : description.faults(schema, body)),
    ...(schema === undefined ? [] : description.faults(schema, body, 'closed')),
    ...names.flatMap((name) => {
      const value = headers.get(name);
      const { schema: wanted } = description.components.headers[name] ?? {};
      if (value === null || wanted === undefined) return [`no header ${name}`];
      const typed = wanted.type === 'integer' ? Number(value) : value;
      return description.faults(wanted, typed).map((fault) => `${name}${fault}`);
    }),
  ];
}

describe.each(operations)('$name', (operation) => {
  it('answers its example as the document says, field by field, and no other', async () => {
    const answer = await send(callOf(operation, operation.example));
    expect(answer.status).toBe(200);
    expect(differences(operation.path, operation.method, answer)).toEqual([]);
  });
});

/** Documented fields that the starter shelf cannot answer: they need live data, or the model. */
const NOT_IN_THE_STARTER = [
  'paper_read data.comment',
  'paper_read data.doi',
  'paper_read data.journalRef',
  'paper_read data.licenseUrl',
  'paper_read data.updated',
  'paper_search meta.matches[].sections[].score',
  'paper_search meta.matches[].sections[].section_key',
  'prediction_market_event_read data.markets[].outcomes[].day_ago_probability',
  'prediction_market_event_read data.markets[].outcomes[].previous_at',
  'prediction_market_event_read data.markets[].outcomes[].previous_probability',
];

it('no field is documented that no answer has', async () => {
  const lacking: string[] = [];
  for (const operation of operations) {
    const { body } = await send(callOf(operation, operation.example));
    const said = description.response(operation.path, operation.method, 200);
    const schema = said.content?.['application/json']?.schema;
    const answered = new Set(fieldsOf(body));
    lacking.push(
      ...documented(schema)
        .filter((field) => !answered.has(field))
        .map((field) => `${operation.name} ${field}`),
    );
  }
  expect(lacking.sort()).toEqual(NOT_IN_THE_STARTER);
});

/** Every field of an answer by its path, list items in one. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => fieldsOf(each, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...fieldsOf(each, at)];
  });
}

const node = z.looseObject({
  $ref: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
});

/** Every field that a schema lists, in the same notation. */
function documented(schema: unknown, path = ''): string[] {
  const { $ref, properties, items } = node.parse(schema);
  if ($ref !== undefined) {
    return documented(description.components.schemas[$ref.split('/').at(-1) ?? ''], path);
  }
  if (items !== undefined) return documented(items, `${path}[]`);
  return Object.entries(properties ?? {}).flatMap(([name, each]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...documented(each, at)];
  });
}

describe('a refusal is as the document says', () => {
  const search = row('paper_search');
  const history = row('macro_indicator_history');
  const event = row('prediction_market_event_read');
  const cases: { status: number; operation: Operation; call: () => Call }[] = [
    {
      status: 400,
      operation: history,
      call: () => callOf(history, { ...history.example, limit: 501 }),
    },
    { status: 400, operation: search, call: () => ({ ...callOf(search, {}), body: '[]' }) },
    {
      status: 401,
      operation: search,
      call: () => ({ ...callOf(search, search.example), key: 'qs_nobody' }),
    },
    {
      status: 402,
      operation: search,
      call: () => ({ ...callOf(search, search.example), key: keys.poor }),
    },
    {
      status: 403,
      operation: history,
      call: () => ({ ...callOf(history, history.example), key: keys.narrow }),
    },
    { status: 404, operation: event, call: () => callOf(event, { event_card_id: 'pme_1' }) },
    { status: 404, operation: history, call: () => callOf(history, { indicator: 'us.no.such' }) },
    {
      status: 405,
      operation: history,
      call: () => ({ path: history.path, method: 'DELETE', key: keys.ada }),
    },
    { status: 413, operation: search, call: () => callOf(search, { query: 'x'.repeat(70_000) }) },
    {
      status: 415,
      operation: search,
      call: () => ({
        ...callOf(search, search.example),
        headers: { 'Content-Type': 'text/plain' },
      }),
    },
  ];

  it.each(cases)('$status of $operation.name', async ({ status, operation, call }) => {
    const answer = await send(call());
    expect(answer.status).toBe(status);
    expect(differences(operation.path, operation.method, answer)).toEqual([]);
  });

  it('429 of a key that has made its calls', async () => {
    const free = row('macro_indicator_search');
    const call = { ...callOf(free, { limit: 1 }), key: keys.hasty };
    const strict = await serveForTest(home, { args: ['--rate', '1'] });
    expect((await send(call, strict)).status).toBe(200);
    const refused = await send(call, strict);
    expect(refused.status).toBe(429);
    expect(differences(free.path, free.method, refused)).toEqual([]);
  });
});

describe('what needs no key', () => {
  it.each(['/', '/health', '/openapi.json'])('GET %s', async (path) => {
    const answer = await send({ path, method: 'GET' });
    expect(answer.status).toBe(200);
    const { content } = description.response(path, 'GET', 200);
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    expect(description.faults(content?.[type]?.schema ?? { not: {} }, answer.body)).toEqual([]);
    expect(await send({ path, method: 'POST', body: '{}' })).toMatchObject({ status: 405 });
  });

  it('POST /mcp answers the example of the document', async () => {
    const { requestBody } = description.route('/mcp', 'POST');
    const example = requestBody?.content['application/json'].example;
    const answer = await send({
      path: '/mcp',
      method: 'POST',
      key: keys.ada,
      body: JSON.stringify(example),
      headers: { Accept: 'application/json, text/event-stream' },
    });
    expect(answer.status).toBe(200);
    for (const { name } of operations) expect(JSON.stringify(answer.body)).toContain(name);
  });
});
