import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import { type Tool, tool } from './hosts.ts';
import { makeHome, root } from './support.ts';
import { Wire } from './wire.ts';

/** Bytes of context that a host spends on us. */
const LIMIT_TO_CALL = 8_000;
const LIMIT_WHOLE_LIST = 20_000;
const SNAPSHOTS = join(root, 'test', 'e2e', '__snapshots__');

let tools: Tool[] = [];
let bytes = 0;

beforeAll(async () => {
  const wire = new Wire(makeHome());
  await wire.initialize();
  wire.send({ id: 1, method: 'tools/list' });
  const answer = await wire.answer(1);
  await wire.finish();
  if (!('result' in answer)) throw new Error('tools/list failed');
  tools = z.strictObject({ tools: z.array(tool) }).parse(answer.result).tools;
  bytes = Buffer.byteLength(JSON.stringify(answer));
});

function published(name: string): Tool {
  const found = tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} is not published`);
  return found;
}

describe.each(operations)('$name', (row) => {
  it('is published as reviewed', async () => {
    await expect(`${JSON.stringify(published(row.name), null, 2)}\n`).toMatchFileSnapshot(
      join(SNAPSHOTS, `${row.name}.json`),
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
      .record(z.string(), z.looseObject({ description: z.string().min(1) }))
      .parse(inputSchema.properties);
    expect(Object.keys(fields)).toEqual(Object.keys(row.input.shape));
  });

  it('admits an error: requires neither data nor meta', () => {
    expect(published(row.name).outputSchema).not.toHaveProperty('required');
  });
});

it('every snapshot belongs to a published tool', () => {
  expect(readdirSync(SNAPSHOTS).sort()).toEqual(
    operations.map(({ name }) => `${name}.json`).sort(),
  );
});

it('a long reply is announced where one may come', () => {
  const announced = tools.filter(({ _meta }) => _meta !== undefined);
  expect(announced.map(({ name }) => name)).toEqual(
    operations.filter(({ longReplies }) => longReplies === true).map(({ name }) => name),
  );
});

it('costs little of the context', () => {
  const toCall = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  expect(Buffer.byteLength(JSON.stringify(toCall))).toBeLessThanOrEqual(LIMIT_TO_CALL);
  expect(bytes).toBeLessThanOrEqual(LIMIT_WHOLE_LIST);
});
