import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseInput } from '../src/core/input.ts';
import { describeTool } from '../src/doors/mcp.ts';
import { inputSchema, outputSchema } from '../src/doors/schemas.ts';
import { operations } from '../src/operations.ts';

const MAX_INPUT_BYTES = 8_000;
const UNIONS = ['anyOf', 'oneOf', 'allOf', '$ref'];

const field = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
});
const published = z.looseObject({
  type: z.literal('object'),
  additionalProperties: z.boolean().optional(),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), field),
});

describe('the table', () => {
  it('holds the contract: names, routes and prices', () => {
    expect(operations.map(({ name, method, path, price }) => [name, method, path, price])).toEqual([
      ['paper_search', 'POST', '/api/paper/search', 1],
      ['paper_read', 'POST', '/api/paper/read', 0],
      ['macro_indicator_search', 'GET', '/api/macro/indicators', 0],
      ['macro_indicator_history', 'GET', '/api/macro/historical', 1],
      ['prediction_market_event_browse', 'GET', '/api/prediction_market/events', 1],
      ['prediction_market_event_search', 'POST', '/api/prediction_market/events/search', 2],
      ['prediction_market_event_read', 'GET', '/api/prediction_market/events/{event_card_id}', 0],
    ]);
  });

  it.each([
    ['paper_search', 'topK', { default: 5, minimum: 1 }],
    ['paper_search', 'query', { maxLength: 2000 }],
    ['macro_indicator_search', 'limit', { default: 20, minimum: 1, maximum: 100 }],
    ['macro_indicator_history', 'limit', { default: 60, minimum: 1, maximum: 500 }],
    ['prediction_market_event_browse', 'limit', { default: 20, minimum: 1, maximum: 100 }],
    ['prediction_market_event_browse', 'q', { maxLength: 200 }],
    ['prediction_market_event_browse', 'status', { default: 'active' }],
    ['prediction_market_event_search', 'limit', { default: 5, minimum: 1, maximum: 20 }],
    ['prediction_market_event_search', 'query', { maxLength: 2000 }],
    ['prediction_market_event_search', 'status', { default: 'active_or_recently_closed' }],
  ])('publishes the limits of %s %s', (name, argument, limits) => {
    const operation = operations.find((each) => each.name === name);
    if (operation === undefined) throw new Error(`no ${name}`);
    expect(published.parse(inputSchema(operation)).properties[argument]).toMatchObject(limits);
  });

  it('fits the context of an agent', () => {
    const inputs = operations.map((operation) => ({
      name: operation.name,
      description: describeTool(operation),
      inputSchema: inputSchema(operation),
    }));
    expect(Buffer.byteLength(JSON.stringify(inputs))).toBeLessThanOrEqual(MAX_INPUT_BYTES);
  });
});

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_, operation) => {
    const input = published.parse(inputSchema(operation));

    it('publishes a closed object of described arguments, without unions at the top', () => {
      expect(input.additionalProperties).toBe(false);
      for (const [name, argument] of Object.entries(input.properties)) {
        expect(argument.description, name).toMatch(/\w/);
      }
      expect(UNIONS.filter((union) => union in input)).toEqual([]);
    });

    it('publishes an output that an error satisfies too', () => {
      const output = published.parse(outputSchema(operation));
      expect(output.required).toBeUndefined();
      expect(Object.keys(output.properties)).toEqual(['data', 'meta', 'error']);
    });

    it('accepts its own example', () => {
      expect(() => parseInput(operation, operation.example)).not.toThrow();
    });

    it('describes itself in one breath, and names its siblings', () => {
      expect(operation.description.length).toBeLessThan(450);
      expect(operation.description).toMatch(/^[A-Z].*\.$/s);
      const siblings = operations.filter(
        (each) => each.area === operation.area && each !== operation,
      );
      expect(siblings.some(({ name }) => operation.description.includes(name))).toBe(true);
    });
  },
);
