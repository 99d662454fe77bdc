import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
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

/** Documented fields that the starter shelf cannot answer: they need live data, or the model. */
const NOT_IN_THE_STARTER = [
  'macro_indicator_history data.ended',
  'paper_read data.comment',
  'paper_read data.doi',
  'paper_read data.journalRef',
  'paper_read data.licenseUrl',
  'paper_read data.updated',
  'paper_search meta.matches[].sections[].score',
  'paper_search meta.matches[].sections[].section_key',
  // Only where something was left out or corrected.
  'paper_search meta.understood',
  'prediction_market_event_browse data.events[].markets[].winning_outcome',
  'prediction_market_event_read data.category',
  'prediction_market_event_read data.closed_time',
  'prediction_market_event_read data.markets[].outcomes[].day_ago_probability',
  'prediction_market_event_read data.markets[].outcomes[].previous_at',
  'prediction_market_event_read data.markets[].outcomes[].previous_probability',
  'prediction_market_event_read data.markets[].winning_outcome',
  'prediction_market_event_read data.resolution_source',
  'prediction_market_event_search data.events[].markets[].winning_outcome',
  'prediction_market_event_search meta.understood',
  // Of a second venue.
  ...['browse data.events[].', 'read data.', 'search data.events[].'].flatMap((card) =>
    [
      ...['also', 'also.event_card_id', 'also.probability', 'also.source', 'price_basis'].map(
        (field) => `markets[].${field}`,
      ),
      'more_markets',
    ].map((field) => `prediction_market_event_${card}${field}`),
  ),
].sort();

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
      key,
      body: JSON.stringify(example),
      headers: { Accept: 'application/json, text/event-stream' },
    });
    expect(answer.status).toBe(200);
    for (const { name } of operations) expect(JSON.stringify(answer.body)).toContain(name);
  });
});
