import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { findOperation } from '../../../src/operations.ts';
import { connectHere, listTools, type Tool } from './tools.ts';

/*
 * The only test that pins the published tools. End-to-end tests compare each door's list with this process's.
 */

/** Limits on the context that the tools take, in bytes: what an agent needs for calls, and the whole list. */
const MAX_INPUT_BYTES = 8_000;
const MAX_LIST_BYTES = 25_500;
const REVIEWED = join(import.meta.dirname, '__snapshots__', 'tools.txt');

const tools = await listTools();

const SIMPLE_KEYWORDS =
  'type description enum items default minimum maximum maxLength pattern'.split(' ');
const inputField = z.looseObject({
  type: z.unknown(),
  description: z.string().regex(/\w/),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
  default: z.unknown().optional(),
});

function fieldsOf({ properties }: Tool['inputSchema']) {
  return Object.entries(z.record(z.string(), inputField).parse(properties));
}

/** A tool as a reviewer reads it: its arguments, every field of its replies by path, and hints for hosts. */
function describeTool({ name, title, description, inputSchema, outputSchema, ...hints }: Tool) {
  const required = z.array(z.string()).optional().parse(inputSchema.required) ?? [];
  return [
    `${name}: ${title}`,
    description,
    ...fieldsOf(inputSchema).map(
      ([field, schema]) =>
        `  ${field}${required.includes(field) ? '' : '?'} ${JSON.stringify(schema)}`,
    ),
    ...linesOf(outputSchema, '', name),
    `  ${JSON.stringify(hints)}`,
    '',
  ].join('\n');
}

const node = z.looseObject({
  type: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.looseObject({ type: z.unknown() })).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
});

/** Where a shape first appears; later it is only named. */
const places = new Map<string, string>();

/** A line for each object: its path and its fields with their types. */
function linesOf(schema: unknown, path: string, tool: string): string[] {
  const { properties = {}, required = [], items } = node.parse(schema);
  if (items !== undefined) return linesOf(items, `${path}[]`, tool);
  const shape = JSON.stringify([properties, required]);
  const place = places.get(shape);
  if (place !== undefined) return [`  ${path} is ${place}`];
  if (Object.keys(properties).length === 0) return [];
  places.set(shape, `${tool}${path}`);
  const fields = Object.entries(properties).map(([name, each]) => {
    const { type, enum: values, anyOf } = node.parse(each);
    const kind = (values ?? anyOf?.map((one) => one.type))?.join('|') ?? String(type);
    return `${name}${required.includes(name) ? '' : '?'} ${kind}`;
  });
  const below = Object.entries(properties).flatMap(([name, each]) =>
    linesOf(each, `${path}.${name}`, tool),
  );
  return [`  ${path || '.'}: ${fields.join(', ')}`, ...below];
}

describe.each(tools)('the tool $name', ({ name: tool, inputSchema, outputSchema }) => {
  it('describes every argument in a closed schema, with keywords that Gemini and OpenAI know', () => {
    const { properties, required, ...rest } = inputSchema;
    expect(rest).toEqual({ type: 'object', additionalProperties: false });
    const fields = fieldsOf(inputSchema);
    const names = Object.keys(findOperation(tool)?.input.shape ?? {});
    expect(fields.map(([name]) => name)).toEqual(names);
    for (const [name, field] of fields) {
      expect(typeof field.type, name).toBe('string');
      expect(SIMPLE_KEYWORDS, name).toEqual(expect.arrayContaining(Object.keys(field)));
    }
  });

  it('states ranges, defaults and formats in words, for hosts that drop the keywords', () => {
    for (const [name, field] of fieldsOf(inputSchema)) {
      const { description, minimum, maximum, maxLength = 0, default: standard } = field;
      if (minimum !== undefined && maximum !== undefined) {
        expect(description, name).toContain(`${minimum} to ${maximum}`);
      } else if (minimum !== undefined) {
        expect(description, name).toMatch(new RegExp(`\\b${minimum} (or more|to)\\b`));
      }
      if (standard !== undefined) {
        const words = `default.*\\b${standard}\\b|"${standard}" \\(default\\)`;
        expect(description, name).toMatch(new RegExp(words, 'i'));
      }
      if (field.pattern !== undefined) expect(description, name).toContain('YYYY-MM-DD');
      if (maxLength >= 200) {
        const limit = maxLength.toLocaleString('en-US');
        expect(description, name).toContain(`At most ${limit} characters`);
      }
    }
  });

  it('has an output schema that also fits errors, because it requires none of data, meta and error', () => {
    expect(outputSchema).not.toHaveProperty('required');
    expect(Object.keys(Object(outputSchema.properties))).toEqual(['data', 'meta', 'error']);
  });
});

it('the published tools match the reviewed snapshot', async () => {
  await expect(tools.map(describeTool).join('\n')).toMatchFileSnapshot(REVIEWED);
});

it('a waiting call repeats its last progress message every few seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let release = () => {};
  const client = await connectHere(async (_, __, { report }) => {
    report?.('Asking FRED');
    await new Promise<void>((resolve) => (release = resolve));
    throw new Error('over');
  });
  const told: unknown[] = [];
  const calling = client.callTool(
    { name: 'macro_indicator_history', arguments: {} },
    { onprogress: ({ message }) => told.push(message) },
  );
  await expect.poll(() => told).toEqual(['Asking FRED']);
  vi.advanceTimersByTime(10_000);
  await expect.poll(() => told).toEqual(Array(3).fill('Asking FRED'));
  release();
  await calling;
  vi.useRealTimers();
  await client.close();
});

it('the first sentence of the instructions names all areas within the 250 characters that Codex shows', async () => {
  const client = await connectHere();
  const shown = client.getInstructions()?.slice(0, 250);
  expect(shown).toMatch(/papers.* macro data .*prediction market .*forecasts\. /);
  await client.close();
});

it('the list of tools stays within its size limits', () => {
  const toCall = tools.map((tool) => [tool.name, tool.description, tool.inputSchema]);
  expect(Buffer.byteLength(JSON.stringify(toCall))).toBeLessThanOrEqual(MAX_INPUT_BYTES);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(MAX_LIST_BYTES);
});
