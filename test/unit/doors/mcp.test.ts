import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operations } from '../../../src/operations.ts';
import { listTools, type Tool } from './tools.ts';

/*
 * The one place that pins what is published. End-to-end tests compare what each door lists with
 * what this process lists.
 */

/** Bytes of context that a host spends on us: what an agent needs to call, and all of the list. */
const MAX_INPUT_BYTES = 8_000;
const MAX_LIST_BYTES = 20_000;
const REVIEWED = join(import.meta.dirname, '__snapshots__');

const tools = await listTools();

function published(name: string): Tool {
  const found = tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} is not published`);
  return found;
}

describe.each(operations)('$name', (row) => {
  it('is published as reviewed', async () => {
    await expect(`${JSON.stringify(published(row.name), null, 2)}\n`).toMatchFileSnapshot(
      join(REVIEWED, `${row.name}.json`),
    );
  });

  it('says that calling it is safe', () => {
    expect(published(row.name).annotations).toEqual({
      title: row.title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  it('takes a closed object whose every field is described', () => {
    const { inputSchema } = published(row.name);
    expect(inputSchema.additionalProperties).toBe(false);
    for (const word of ['anyOf', 'oneOf', 'allOf', '$ref']) {
      expect(inputSchema).not.toHaveProperty(word);
    }
    const fields = z
      .record(z.string(), z.looseObject({ description: z.string().regex(/\w/) }))
      .parse(inputSchema.properties);
    expect(Object.keys(fields)).toEqual(Object.keys(row.input.shape));
  });

  it('admits an error: requires none of data, meta and error', () => {
    const { outputSchema } = published(row.name);
    expect(outputSchema).not.toHaveProperty('required');
    const { properties } = z
      .looseObject({ properties: z.record(z.string(), z.unknown()) })
      .parse(outputSchema);
    expect(Object.keys(properties)).toEqual(['data', 'meta', 'error']);
  });
});

it('every reviewed file belongs to a published tool', () => {
  expect(readdirSync(REVIEWED).sort()).toEqual(operations.map(({ name }) => `${name}.json`).sort());
});

it('a long reply is announced where one may come', () => {
  const announced = tools.filter(({ _meta }) => _meta !== undefined);
  expect(announced.map(({ name }) => name)).toEqual(
    operations.filter(({ longReply }) => longReply !== undefined).map(({ name }) => name),
  );
});

it('costs little of the context', () => {
  const toCall = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  expect(Buffer.byteLength(JSON.stringify(toCall))).toBeLessThanOrEqual(MAX_INPUT_BYTES);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(MAX_LIST_BYTES);
});
